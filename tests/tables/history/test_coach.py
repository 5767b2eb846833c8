"""The coach of finished deals: only own discards, and not while the game can still pay money."""

from __future__ import annotations

import pytest
from django.core.cache import cache
from django.urls import reverse

from rummy.bots import coach
from tables.history import coaching
from tables.history.deal_file import history_of
from tests.builders.tables.deals import drop_out, take_turn
from tests.builders.tables.making import make_game, make_player
from tests.builders.tables.playing import reread
from tests.builders.tables.straight_tables import make_straight_game, win_by_waiting

pytestmark = pytest.mark.django_db
SENTENCE = "Coach:"


def sign_in(client, player):
    client.force_login(player, backend="allauth.account.auth_backends.AuthenticationBackend")


@pytest.fixture
def deal(client):
    """Return a finished deal of a running game, with two discards of the signed-in player."""
    table = make_game(players=2)
    for _ in range(4):
        take_turn(table)
    deal = drop_out(table)
    sign_in(client, deal.deal_seats.get(position=1).seat.player)
    return deal


def coach_page(client, deal):
    return client.get(reverse("coach", args=(deal.table.public_id, deal.no)))


def step(client, deal, ply):
    return client.get(reverse("replay", args=(deal.table.public_id, deal.no, ply))).content.decode()


def test_own_discards_are_rated_beside_better_ones(client, deal):
    shown = coach_page(client, deal)

    said = shown.context["coaching"].said
    assert [each.ply for each in said] == [2, 6]
    expected = list(coach.advice(history_of(deal), 1))
    assert [each.played for each in said] == [str(each.played) for each in expected]
    assert [each.cost for each in said] == [round(each.cost, 1) for each in expected]
    assert shown.content.decode().count(SENTENCE) == 2


@pytest.mark.extended
def test_step_comments_on_own_discards_only(client, deal):
    assert SENTENCE in step(client, deal, 2)
    for ply in (0, 1, 3, 4):  # A draw, and the other player's turn.
        assert SENTENCE not in step(client, deal, ply)


@pytest.mark.extended
def test_comments_are_cached_and_cut_when_time_runs_out(client, deal, monkeypatch):
    place = deal.deal_seats.get(position=1)
    monkeypatch.setattr(coaching, "SECONDS_AT_MOST", 0)
    cut = coach_page(client, deal).context["coaching"]
    assert (len(cut.said), cut.is_cut) == (1, True)
    assert cache.get(f"coach:{deal.public_id}:1") is None

    monkeypatch.undo()
    whole = coaching.of_deal(deal, place)
    assert (len(whole.said), whole.is_cut) == (2, False)
    monkeypatch.setattr(coaching, "SECONDS_AT_MOST", 0)
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


def test_coach_is_not_found_for_others(client, deal):
    sign_in(client, make_player())

    assert coach_page(client, deal).status_code == 404


@pytest.mark.extended
def test_deal_of_straight_rummy_is_coached(client):
    table = make_straight_game(players=2)
    deal = table.deals.get()
    for _ in range(2):
        take_turn(table)
    win_by_waiting(table, 1)
    sign_in(client, deal.deal_seats.get(position=1).seat.player)

    said = coach_page(client, deal).context["coaching"].said

    expected = list(coach.advice(history_of(deal), 1))
    assert [each.ply for each in said] == [each.ply for each in expected]
    assert expected[0].ply == 2
    assert SENTENCE in step(client, deal, 2)
    assert SENTENCE not in step(client, deal, 4)
