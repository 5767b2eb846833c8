"""The chances of winning over a replay: of games that are over, for those who may see the deal."""

import re

import pytest
from django.core.cache import cache
from django.urls import reverse

import rummy
from tables.history import chances, coaching
from tables.history.deal_file import history_of
from tables.tasks import compute_chances
from tests.builders.tables.deals import drop_out, take_turn
from tests.builders.tables.making import make_game, make_player
from tests.builders.tables.playing import reread

pytestmark = pytest.mark.django_db


@pytest.fixture
def deal(client, monkeypatch):
    """Return the first deal, with four turns, of a running game of the signed-in player."""
    monkeypatch.setattr(chances, "SAMPLES_MOST", 6)
    table = make_game(players=2)
    for _ in range(4):
        take_turn(table)
    deal = drop_out(table)
    client.force_login(deal.deal_seats.get(position=1).seat.player)
    return deal


@pytest.fixture
def sent(monkeypatch):
    """Return the list of deals that workers were asked for."""
    found = []
    monkeypatch.setattr(chances, "enqueue", lambda name, pk, expires: found.append((name, pk)))
    return found


def finish(deal):
    while not reread(deal.table).is_over:
        drop_out(reread(deal.table))
    deal.refresh_from_db()
    deal.table.refresh_from_db()


def chart(client, deal):
    return client.get(reverse("deal-chances", args=(deal.table.public_id, deal.no)))


def test_chart_is_requested_once_computed_by_a_worker_and_equal_each_time(client, deal, sent):
    finish(deal)

    waiting = [chart(client, deal).content.decode() for _ in range(2)]
    assert all('hx-trigger="load delay:2s"' in page for page in waiting)
    assert sent == [("tables.compute_chances", deal.pk)]

    compute_chances(deal.pk)
    page = chart(client, deal).content.decode()
    again = chances.chances_of(history_of(deal))
    assert chances.stored(deal) == again
    assert again.plies == [0, 2, 4, 6, 8, deal.moves.count()]
    assert [sum(percent) in range(99, 102) for percent in again.percent] == [True] * 6
    winner = rummy.family_of(history_of(deal).rules).outcome(list(history_of(deal))[-1]).winner
    assert again.percent[-1] == [100 * (position == winner) for position in (1, 2)]

    assert "hx-get" not in page
    assert f'data-plies="{" ".join(map(str, again.plies))}"' in page
    own = re.search(r'<polyline class="line of-1 own" data-percent="([\d ]+)"', page)
    assert own[1] == " ".join(str(percent[0]) for percent in again.percent)
    assert page in replay_page(client, deal)  # The replay has the stored chart at once.


def replay_page(client, deal):
    return client.get(reverse("deal", args=(deal.table.public_id, deal.no))).content.decode()


def test_a_game_in_play_has_no_chances_even_if_some_are_stored(client, deal, sent):
    assert coaching.coached_seat(deal, deal.deal_seats.get(position=1).seat.player)
    compute_chances(deal.pk)
    assert chances.stored(deal) is None

    cache.set(f"chances:{deal.public_id}", {"plies": [0], "percent": [[50, 50]], "samples": 1})
    assert chart(client, deal).status_code == 404
    assert 'id="chances"' not in replay_page(client, deal)
    assert sent == []


def test_only_those_who_may_see_the_deal_may_see_its_chances(client, deal, sent):
    finish(deal)
    for player, status in ((make_player(), 404), (make_player(is_superuser=True), 200)):
        client.force_login(player)
        assert chart(client, deal).status_code == status
    client.logout()
    assert chart(client, deal).status_code == 302
    assert len(sent) == 1


def test_a_player_has_one_deal_computed_at_a_time(client, deal, sent):
    finish(deal)
    second = deal.table.deals.get(no=2)

    for one in (deal, second):
        chart(client, one)
    assert [pk for _, pk in sent] == [deal.pk]

    compute_chances(deal.pk)
    chart(client, second)
    assert [pk for _, pk in sent] == [deal.pk, second.pk]


def test_a_deal_that_takes_too_long_is_given_up_for_good(client, deal, monkeypatch):
    finish(deal)
    monkeypatch.setattr(chances, "SECONDS_MOST", -1)

    compute_chances(deal.pk)

    assert chances.stored(deal).plies == []
    assert "too long to calculate" in chart(client, deal).content.decode()
