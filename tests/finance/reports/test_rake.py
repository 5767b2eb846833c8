"""Rake by day for the dashboard: closed days from their closes, open days from the ledger."""

from datetime import timedelta

import pytest

from finance.closing.actions import close_days
from finance.reports.definitions.rake import rake_by_day
from tests.builders.books.full_books import a_day_passes, play_pool
from wallet.ledger.models import Transfer

pytestmark = pytest.mark.django_db(transaction=True)
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
