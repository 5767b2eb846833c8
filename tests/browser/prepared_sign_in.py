"""Beside a running site: let a player have signed in earlier, and want to be reminded.

`python -m tests.browser.prepared_sign_in HANDLE SECONDS`; the interval is 15 minutes.
"""

from __future__ import annotations

import sys
from datetime import timedelta

import django


def main(handle: str, seconds: str) -> None:
    from allauth.usersessions.models import UserSession
    from django.utils import timezone

    from players.accounts.models import User

    User.objects.filter(handle=handle).update(reality_check_minutes=15)
    began = timezone.now() - timedelta(seconds=int(seconds))
    UserSession.objects.filter(user__handle=handle).update(created_at=began)


if __name__ == "__main__":
    django.setup()
    main(*sys.argv[1:])
