"""Moves and scores equal those of a plain implementation of the clauses."""

from __future__ import annotations

import random
from collections import Counter
from itertools import combinations

import pytest

from rummy import IllegalMove, format_cards
from rummy.notation.cards import pack
from rummy.notation.moves import Discard, Draw, LayOff, Leave, Meld, Move, TurnOver
from rummy.straight import Deal, apply, legal_moves, outcome
from tests.builders.cards.straight import random_move, random_rules, straight_deal
from tests.rummy.straight.reference import Table


def plain(move: Move) -> str:
    if isinstance(move, Meld):
        return "meld " + " ".join(sorted(map(str, move.groups[0])))
    return move.text


def opened(deal: Deal) -> Table:
    hands = [format_cards(seat.hand) for seat in deal.seats]
    stock, pile = format_cards(deal.stock), format_cards(deal.pile)
    return Table(deal.rules.to_dict(), hands, stock, pile)


def follow(table: Table, move: Move, after: Deal) -> None:
    if isinstance(move, Leave):
        table.leave(move.position)
    else:
        table.play(plain(move))
    if table.needs_refill():
        table.refill([str(card) for card in after.stock])


def agree(table: Table, deal: Deal) -> None:
    """Assert that both agree on the turn, the legal moves and the place of every card."""
    assert table.over == (deal.phase == "ended")
    assert {plain(move) for move in legal_moves(deal, deal.to_act or 1)} == table.legal()
    assert table.over or table.turn == deal.to_act
    assert [str(card) for card in deal.stock] == table.stock
    assert [str(card) for card in deal.pile] == table.pile
    for at, seat in enumerate(deal.seats, start=1):
        assert sorted(map(str, seat.hand)) == sorted(table.hands[at])
    for ours, theirs in zip(deal.melds, table.melds, strict=True):
        assert sorted(map(str, ours.cards)) == sorted(theirs)


def refuse_all_others(deal: Deal, rng: random.Random) -> None:
    """What is not among the legal moves is refused: cards held and not held, any three of them."""
    at = deal.to_act or 1
    legal = {plain(move) for move in legal_moves(deal, at)}
    cards = [*deal.seat(at).hand, rng.choice(pack())]
    tried: list[Move] = [Draw(at, "stock"), Draw(at, "open"), TurnOver(at)]
    tried += [Discard(at, card) for card in cards]
    tried += [LayOff(at, card, n + 1) for card in cards for n in range(len(deal.melds) + 1)]
    tried += [Meld(at, (tuple(rng.sample(pack(), 3)),)) for _ in range(3)]
    tried += [Meld(at, (three,)) for three in combinations(cards[-5:], 3)]
    for move in tried:
        if plain(move) not in legal:
            with pytest.raises(IllegalMove):
                apply(deal, move)
        else:
            apply(deal, move)


def compared(seed: int, positions: int) -> Counter[str]:
    """Play random deals over random house rules, both ways, for so many positions."""
    rng, seen = random.Random(seed), Counter[str]()
    while seen["positions"] < positions:
        rules = random_rules(rng)
        deal = straight_deal((seed, seen["deals"]), rules=rules, players=rng.randint(2, 6))
        table = opened(deal)
        seen["deals"] += 1
        for _ in range(160):
            agree(table, deal)
            refuse_all_others(deal, rng)
            seen["positions"] += 1
            if deal.phase == "ended":
                break
            move = random_move(deal, rng)
            seen[move.action] += 1
            deal = apply(deal, move)
            follow(table, move, deal)
        ended = outcome(deal)
        if ended is not None:
            assert [result.points for result in ended.results] == table.points()
            assert (ended.winner, ended.ending) == (table.winner, table.why)
            assert ended.is_rummy == (table.why == "out" and table.rummy)
            seen[f"{ended.ending}{' rummy' if ended.is_rummy else ''}"] += 1
    return seen


RARE = ("turn", "miss", "leave", "out", "out rummy", "exhausted", "too_long", "last_standing")


def test_the_reference_agrees_on_random_positions() -> None:
    seen = compared(seed=2, positions=10_000)

    assert min(seen[action] for action in ("ds", "do", "meld", "lay", "x")) > 100
    assert min(seen[rare] for rare in RARE) > 2, f"something was hardly tried: {seen}"
