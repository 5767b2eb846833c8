"""Beside a running site: a member of support, and a player who has complained about a deal.

`python -m tests.browser.prepared_case <password>` prints their addresses.
"""

from __future__ import annotations

import secrets
import sys

import django


def main(password: str) -> None:
    from django.contrib.auth.models import Group

    from players.accounts.models import User
    from tests.builders.tables.disputes import complain, played_deal

    mark = secrets.token_hex(3)
    email = f"support_{mark}@example.com"
    support = User.objects.create_user(
        handle=f"support_{mark}", email=email, password=password, is_staff=True
    )
    support.groups.add(Group.objects.get(name="Support"))
    player = complain(played_deal()).seat.player
    player.email = f"complainant_{mark}@example.com"
    player.set_password(password)
    player.save()
    sys.stdout.write(f"{support.email} {player.email}")


if __name__ == "__main__":
    django.setup()
    main(*sys.argv[1:])
