"""Week charts: their values come from the daily closes."""

import json

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from finance.tasks import close_days
from staff.dashboard.week import closed_weeks
from tests.builders.books.full_books import a_day_passes, play_pool
from tests.builders.books.gateway_files import pay
from tests.builders.staff.people import a_person
from tests.builders.wallet.players import fund, make_player

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("lawful")]


def read():
    _, charts = closed_weeks()
    return {chart.title: [list(one.texts) for one in chart.series] for chart in charts}


def test_weekly_figures_use_only_closed_days():
    assert closed_weeks() == ([], [])
    play_pool()
    pay(100)
    fund(make_player(), winnings=25_00)
    a_day_passes()
    close_days()
    pay(50)  # On a day that is not closed.

    assert read() == {
        "Games ended by day": [["1"]],
        # With the tax on the deposit, and what the winnings of the test were paid from.
        "Deposits by day, INR": [["₹165.00"]],
        "Owed to players by day, INR": [["₹125.00"]],
    }
    [deposits], charts = closed_weeks()
    assert (deposits.number, deposits.change) == ("₹165.00", "")
    assert json.loads(charts[1].data)["datasets"][0]["data"] == [165.0]
    assert json.loads(charts[1].options)["scales"]["y"]["title"]["text"] == "₹"


def test_the_week_costs_two_queries():
    fund(make_player(), deposit=100)
    a_day_passes()
    close_days()

    with CaptureQueriesContext(connection) as asked:
        closed_weeks()

    assert len(asked) == 2


@pytest.mark.parametrize(("role", "sees"), [("Finance", True), ("Support", False)])
def test_only_finance_sees_the_week_charts_and_checklists(client, role, sees):
    fund(make_player(), deposit=100)
    a_day_passes()
    close_days()
    client.force_login(a_person(role))

    page = client.get(reverse("admin:index"), {"day": "2026-01-05"}).text

    assert ("Games ended by day" in page) is sees
    assert ("Month January 2026" in page) is sees
    assert client.get(reverse("admin:index"), {"day": "yesterday"}).status_code == 200
