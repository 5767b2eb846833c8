"""The chances of all seats to win a finished deal, by playing it to its end many times.

All hands are known, as they are in the replay, and the order of the stock is not: after each turn
the stock is shuffled again and bots play on, each by what its own seat sees. Nobody drops. The
result depends on the deal only, so it is computed once, by a worker, and never during a game.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from math import sqrt
from typing import Final

from django.core.cache import cache

import rummy
from core.tasks import enqueue
from players.accounts.models import User
from rummy.bots.choice import choose
from rummy.notation.cards import CARDS, Card
from tables.history.deal_file import history_of
from tables.models.deals import Deal

SAMPLES_MOST: Final = 100
"""The number of times that the deal is played on after a turn."""
SAMPLES_A_DEAL: Final = 2_000
"""The same for all turns of a deal together; a very long deal is played on less often a turn."""
SECONDS_MOST: Final = 60.0
"""Processor time after which a deal is given up; usual deals take 5 to 20 seconds."""
KEPT_SECONDS: Final = 90 * 24 * 60 * 60
WAIT_SECONDS: Final = 60
"""A deal is requested again after this time, if its message was lost."""
COPIES_MOST: Final = 12
"""No deck has more cards of one kind."""


@dataclass(frozen=True, slots=True)
class Chances:
    """Chances in percent by position, after the deal and after each turn; empty if given up."""

    plies: list[int]
    percent: list[list[int]]
    samples: int

    @property
    def error(self) -> int:
        """The largest half-width of a 95 % interval, in points of percent."""
        return round(98 / sqrt(self.samples))


def is_shown(deal: Deal) -> bool:
    """Return whether the game is over: figures about a deal would help in the next one."""
    return deal.table.is_over


def stored(deal: Deal) -> Chances | None:
    """Return the computed chances, or None if there are none yet."""
    kept = cache.get(_key(deal))
    return Chances(**kept) if kept else None


def request(deal: Deal, player: User) -> None:
    """Have a worker compute the chances: one deal at a time for each player, each deal once."""
    if not cache.add(f"chances-for:{player.pk}", deal.pk, WAIT_SECONDS):
        asked = Deal.objects.filter(pk=cache.get(f"chances-for:{player.pk}")).first()
        if asked is not None and stored(asked) is None:
            return
        cache.set(f"chances-for:{player.pk}", deal.pk, WAIT_SECONDS)
    if cache.add(f"chances-due:{deal.public_id}", 1, WAIT_SECONDS):
        enqueue("tables.compute_chances", deal.pk, expires=WAIT_SECONDS)


def compute(deal: Deal) -> None:
    """Compute and store the chances of a deal, unless they are stored or the game goes on."""
    if is_shown(deal) and stored(deal) is None:
        cache.set(_key(deal), asdict(chances_of(history_of(deal))), KEPT_SECONDS)


def _key(deal: Deal) -> str:
    return f"chances:{deal.public_id}"


def chances_of(history: rummy.History) -> Chances:
    """Return the chances after each turn of a deal; the same deal gives the same ones."""
    family, states = rummy.family_of(history.rules), list(history)
    plies = [
        ply
        for ply, state in enumerate(states)
        if ply == 0 or state.to_act != states[ply - 1].to_act or ply == len(states) - 1
    ]
    samples = max(1, min(SAMPLES_MOST, SAMPLES_A_DEAL // len(plies)))
    until = time.thread_time() + SECONDS_MOST
    percent = []
    for ply in plies:
        wins = [0] * history.players
        for winner in _winners(family, states[ply], samples):
            wins[winner - 1] += 1
            if time.thread_time() > until:
                return Chances([], [], samples)
        percent.append([round(100 * won / sum(wins)) for won in wins])
    return Chances(plies, percent, samples)


def _winners(family: rummy.AnyFamily, state: rummy.AnyDeal, samples: int) -> Iterator[int]:
    """Yield the winner of each of the samples; only one if the deal is already won."""
    if state.winner is not None:
        yield state.winner
        return
    for number in range(samples):
        # The same numbers after each turn, so that chances change only where cards do.
        rng = random.Random(number)  # noqa: S311  # Samples are to be repeated.
        places = {card: [rng.random() for _ in range(COPIES_MOST)] for card in CARDS}
        yield _played_out(family, replace(state, stock=_shuffled(state.stock, places)))


def _shuffled(stock: tuple[Card, ...], places: dict[Card, list[float]]) -> tuple[Card, ...]:
    """Return the cards by their places; equal cards take one place after the other."""
    left = {card: iter(listed) for card, listed in places.items()}
    return tuple(card for _, card in sorted((next(left[card]), card) for card in stock))


def _played_out(family: rummy.AnyFamily, state: rummy.AnyDeal) -> int:
    while state.winner is None:
        at = family.status(state).awaited
        legal = family.legal_moves(state, at)
        moves = tuple(move for move in legal if not isinstance(move, rummy.Drop))
        state = family.apply(state, choose(family.view(state, at), moves))
    return state.winner
