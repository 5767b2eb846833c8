"""Simulated people at points tables: honest ones with habits, and pairs that play together.

Every deal is played by the rules to its end, by what a position sees; those who cheat see their
partner's cards as well, as people on the telephone do. Nothing here knows how pairs are searched.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from rummy import PROFILES, Discard, Drop, Show, Stream, best_arrangement, thirteen
from rummy.bots import easy, greedy
from rummy.notation.cards import Card, by_cost
from rummy.notation.moves import Meld, Move
from rummy.solver.arrangement import Arrangement
from rummy.thirteen.deal import Deal
from rummy.thirteen.views import View

RULES: Final = PROFILES["total-rummy-points"]
Scheme = Literal["dump", "feed", "signal"]


@dataclass(frozen=True, slots=True)
class Person:
    """How a person plays: which hands they drop, how often, and how carefully they play."""

    key: int
    drops_from: int
    drops: float
    care: float
    # How they play if their partner is at the table, and the partner.
    scheme: Scheme | None = None
    partner: int = 0
    is_giver: bool = False
    # How often they cheat when they could; always would be conspicuous.
    zeal: float = 0.0


class Played(NamedTuple):
    """One deal: the seats, the moves, and the result and points of each position."""

    players: tuple[int, ...]
    moves: tuple[tuple[int, str], ...]
    results: tuple[tuple[str, int], ...]


class Sitting(NamedTuple):
    """Some deals of the same people at one table."""

    seed: str
    people: tuple[Person, ...]
    deals: int


def person(key: int, chance: random.Random) -> Person:
    """Return an honest person, tight or loose, careful or not."""
    return Person(
        key,
        drops_from=round(chance.gauss(90, 7)),
        drops=min(0.95, max(0.2, chance.gauss(0.7, 0.15))),
        care=min(1.0, max(0.5, chance.gauss(0.85, 0.12))),
    )


def play_sitting(sitting: Sitting) -> list[Played]:
    """Play all deals of a sitting; the seats move on by one from deal to deal (RB 5.1)."""
    people, played = list(sitting.people), []
    for number in range(sitting.deals):
        played.append(_play(people, f"{sitting.seed} {number}"))
        people = [*people[1:], people[0]]
    return played


def _play(people: Sequence[Person], seed: str) -> Played:
    stream = Stream(hashlib.sha256(seed.encode()).digest())
    chance = random.Random(seed)
    deal = thirteen.start(RULES, players=len(people), stream=stream)
    cheats = frozenset(one.key for one in people if chance.random() < one.zeal)
    moves = []
    while (status := thirteen.status(deal)).phase != "ended":
        position = status.to_act or min(status.waiting)
        move = _choose(deal, position, people, cheats, chance)
        deal = thirteen.apply(deal, move)
        moves.append((people[position - 1].key, str(move)))
    outcome = thirteen.outcome(deal)
    return Played(
        tuple(one.key for one in people),
        tuple(moves),
        tuple((result.how, result.points) for result in outcome.results) if outcome else (),
    )


def _choose(
    deal: Deal,
    position: int,
    people: Sequence[Person],
    cheats: frozenset[int],
    chance: random.Random,
) -> Move:
    me, view = people[position - 1], thirteen.view(deal, position)
    legal = thirteen.legal_moves(deal, position)
    if isinstance(legal[0], Meld):
        return greedy.choose(view, legal, chance)
    partner = next((at for at, one in enumerate(people, 1) if one.key == me.partner), None)
    if partner is not None and me.key in cheats and deal.seats[partner - 1].is_active:
        move = _together(deal, position, partner, me, legal)
        if move is not None:
            return move
    plain = [move for move in legal if not isinstance(move, Drop)]
    may_drop = len(plain) < len(legal) and not deal.seats[position - 1].has_drawn
    is_weak = may_drop and _points(view.hand, view) >= me.drops_from
    if is_weak and chance.random() < me.drops:
        return Drop(position)
    if me.scheme == "dump" and me.is_giver and me.key in cheats and partner is not None:
        plain = [move for move in plain if not isinstance(move, Show)] or plain
    choose = greedy.choose if chance.random() < me.care else easy.choose
    return choose(view, plain, chance)


def _together(
    deal: Deal, position: int, partner: int, me: Person, legal: Sequence[Move]
) -> Move | None:
    """Return a move that helps the partner, or None to play as usual."""
    view, theirs = thirteen.view(deal, position), thirteen.view(deal, partner)
    discards = [move for move in legal if isinstance(move, Discard)]
    match me.scheme:
        case "dump" if me.is_giver:
            if not discards:
                return legal[0]
            helps = [move for move in discards if greedy._wants(theirs, move.card)]
            if helps and _next(deal, position) == partner:
                return helps[0]
            # Discards the card of fewest points, so that the hand keeps the most.
            return max(discards, key=lambda move: by_cost(move.card))
        case "feed" if discards and _next(deal, position) == partner:
            wanted = [move for move in discards if _is_spare(move.card, view)]
            helps = [move for move in wanted if greedy._wants(theirs, move.card)]
            return helps[0] if helps else None
        case "signal" if any(isinstance(move, Drop) for move in legal):
            mine, other = _points(view.hand, view), _points(theirs.hand, theirs)
            if not deal.seats[position - 1].has_drawn and mine > max(other, 30):
                return Drop(position)
    return None


def _next(deal: Deal, position: int) -> int:
    seats = len(deal.seats)
    places = [(position - 1 + step) % seats + 1 for step in range(1, seats)]
    return next(at for at in places if deal.seats[at - 1].is_active)


def _is_spare(card: Card, view: View) -> bool:
    """Return whether a card can be discarded without breaking an own group."""
    return not card.is_joker(view.wild_rank) and card in _best(view.hand, view).deadwood


def _points(hand: Sequence[Card], view: View) -> int:
    return _best(hand, view).raw_points


def _best(hand: Sequence[Card], view: View) -> Arrangement:
    return best_arrangement(hand, wild=view.wild, rules=view.rules)
