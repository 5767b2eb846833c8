"""Just after a year's end, transactions begun before midnight may still be booked in it."""

from datetime import timedelta

import pytest
from django.db import connection, transaction

from tests.builders.processes.sessions import hanging
from tests.builders.wallet.players import make_escrow
from tests.builders.wallet.stakes import take
from tests.builders.wallet.tax_office import make_winner, withdraw
from wallet.audit import seals
from wallet.audit.audit import row_findings
from wallet.exceptions import YearStillOpen
from wallet.ledger.days import end_days, site_day
from wallet.stakes import stakes
from wallet.stakes.models import StakePartChange
from wallet.tax import withholding
from wallet.tax.arithmetic import financial_year, last_day
from wallet.tax.models import Withholding

pytestmark = pytest.mark.django_db(transaction=True)
DAY = timedelta(days=1)


def ask(sql, *values):
    with connection.cursor() as cursor:
        cursor.execute(sql, values or None)
        return cursor.fetchone()[0]


@pytest.fixture
def last_day_of_year(owner, calendar):
    """Return the year's last day and a way to let the ledger's clock show a day."""
    day = last_day(financial_year(site_day()))

    def show(shown):
        days = (shown - site_day()).days
        with owner():
            ask(
                "SELECT ledger_shift_clock(clock_shift + %s) FROM wallet_installation",
                timedelta(days),
            )

    yield day, show
    with owner():
        ask("SELECT ledger_shift_clock('0')")


def test_a_year_is_settled_when_no_transaction_can_be_booked_in_it_any_more(last_day_of_year):
    day, show = last_day_of_year
    player = make_winner(winnings=1_000)
    show(day)
    stake = take(player, make_escrow(), entry="100.00")

    with hanging(lambda: stakes.lose_stake(stake=stake)):
        show(day + DAY)
        end_days()
        with pytest.raises(YearStillOpen):
            withholding.settle_player(player_id=player.pk, currency="INR")
        with pytest.raises(YearStillOpen):
            list(withholding.settle_year(year=financial_year(day), currency="INR"))
        with pytest.raises(YearStillOpen), transaction.atomic():
            withdraw(player, 100, tax=0)
        assert not Withholding.objects.exists()
    assert False not in withholding.settle_year(year=financial_year(day), currency="INR")

    lost = StakePartChange.objects.get(part__stake=stake, consumed_minor__gt=0)
    assert lost.booked_on == day
    row = Withholding.objects.get(player=player)
    assert (row.closing_minor, row.in_games_minor, row.tax_minor) == (900_00, 0, 270_00)
    seals.seal_ledger()  # A day has passed for the transfers of the last day.
    assert row_findings() == ()
