"""Beside a running site: three members of finance, and a player's withdrawal the first asked for.

Returns their addresses and the player's; all have the same password.
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
    from wallet.withdrawals import withdrawals
    from wallet.withdrawals.payees.actions import register_payee
    from wallet.withdrawals.payees.sealing import Payee

    mark = secrets.token_hex(3)

    def named(name: str) -> dict[str, str]:
        handle = f"{name}_{mark}"
        return {"handle": handle, "email": f"{handle}@example.com", "password": password}

    staff = [hire("Finance", **named(name)) for name in ("maker", "checker", "payer")]
    player = User.objects.create_user(**named("payee"))
    # New deposits are held for a day, so the money comes from a correction.
    correction = adjustments.request_adjustment(
        source=accounts.operator_account(kind=Account.Kind.GATEWAY_CLEARING, currency="INR"),
        target=accounts.open_player_accounts(player=player, currency="INR")["winnings"],
        amount=Money(75, "INR"),
        reason="Won before the books began",
        by=staff[0],
    )
    adjustments.approve_adjustment(adjustment=correction, by=staff[1])
    withdrawals.request_withdrawal(
        player=player,
        amount=Money(70, "INR"),
        payee=register_payee(player=player, payee=Payee("Asha Rao", "001234567890", "HDFC0001234")),
        requested_by=staff[0],
    )
    return " ".join(one.email for one in (*staff, player))
