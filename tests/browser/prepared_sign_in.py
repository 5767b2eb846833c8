"""For a running site: backdate a player's sign-in and switch reminders on.

That was so many seconds ago; the interval is 15 minutes.
"""

from __future__ import annotations

from datetime import timedelta


def main(handle: str, seconds: str) -> None:
    from allauth.usersessions.models import UserSession
    from django.utils import timezone

    from players.accounts.models import User

    User.objects.filter(handle=handle).update(reality_check_minutes=15)
    began = timezone.now() - timedelta(seconds=int(seconds))
    UserSession.objects.filter(user__handle=handle).update(created_at=began)
