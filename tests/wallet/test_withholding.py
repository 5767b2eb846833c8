"""Tax on winnings (RB 11.4): what is withheld, when, why, and what comes back."""

import pytest
from moneyed import Money

from tests.wallet.builders import balances, fund
from tests.wallet.tax_office import let_years_pass, make_winner, win, withdraw
from wallet.models import Withholding
from wallet.services import withholding
from wallet.services.audit import audit

pytestmark = pytest.mark.django_db


def money_of(player):
    mine = fund(player)
    payable = withholding.payable_account(player=player, currency="INR")
    kinds = ("deposit", "winnings", "withdrawal_hold")
    return balances(*(mine[kind] for kind in kinds), payable)


def history_of_the_vector():
    """C 1000, B 34000, earlier withdrawals of 25000 with 2000 of them taxed (RB 11.4)."""
    player = make_winner(deposit=1000)
    let_years_pass()
    fund(player, deposit=22000_00)
    win(player, 2000)
    withdraw(player, 25000)
    fund(player, deposit=12000_00)
    win(player, 4000)
    return player


def test_the_vector_of_the_rulebook():
    player = history_of_the_vector()
    first = Withholding.objects.get(reason="withdrawal")

    withdrawal = withdraw(player, 16000, tax=1200)

    assert (first.taxed_minor, first.tax_minor) == (2000_00, 600_00)
    row = withdrawal.withholding
    letters = [
        *(row.withdrawn_minor, row.deposited_minor, row.opening_minor, row.taxed_before_minor)
    ]
    assert letters == [41000_00, 34000_00, 1000_00, 2000_00]
    assert (row.net_minor, row.tax_minor) == (4000_00, 1200_00)
    assert withdrawal.payout == Money(14800, "INR")
    assert money_of(player) == [0, 0, 24400_00 + 14800_00, 600_00 + 1200_00]
    assert audit().findings == ()
