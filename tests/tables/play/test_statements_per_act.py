"""How many SQL statements an act asks; a number that falls is lowered here."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tables.settlement import scoring
from tables.state.fold import fold_of
from tests.builders.people.regions import open_region
from tests.builders.tables.making import make_game, make_player, make_table
from tests.builders.tables.playing import move
from tests.builders.tables.points_tables import make_points_game, points_rules
from tests.builders.wallet.bonus_desk import give
from tests.builders.wallet.players import fund

pytestmark = pytest.mark.django_db(transaction=True)


def statements_of(act):
    with CaptureQueriesContext(connection) as asked:
        act()
    return len(asked)


def test_buy_in_from_money_and_bonus_and_leaving_before_the_start(client):
    open_region("IN-KA")
    table = make_table(currency="INR", entry_minor=100_00, seats_max=3)
    player = make_player()
    fund(player, deposit=500_00)
    give(player, 50)
    client.force_login(player)
    address = f"/api/v1/tables/{table.public_id}/seats/"
    statuses = []

    def sit_down():
        statuses.append(client.post(address, {}, content_type="application/json").status_code)

    def leave():
        statuses.append(client.delete(f"{address}mine/").status_code)

    sit_down()  # What is read once by a process is read now.
    leave()

    assert (statements_of(sit_down), statements_of(leave)) == (25, 14)
    assert statuses == [201, 204] * 2


@pytest.mark.parametrize(
    ("make", "count"),
    [
        (lambda: make_game(players=2), 15),
        (lambda: make_points_game(rules=points_rules(gap_seconds=0)), 34),
    ],
    ids=["pool deal", "points deal"],
)
def test_settlement_of_a_dropped_deal_and_dealing_the_next(make, count):
    table = make()
    deal = table.deals.get(no=1)
    move(table, fold_of(deal).state.to_act, "drop")

    assert statements_of(lambda: scoring.settle_deal(deal_id=deal.pk)) == count
    table.refresh_from_db()
    assert (table.deal_no, table.phase) == (2, "playing")
