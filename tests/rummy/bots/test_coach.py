"""The coach: what discards cost, by what their seat could know, and no word about anything else."""

from __future__ import annotations

import random
from dataclasses import replace

from rummy import ALL_PROFILES, PROFILES, Discard, History, Stream, bots, parse_move, start
from rummy.bots import coach
from rummy.thirteen import Deal
from tests.builders.cards.dealing import shuffled_secrets


def played(name: str = "total-rummy-points", strength: bots.Strength = "greedy") -> History:
    """A deal of two bots to its end."""
    rules = ALL_PROFILES[name]
    deal, moves = start(rules, players=2, stream=Stream(bytes(32))), []
    rng = random.Random(1)
    while deal.phase != "ended":
        legal = deal.legal_moves()
        at = legal[0].position
        legal = tuple(move for move in legal if move.position == at and move.action != "drop")
        move = bots.choose(deal.view(at), legal, rng, strength=strength)
        moves.append(move)
        deal = deal.apply(move)
    return History(rules, 2, bytes(32), moves=tuple(moves))


def test_every_discard_of_the_seat_is_priced_and_none_of_others() -> None:
    history = played()

    said = list(coach.advice(history, 1))

    discards = [
        (ply, move.card)
        for ply, move in enumerate(history.moves, start=1)
        if isinstance(move, Discard) and move.position == 1
    ]
    assert [(each.ply, each.played) for each in said] == discards
    assert all(each.cost >= 0 and 0 < each.win < 1 for each in said)


def test_the_strong_bots_own_discards_cost_nothing() -> None:
    said = [
        *coach.advice(played(strength="strong"), 1),
        *coach.advice(played(strength="strong"), 2),
    ]

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


def test_the_coach_says_the_same_whatever_the_hidden_cards_were() -> None:
    history = played()
    for before, move in zip(history, history.moves, strict=False):
        if isinstance(move, Discard) and move.position == 1:
            assert isinstance(before, Deal)
            other = shuffled_secrets(before, 1, random.Random(5))
            assert coach.of_discard(other, move, ply=3) == coach.of_discard(before, move, ply=3)


def test_deals_of_straight_rummy_have_no_coach() -> None:
    rules = ALL_PROFILES["straight"]
    moves = tuple(map(parse_move, ("p1 ds",)))

    assert list(coach.advice(History(rules, 2, bytes(32), moves=moves), 1)) == []


def test_the_coach_reads_a_deal_that_was_called_off() -> None:
    history = replace(played(), moves=played().moves[:6])

    assert len(list(coach.advice(history, 1))) in {1, 2}
    assert history.rules == PROFILES["total-rummy-points"]
