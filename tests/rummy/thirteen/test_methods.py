"""The methods of deals and views call the functions of their family."""

from __future__ import annotations

import random

import pytest

import rummy
from rummy import ALL_PROFILES, PROFILES, IllegalMove, Stream, family_of, parse_move
from rummy.thirteen import Deal, legal_moves, view
from tests.builders.cards.dealing import deal_of, random_play


@pytest.mark.parametrize("name", sorted(ALL_PROFILES))
def test_a_deal_is_played_by_its_methods_alone(name: str) -> None:
    rules, rng = ALL_PROFILES[name], random.Random(name)
    family = family_of(rules)
    deal = rummy.start(rules, players=2, stream=Stream(bytes(32)))

    for _ in range(40):
        if deal.phase == "ended":
            break
        moves = deal.legal_moves()
        position = moves[0].position
        assert moves == family.legal_moves(deal, position)
        assert deal.view(position) == family.view(deal, position)
        deal = deal.apply(str(rng.choice([move for move in moves if move.action != "drop"])))

    assert deal.outcome() == family.outcome(deal)
    assert deal.view(None) == family.public_view(deal)
    assert type(deal) is type(rummy.start(rules, players=2, stream=Stream(bytes(32))))


def test_moves_as_text_are_refused_as_moves_are() -> None:
    deal = deal_of(1, players=3)

    with pytest.raises(IllegalMove, match="turn of position 1"):
        deal.apply("p2 ds")
    assert deal.apply("p1 ds") == deal.apply(parse_move("p1 ds"))
    assert isinstance(deal.apply("p1 ds"), Deal)


@pytest.mark.parametrize("name", sorted(PROFILES))
def test_a_view_has_the_legal_moves_of_its_position(name: str) -> None:
    for seed in range(4):
        deals = random_play(deal_of(seed, rules=PROFILES[name], players=2), random.Random(seed))
        for _, deal in deals:
            for position in (1, 2):
                assert view(deal, position).legal_moves() == legal_moves(deal, position)
        assert deal.view(None).legal_moves() == ()


def test_a_printed_view_shows_no_card_of_others() -> None:
    deal = deal_of(3, players=2)
    shown = str(deal.view(1))
    hidden = str(deal.view(None))

    assert rummy.format_cards(sorted(deal.seat(1).hand)) in shown
    assert rummy.format_cards(sorted(deal.seat(2).hand)) not in shown
    assert rummy.format_cards(sorted(deal.seat(1).hand)) not in hidden
    assert str(deal).count("\n") == 3
