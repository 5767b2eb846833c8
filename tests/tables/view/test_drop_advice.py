"""The coach's sentence about a dealt hand at practice tables, from the measured numbers."""

from dataclasses import replace

import pytest
from django.utils import translation

import rummy
from rummy.numbers import lookup
from tables.view.drop_advice import drop_advice
from tests.builders.api import api_client
from tests.builders.tables.making import make_game
from tests.builders.tables.playing import move, seat_at

WEAK = "2H 5H 9H JH 3S 6S TS KS 2D 7D TD 4C 8C"
GOOD = "5H 6H 7H 9C TC JC PJ 4D 4S 4H KD QD 2C"


def dealt(profile, hand, **rules):
    """Return the view of the leader of two players with this hand; the wild card is 3D."""
    known = rummy.PROFILES[profile].with_(**rules)
    seen = rummy.start(known, players=2, stream=rummy.Stream(bytes(32))).view(1)
    wild = rummy.parse_card("3D")
    return replace(seen, hand=tuple(rummy.parse_cards(hand)), wild=wild, wild_rank=wild.rank)


@pytest.mark.parametrize(
    ("profile", "hand", "kind", "measure"),
    [
        ("total-rummy-pool-101", WEAK, (1, False, False), lookup.expected_cost),
        ("total-rummy-points", GOOD, (1, True, True), lookup.expected_net),
        ("vengala-pool-101", WEAK, (1, False, False), lookup.expected_cost),
    ],
)
def test_sentence_has_the_measured_mean_and_the_drop_of_the_rules(profile, hand, kind, measure):
    seen = dealt(profile, hand)
    jokers, pure, gate = kind

    found = measure(profile, players=2, position=1, points=0, jokers=jokers, pure=pure, gate=gate)

    price = seen.rules.first_drop
    text = f"cost {found.mean:.0f}" if measure is lookup.expected_cost else f"win {found.mean:.0f}"
    assert drop_advice(seen) == f"Hands like this {text} on average; dropping costs {price}."
    slower = dealt(profile, hand, name="own-name", turn_seconds=99)
    assert drop_advice(slower) == drop_advice(seen)
    with translation.override("hi"):
        assert f" {found.mean:.0f} " in drop_advice(seen)
        assert "Hands" not in drop_advice(seen)


def test_there_is_no_sentence_where_nothing_was_measured_or_no_first_drop_is_possible():
    seen = dealt("total-rummy-pool-101", WEAK)
    drawn = replace(seen.seats[0], has_drawn=True)
    others = {"name": "jokers", "printed_jokers_per_deck": 2}, {"drops_allowed": False}

    silent = [dealt("total-rummy-points", WEAK, **rules) for rules in others]
    silent += [replace(seen, position=None), replace(seen, seats=(drawn, *seen.seats[1:]))]

    assert [drop_advice(view) for view in (seen, *silent)] == [drop_advice(seen), "", "", "", ""]
    assert drop_advice(seen)


@pytest.mark.django_db
def test_a_practice_table_adds_the_sentence_until_the_first_draw():
    table = make_game(bots_fill=True)
    client = api_client(seat_at(table, 1).player)
    address = f"/api/v1/tables/{table.public_id}/arrangement/"

    dealt_hand = client.get(address).json()
    move(table, 1, "ds")

    assert "on average; dropping costs 20." in dealt_hand["advice"]
    assert client.get(address).json()["advice"] == ""
