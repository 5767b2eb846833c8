"""The coach of finished deals: only own discards, and not while the game can still pay money."""

from __future__ import annotations

import io
from zipfile import ZipFile

import pytest
from django.urls import reverse

import rummy
from rummy.bots import coach
from tables.history import archive, coaching
from tables.history.deal_file import history_of, history_text
from tests.builders.tables.deals import drop_out, take_turn
from tests.builders.tables.making import make_game, make_player
from tests.builders.tables.playing import reread, seat_at
from tests.builders.tables.points_tables import make_points_game
from tests.builders.tables.straight_tables import make_straight_game, win_by_waiting

pytestmark = pytest.mark.django_db


@pytest.fixture
def deal(client):
    """Return a finished deal of a running game, with two discards of the signed-in player."""
    table = make_game(players=2)
    for _ in range(4):
        take_turn(table)
    deal = drop_out(table)
    client.force_login(deal.deal_seats.get(position=1).seat.player)
    return deal


def replay_page(client, deal):
    return client.get(reverse("deal", args=(deal.table.public_id, deal.no)))


def marked(shown):
    """Return the steps beside which the page has a rating, with the better card if there is one."""
    return {
        row["move"].ply: None if row["said"].is_good else row["said"].best
        for row in shown.context["moves"]
        if row["said"]
    }


def test_own_discards_are_rated_in_the_list_of_moves(client, deal):
    shown = replay_page(client, deal)

    said = shown.context["coaching"].said
    assert [each.ply for each in said] == [2, 6]
    expected = list(coach.advice(history_of(deal), 1))
    assert [each.played for each in said] == [str(each.played) for each in expected]
    assert [each.cost for each in said] == [round(each.cost, 1) for each in expected]
    assert marked(shown) == {
        each.ply: None if each.is_good else str(each.best) for each in expected
    }
    page = shown.content.decode()
    assert page.count('<p class="coach-said">') == 2
    assert page.count("data-better=") == len([each for each in expected if not each.is_good])


@pytest.mark.extended
def test_ratings_are_cached_and_go_on_where_time_ran_out(client, deal, monkeypatch):
    place = deal.deal_seats.get(position=1)
    monkeypatch.setattr(coaching, "SECONDS_AT_MOST", 0)
    cut = replay_page(client, deal)
    assert list(marked(cut)) == [2]
    assert b"The coach ran out of time here." in cut.content

    whole = coaching.of_deal(deal, place)
    assert ([each.ply for each in whole.said], whole.is_cut) == ([2, 6], False)
    monkeypatch.setattr(coach, "of_discard", None)
    assert coaching.of_deal(deal, place) == whole


@pytest.mark.parametrize(("field", "value"), [("currency", "INR"), ("stake_mode", "chips")])
def test_running_games_for_money_and_of_tournaments_are_not_coached(deal, field, value):
    player = deal.deal_seats.get(position=1).seat.player
    assert coaching.coached_seat(deal, player)

    setattr(deal.table, field, value)  # These columns cannot be changed in the database.
    assert not deal.table.is_over
    assert coaching.coached_seat(deal, player) is None

    while not reread(deal.table).is_over:
        drop_out(reread(deal.table))
    deal.table = reread(deal.table)
    setattr(deal.table, field, value)
    assert coaching.coached_seat(deal, player)


@pytest.mark.parametrize("viewer", ["opponent", "staff"])
def test_others_see_no_ratings_of_a_players_discards(client, deal, viewer):
    opponent = deal.deal_seats.get(position=2).seat.player
    client.force_login(opponent if viewer == "opponent" else make_player(is_superuser=True))

    shown = replay_page(client, deal)

    assert set(marked(shown)) == ({4, 8} if viewer == "opponent" else set())


@pytest.mark.extended
def test_deal_of_straight_rummy_is_coached(client):
    table = make_straight_game(players=2)
    deal = table.deals.get()
    for _ in range(2):
        take_turn(table)
    win_by_waiting(table, 1)
    client.force_login(deal.deal_seats.get(position=1).seat.player)

    shown = replay_page(client, deal)

    expected = list(coach.advice(history_of(deal), 1))
    assert list(marked(shown)) == [each.ply for each in expected]
    assert expected[0].ply == 2


ARCHIVE = reverse("deals-archive")


def two_deals():
    """Return a table with two finished deals and a third one on."""
    table = make_game(players=3)
    for _ in range(2):
        drop_out(table)
        table = reread(table)
    return table


def files_of(client, **asked):
    answer = client.get(ARCHIVE, asked)
    assert (answer.status_code, answer["Content-Type"]) == (200, "application/zip")
    with ZipFile(io.BytesIO(b"".join(answer.streaming_content))) as sent:
        assert sent.testzip() is None
        return {name: sent.read(name).decode() for name in sent.namelist()}


def test_archive_has_a_history_file_for_each_finished_deal(client, monkeypatch):
    monkeypatch.setattr(archive, "READ_AT_ONCE", 1)
    table = two_deals()
    client.force_login(seat_at(table, 1).player)

    files = files_of(client)

    deals = table.deals.filter(no__in=(1, 2)).order_by("no")
    names = [f"rummy-{table.public_id}-{deal.no}.txt" for deal in deals]
    assert files == dict(zip(names, map(history_text, deals), strict=True))
    assert [rummy.history.loads(text).commitment for text in files.values()] == [
        deal.commitment for deal in deals
    ]
    page = client.get(reverse("history"), {"started_from": "2020-01-01"}).text
    assert f'href="{ARCHIVE}?started_from=2020-01-01"' in page


def test_archive_has_only_own_deals_matching_the_filters(client):
    table, points = two_deals(), make_points_game(players=3)
    drop_out(points)
    client.force_login(make_player())
    assert files_of(client) == {}
    client.force_login(seat_at(points, 1).player)
    assert len(files_of(client)) == 1

    client.force_login(seat_at(table, 1).player)
    assert files_of(client, started_to="2020-01-01") == {}
    assert len(files_of(client, variant="Pool 101")) == 2
    refused = client.get(ARCHIVE, {"started_from": "2026-02-02", "started_to": "2026-01-01"})
    assert (refused.status_code, refused.json()["code"]) == (400, "bad_parameter")


def test_archive_in_parts_has_links_to_each_part(client, monkeypatch):
    monkeypatch.setattr(archive, "DEALS_PER_PART", 1)
    table = two_deals()
    client.force_login(seat_at(table, 1).player)
    whole = [f"rummy-{table.public_id}-{no}.txt" for no in (1, 2)]

    first = client.get(ARCHIVE, {"variant": "Pool 101"})
    following = first["Link"].partition(">")[0].removeprefix("<http://testserver")
    second = client.get(following)
    page = client.get(reverse("history"), {"started_from": "2020-01-01"}).text

    assert following == f"{ARCHIVE}?variant=Pool+101&part=2"
    names = [ZipFile(io.BytesIO(answer.getvalue())).namelist() for answer in (first, second)]
    assert names == [whole[:1], whole[1:]]
    assert "Link" not in second
    assert second["Content-Disposition"] == 'attachment; filename="rummy-deals-2.zip"'
    assert client.get(ARCHIVE, {"part": 0}).status_code == 400
    for part in (1, 2):
        assert f'href="{ARCHIVE}?started_from=2020-01-01&amp;part={part}"' in page
    assert "part=3" not in page
