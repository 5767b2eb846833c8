"""Beside a running site: two members of finance, and a player with 12.34 in winnings.

Returns the addresses of both, who have this password, then the player's handle and the key of their
page.
"""

from __future__ import annotations

import secrets


def main(password: str) -> str:
    from moneyed import Money

    from players.accounts.models import User
    from tests.builders.staff.people import hire
    from wallet.corrections import adjustments
    from wallet.ledger import accounts
    from wallet.ledger.models import Account

    mark = secrets.token_hex(3)

    def named(name: str) -> dict[str, str]:
        handle = f"{name}_{mark}"
        return {"handle": handle, "email": f"{handle}@example.com", "password": password}

    maker, checker = (hire("Finance", **named(name)) for name in ("asker", "decider"))
    player = User.objects.create_user(**named("corrected"))
    won = adjustments.request_adjustment(
        source=accounts.operator_account(kind=Account.Kind.SUSPENSE, currency="INR"),
        target=accounts.open_player_accounts(player=player, currency="INR")["winnings"],
        amount=Money("12.34", "INR"),
        reason="Won before the books began",
        by=maker,
    )
    adjustments.approve_adjustment(adjustment=won, by=checker)
    return f"{maker.email} {checker.email} {player.handle} {player.pk}"
