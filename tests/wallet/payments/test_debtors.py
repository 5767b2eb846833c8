"""Debtors for reversed payments cannot play for cash until the debt is paid."""

import pytest
from django.db import transaction
from moneyed import Money

from tests.builders.wallet.bonus_desk import join
from tests.builders.wallet.cashier_desk import tell
from tests.builders.wallet.payment_returns import LOST, paid, withdraw
from tests.builders.wallet.players import books, fund, make_escrow
from wallet.exceptions import DebtOutstanding
from wallet.ledger import accounts
from wallet.stakes import paid_entries

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("lawful", "untaxed")]


def make_debtor():
    """Return a player who has 100 in a withdrawal under way and owes as much."""
    deposit = paid()
    withdrawal = withdraw(deposit.player, 100)
    tell(deposit, LOST)
    return deposit.player, withdrawal


def test_debtor_cannot_join_cash_games_until_the_debt_is_paid():
    player, _ = make_debtor()
    fund(player, winnings=150_00)
    before = books()

    with pytest.raises(DebtOutstanding, match="You owe ₹100") as refusal, transaction.atomic():
        join(player, entry=50)

    assert (refusal.value.code, books()) == ("debt_outstanding", before)
    paid(player)
    assert join(player, entry=50).status == "live"


def test_player_with_debts_cannot_use_a_ticket():
    player, _ = make_debtor()
    ticket = accounts.open_ticket(player=player, ref="ticket:1", currency="INR")

    with pytest.raises(DebtOutstanding):
        paid_entries.take_stake(
            player=player,
            escrow=make_escrow(),
            entry=Money(10, "INR"),
            rake_bps=0,
            paid_from=ticket,
            key="entry:1",
        )
