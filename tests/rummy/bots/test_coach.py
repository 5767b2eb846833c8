"""The coach prices each discard of a finished deal, by what its player could see."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from rummy import (
    ALL_PROFILES,
    PROFILES,
    AnyDeal,
    Discard,
    History,
    Stream,
    bots,
    family_of,
    format_cards,
    parse_card,
    start,
)
from rummy.bots import coach
from rummy.notation.cards import CARDS
from rummy.thirteen import Deal
from tests.builders.cards.dealing import shuffled_secrets

FAMILIES = ["total-rummy-points", "straight"]


def with_other_secrets(deal: AnyDeal) -> AnyDeal:
    """The deal with what the first position cannot see in another order."""
    if isinstance(deal, Deal):
        return shuffled_secrets(deal, 1, random.Random(5))
    hidden = [*deal.stock, *deal.seats[1].hand]
    random.Random(5).shuffle(hidden)
    size = len(deal.seats[1].hand)
    seats = (deal.seats[0], replace(deal.seats[1], hand=tuple(hidden[:size])))
    return replace(deal, seats=seats, stock=tuple(hidden[size:]))


def played(name: str = "total-rummy-points", strength: bots.Strength = "greedy") -> History:
    """A deal of two bots to its end."""
    rules = ALL_PROFILES[name]
    deal: AnyDeal = start(rules, players=2, stream=Stream(bytes(32)))
    moves = []
    rng = random.Random(1)
    while deal.phase != "ended":
        legal = deal.legal_moves()
        at = legal[0].position
        legal = tuple(move for move in legal if move.position == at and move.action != "drop")
        move = bots.choose(deal.view(at), legal, rng, strength=strength)
        moves.append(move)
        deal = deal.apply(move)
    return History(rules, 2, bytes(32), moves=tuple(moves))


@pytest.mark.parametrize("name", FAMILIES)
def test_every_discard_of_the_seat_is_priced_and_none_of_others(name: str) -> None:
    history = played(name)

    said = list(coach.advice(history, 1))

    discards = [
        (ply, move.card)
        for ply, move in enumerate(history.moves, start=1)
        if isinstance(move, Discard) and move.position == 1
    ]
    assert [(each.ply, each.played) for each in said] == discards
    assert all(each.cost >= 0 and 0 < each.win < 1 for each in said)


@pytest.mark.parametrize("name", FAMILIES)
def test_the_strong_bots_own_discards_cost_nothing(name: str) -> None:
    history = played(name, "strong")
    said = [*coach.advice(history, 1), *coach.advice(history, 2)]

    assert said
    assert all(each.cost == 0 and each.is_good for each in said)


def test_a_joker_thrown_away_is_expensive() -> None:
    hand_kept = played()
    for before, move in zip(hand_kept, hand_kept.moves, strict=False):
        jokers = [card for card in before.seat(1).hand if card.is_joker(before.wild_rank)]
        if isinstance(move, Discard) and move.position == 1 and jokers:
            said = coach.of_discard(before, Discard(1, jokers[0]), ply=1)
            assert said.cost > 3
            assert not said.is_good
            return
    raise AssertionError("no joker in this deal")


@pytest.mark.parametrize("name", FAMILIES)
def test_the_coach_gives_the_same_advice_for_any_hidden_cards(name: str) -> None:
    history, compared = played(name), 0
    for before, move in zip(history, history.moves, strict=False):
        if isinstance(move, Discard) and move.position == 1:
            other = with_other_secrets(before)
            assert coach.of_discard(other, move, ply=3) == coach.of_discard(before, move, ply=3)
            compared += 1
    assert compared > 3


def test_a_card_that_waits_for_nothing_is_better_thrown_than_one_of_a_meld() -> None:
    hand, other, pile = "5H6H7H9C9DKD2S4CJSQSAC", "2C3C4D5D6S7C8STCJDQC", "7S"
    pack = format_cards(CARDS[:52]).split()
    stock = "".join(card for card in pack if card not in hand + other + pile)
    line = f"straight {stock} {pile} 1sAC:0:- 0 - - {hand}:active:-:0:0/{other}:active:-:0:0"
    deal = family_of(ALL_PROFILES["straight"]).parse_position(line)

    broken = coach.of_discard(deal, Discard(1, parse_card("6H")), ply=2)
    loose = coach.of_discard(deal, Discard(1, parse_card("KD")), ply=2)

    assert loose.is_good
    assert str(broken.best) == str(loose.best)
    assert broken.cost > 5
    assert broken.win < broken.win_best


def test_the_coach_reads_a_deal_that_was_called_off() -> None:
    history = replace(played(), moves=played().moves[:6])

    assert len(list(coach.advice(history, 1))) in {1, 2}
    assert history.rules == PROFILES["total-rummy-points"]
