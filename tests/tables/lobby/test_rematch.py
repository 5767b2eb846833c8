"""A rematch is open to the players of a game, on the same terms, after its end."""

from functools import partial

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from tables.exceptions import NoRematch
from tables.lobby.invitations import join_rematch
from tables.lobby.offers import lobby_rows
from tables.models.seats import Seat
from tables.models.tables import Table
from tables.models.templates import TableTemplate
from tables.seats import client_seeds, seating
from tables.state import clock
from tables.view.table_view import table_view
from tests.builders.tables.deals import hidden
from tests.builders.tables.making import make_player
from tests.builders.tables.offers import make_template
from tests.builders.tables.playing import at_once, reread
from tests.builders.tables.pools import make_rich_player, score, seat_no
from tests.builders.wallet.tax_office import unguarded
from wallet.audit.audit import row_findings

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("fresh_cache")]


def finished(players=2):
    """A game of a kind on offer, over."""
    template = make_template(seats_min=players, seats_max=players)
    clock.sweep(now=timezone.now())
    table = Table.objects.get(template=template)
    for _ in range(players):
        seating.join(table_id=table.pk, player=make_rich_player(1_000_00))
    return score(table, 0, *[101] * (players - 1))


def offer(table, number):
    return table_view(reread(table), seat_no(table, number).player).rematch


def test_rematch_is_open_only_to_players_of_the_game():
    table = finished()
    assert offer(table, 1) == offer(table, 2)
    assert (offer(table, 1).table, offer(table, 1).joined) == (None, [])
    assert table_view(table, make_player()).rematch is None

    first = join_rematch(seat_id=seat_no(table, 1).pk)
    assert first.table != table
    assert offer(table, 2).joined == [seat_no(table, 1).player.handle]
    assert offer(table, 2).table == first.table.public_id
    assert first.table.public_id not in [row.id for row in lobby_rows(make_player())]
    second = join_rematch(seat_id=seat_no(table, 2).pk)

    again = reread(second.table)
    assert second.table == first.table
    assert (again.phase, again.entry_minor) == (Table.Phase.PLAYING, table.entry_minor)
    assert again.profile == table.profile
    assert row_findings() == ()


def test_rematch_has_seats_for_players_present_at_the_end():
    table = finished(players=4)
    with unguarded():  # As if before the end: nobody leaves a game that is over.
        Seat.objects.filter(pk=seat_no(table, 4).pk).update(left_at=timezone.now())

    again = join_rematch(seat_id=seat_no(table, 1).pk).table

    assert (again.seats_min, again.seats_max) == (3, 3)


@pytest.mark.django_db(transaction=True)
def test_concurrent_rematch_requests_open_one_table():
    table = finished()
    seats = [seat_no(table, number).pk for number in (1, 2)]

    met = at_once([partial(join_rematch, seat_id=pk) for pk in seats])

    assert met[0].table_id == met[1].table_id
    assert Table.objects.filter(rematch_of=table).count() == 1


def test_rematch_is_refused_before_the_end_and_on_other_terms():
    template = make_template()
    clock.sweep(now=timezone.now())
    table = Table.objects.get(template=template)
    seats = [seating.join(table_id=table.pk, player=make_rich_player(1_000_00)) for _ in range(2)]
    with pytest.raises(NoRematch):
        join_rematch(seat_id=seats[0].pk)
    over = score(table, 0, 101)
    TableTemplate.objects.update(entry_minor=200_00)

    with pytest.raises(NoRematch):
        join_rematch(seat_id=seat_no(over, 1).pk)
    assert not Table.objects.filter(rematch_of=over).exists()


def test_rematch_api_seats_the_player_once():
    table = finished()
    client = APIClient()
    client.force_authenticate(seat_no(table, 1).player)
    address = f"/api/v1/tables/{table.public_id}/rematch/"

    answer = client.post(address)
    again = client.post(address)

    assert (answer.status_code, answer.json()["phase"]) == (201, "waiting")
    assert (again.status_code, again.json()["code"]) == (409, "already_seated")
    client.force_authenticate(make_player())
    assert client.post(address).status_code == 404


def test_last_player_of_a_rematch_commits_to_a_seed_with_the_seat():
    table, text = finished(), "mine"
    first, last = table.seats.select_related("player").order_by("pk")
    join_rematch(seat_id=first.pk)
    client = APIClient()
    client.force_authenticate(last.player)

    answer = client.post(
        f"/api/v1/tables/{table.public_id}/rematch/", {"client_seed": hidden(text)}, "json"
    )

    assert answer.json()["fairness"]["must_reveal"]
    again = Table.objects.get(rematch_of=table)
    client_seeds.give_client_seed(seat_id=again.seats.get(player=last.player).pk, text=text)
    assert again.deals.get().client_seeds.get().text == text
    assert reread(again).phase == Table.Phase.PLAYING
