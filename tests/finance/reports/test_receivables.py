"""What players owe for payments that were taken back, as finance reads it."""

from datetime import timedelta

import pytest

from tests.builders.books.full_books import Desk, a_day_passes
from tests.builders.wallet.cashier_desk import make_depositor, tell
from tests.builders.wallet.payment_returns import LOST, paid, spend
from tests.builders.wallet.players import fund
from wallet.ledger.models import Transfer

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("lawful", "untaxed")]


def owe(rupees):
    """Let a payment of 100 be taken back of which so much is spent."""
    deposit = paid(make_depositor())
    spend(deposit.player, rupees)
    tell(deposit, LOST)
    return deposit.player


@pytest.mark.extended
def test_each_debt_is_a_row_the_largest_first_and_paid_ones_are_none(client):
    small, large, settled = owe(30), owe(80), owe(10)
    paid(settled, 50)
    paid(large, 20)
    fund(make_depositor(), deposit=5_00)
    day = Transfer.objects.earliest("pk").booked_on.isoformat()

    page = Desk(client).page("receivables")

    assert [list(row.values()) for row in page["results"]] == [
        [str(large.public_id), "INR", 60_00, "60.00", day, day],
        [str(small.public_id), "INR", 30_00, "30.00", day, day],
    ]
    assert page["totals"] == {"INR": {"players": 2, "owed_minor": 90_00}}


def test_a_debt_that_was_paid_and_came_again_begins_with_the_second(client):
    player = owe(80)
    paid(player, 80)
    day = a_day_passes()
    again = paid(player)
    spend(player, 100)
    tell(again, LOST)

    [row] = Desk(client).page("receivables")["results"]

    assert (row["owed_minor"], row["since"]) == (100_00, (day + timedelta(days=1)).isoformat())
