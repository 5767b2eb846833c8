"""Beside a running site: two members of finance, and a player with 12.34 in winnings.

`python -m tests.browser.prepared_correction <password>` prints the addresses of both, then the
player's handle and the key of their page.
"""

from __future__ import annotations

import secrets
import sys

import django


def main(password: str) -> None:
    from django.contrib.auth.models import Group
    from moneyed import Money

    from players.accounts.models import User
    from wallet.corrections import adjustments
    from wallet.ledger import accounts
    from wallet.ledger.models import Account

    mark = secrets.token_hex(3)

    def made(name: str, **rights: bool) -> User:
        handle = f"{name}_{mark}"
        fields = {"handle": handle, "email": f"{handle}@example.com", "password": password}
        return User.objects.create_user(**fields, **rights)

    maker, checker = (made(name, is_staff=True) for name in ("asker", "decider"))
    for person in (maker, checker):
        person.groups.add(Group.objects.get(name="Finance"))
    player = made("corrected")
    won = adjustments.request_adjustment(
        source=accounts.house_account(kind=Account.Kind.SUSPENSE, currency="INR"),
        target=accounts.open_player_accounts(player=player, currency="INR")["winnings"],
        amount=Money("12.34", "INR"),
        reason="Won before the books began",
        by=maker,
    )
    adjustments.approve_adjustment(adjustment=won, by=checker)
    sys.stdout.write(f"{maker.email} {checker.email} {player.handle} {player.pk}")


if __name__ == "__main__":
    django.setup()
    main(*sys.argv[1:])
