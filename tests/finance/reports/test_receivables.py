"""Reports by day and by player: rake of closed and open days, and open debts."""

from datetime import timedelta

import pytest

from finance.closing.actions import close_days
from finance.reports.definitions.rake import rake_by_day
from tests.builders.books.full_books import Desk, a_day_passes, play_pool
from tests.builders.wallet.cashier_desk import make_depositor, tell
from tests.builders.wallet.payment_returns import LOST, paid, spend
from tests.builders.wallet.players import fund
from wallet.ledger.models import Transfer

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("lawful", "untaxed")]


def owe(rupees):
    """Reverse a payment of 100 of which this amount is spent."""
    deposit = paid(make_depositor())
    spend(deposit.player, rupees)
    tell(deposit, LOST)
    return deposit.player


@pytest.mark.extended
def test_receivables_list_open_debts_largest_first(client):
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


def test_receivable_begins_after_the_last_full_payment(client):
    player = owe(80)
    paid(player, 80)
    day = a_day_passes()
    again = paid(player)
    spend(player, 100)
    tell(again, LOST)

    [row] = Desk(client).page("receivables")["results"]

    assert (row["owed_minor"], row["since"]) == (100_00, (day + timedelta(days=1)).isoformat())


RAKE = 30_00  # Of a pool.


def test_rake_of_closed_days_comes_from_their_closes_and_later_rake_from_the_ledger():
    play_pool()
    yesterday = a_day_passes()
    assert yesterday in [close.day for close in close_days()]
    play_pool()
    today = yesterday + timedelta(days=1)

    assert rake_by_day(yesterday, today) == {"PTS": {yesterday: RAKE, today: RAKE}}
    assert rake_by_day(yesterday, yesterday) == {"PTS": {yesterday: RAKE}}
    assert rake_by_day(today, today) == {"PTS": {today: RAKE}}


def test_rake_of_a_day_that_is_not_closed_comes_from_the_ledger():
    play_pool()
    today = Transfer.objects.latest("pk").booked_on

    assert rake_by_day(today, today) == {"PTS": {today: RAKE}}
    assert rake_by_day(today - timedelta(days=3), today - timedelta(days=1)) == {}
