"""Published statistics of the cards dealt (RB 12)."""

import pytest
from django.core.cache import cache
from django.urls import reverse

from tables.history.fairness import statistics
from tables.state.fold import fold_of
from tests.builders.tables.deals import drop_out
from tests.builders.tables.making import make_game, make_rules

pytestmark = pytest.mark.django_db


def test_statistics_count_the_cards_that_were_dealt(client):
    table = make_game(players=3, rules=make_rules(gap_seconds=0))
    deals = [drop_out(table), drop_out(table)]
    cache.delete("tables.fair.statistics")

    found = statistics.statistics()

    by_name = {place["name"]: place for place in found["places"]}
    assert found["deals"] == 2
    assert list(by_name) == ["p1", "p2", "p3", "up", "wild"]
    assert (by_name["p1"]["cards"], by_name["wild"]["cards"]) == (26, 2)
    hands = [fold_of(deal).state.seats[0].hand for deal in deals]
    assert by_name["p1"]["jokers"] == sum(str(card) == "PJ" for hand in hands for card in hand)
    assert by_name["p1"]["jokers_expected"] == pytest.approx(26 * 2 / 106)
    assert "tables_deal" in found["query"]
    page = client.get(reverse("dealt"))
    assert b"The latest 2 finished deals" in page.content
    assert deals[0].reveal.server_seed.encode() not in page.content


def test_an_installation_without_deals_has_a_page(client):
    cache.delete("tables.fair.statistics")

    assert client.get(reverse("dealt")).status_code == 200


def test_a_loaded_deck_is_noticed():
    fair = dict.fromkeys(statistics.KINDS, 100)
    loaded = statistics.Counter(fair | {"AS": 200})

    assert statistics.place_of("p1", statistics.Counter(fair), 0, 0)["chance"] > 0.99
    assert statistics.place_of("p1", loaded, 0, 0)["chance"] < 0.01
