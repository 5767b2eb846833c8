"""Payments that the gateway takes back."""

from __future__ import annotations

from moneyed import Money

from tests.builders.wallet.cashier_desk import make_depositor, start_deposit, tell
from tests.builders.wallet.payout_desk import payee_for
from tests.builders.wallet.players import balances
from wallet.deposits.models import GatewayEvent
from wallet.gateways.sandbox_page import Sent
from wallet.ledger import accounts
from wallet.ledger.models import Account
from wallet.withdrawals import withdrawals

Kind = GatewayEvent.Kind

PAID = Sent()

OPEN, WON, LOST = (
    Sent(kind, case="d1") for kind in (Kind.DISPUTE_OPEN, Kind.DISPUTE_WON, Kind.DISPUTE_LOST)
)


def deposit_of(player=None, rupees=100):
    return start_deposit(player=player or make_depositor(), amount=Money(rupees, "INR"))


def paid(player=None, rupees=100):
    deposit = deposit_of(player, rupees)
    assert tell(deposit, PAID) == ["credited"]
    return deposit


def money_of(player):
    """Return deposit, winnings and what is owed."""
    mine = accounts.open_player_accounts(player=player, currency="INR")
    owed = Account.objects.filter(player=player, kind="receivable", currency="INR").first()
    return [*balances(mine["deposit"], mine["winnings"]), balances(owed)[0] if owed else 0]


def spend(player, rupees):
    """Take money out of the wallet as a game would."""
    from tests.builders.wallet.bonus_desk import join

    return join(player, entry=rupees)


def withdraw(player, rupees):
    return withdrawals.request_withdrawal(
        player=player, amount=Money(rupees, "INR"), payee=payee_for(player), requested_by=player
    )
