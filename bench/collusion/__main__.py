"""How well the nightly search finds pairs that play together: precision and recall.

    python -m bench.collusion [--seeds 3] [--players 1000] [--pairs 20] [--households 50]

A population of simulated people plays, move by move, at points tables. Planted pairs dump chips,
feed each other cards, or tell each other their hands and let the weaker one drop; each in some of
the deals they share only. Households share a network and often a table, have habits of their own,
and play honestly. Everybody plays apart from their pair as well. What was played is written as the
product writes it, and the product's own search reads it. The goals are a precision of 0.95 and a
recall of 0.8, for each seed. Seeds are played from 1 on; `--first-seed` names others.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from typing import Final, get_args

from bench.collusion.people import Scheme, Sitting, person, play_sitting

PRECISION_WANTED, RECALL_WANTED = 0.95, 0.8
WORKERS: Final = 2
DEALS_A_SITTING: Final = 6
# Sittings of a pair or a household together, of each of them apart, and of anybody else.
TOGETHER, APART, ORDINARY = 14, 6, 3

Pair = tuple[int, int]


class Population:
    """The players of a seed, the colluding pairs and households, and the tables of each."""

    def __init__(self, seed: int, players: int, pairs: int, households: int) -> None:
        self.seed, self.chance = seed, random.Random(f"house {seed}")
        self.people = {key: person(key, self.chance) for key in range(1, players + 1)}
        keys = iter(self.chance.sample(sorted(self.people), 2 * (pairs + households)))
        self.planted: dict[Pair, Scheme] = {}
        for number in range(pairs):
            self._plant(next(keys), next(keys), get_args(Scheme)[number % 3])
        self.households = [_pair(next(keys), next(keys)) for _ in range(households)]
        linked = {key for pair in (*self.planted, *self.households) for key in pair}
        # Some who play together do so from one home, as households do.
        self.networks = [*self.households, *list(self.planted)[::2]]
        self.others = sorted(set(self.people) - linked)

    def _plant(self, one: int, other: int, scheme: Scheme) -> None:
        self.planted[_pair(one, other)] = scheme
        zeal = self.chance.uniform(0.7, 1.0)
        for key, partner, is_giver in ((one, other, True), (other, one, False)):
            self.people[key] = replace(
                self.people[key], scheme=scheme, partner=partner, is_giver=is_giver, zeal=zeal
            )

    def sittings(self) -> Iterator[Sitting]:
        """Yield who sits down together, two to five people at a table."""
        number = 0
        for pair in (*self.planted, *self.households):
            for _ in range(TOGETHER):
                number += 1
                yield self._sitting(number, [*pair, *self._some(self.chance.randint(1, 3))])
        alone = [key for key in self.people if key not in self.others] * APART
        alone += self.others * ORDINARY
        self.chance.shuffle(alone)
        while alone:
            number += 1
            here = {alone.pop() for _ in range(min(len(alone), self.chance.randint(2, 5)))}
            if len(here) == 1 or any(_pair(a, b) in self.planted for a in here for b in here):
                here = {min(here), *self._some(2)}
            yield self._sitting(number, sorted(here))

    def _some(self, number: int) -> list[int]:
        return self.chance.sample(self.others, number)

    def _sitting(self, number: int, keys: Iterable[int]) -> Sitting:
        people = [self.people[key] for key in keys]
        self.chance.shuffle(people)
        return Sitting(f"{self.seed} {number}", tuple(people), DEALS_A_SITTING)


def _pair(one: int, other: int) -> Pair:
    return min(one, other), max(one, other)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--players", type=int, default=1_000)
    parser.add_argument("--pairs", type=int, default=20)
    parser.add_argument("--households", type=int, default=50)
    options = parser.parse_args()
    from bench.collusion import books

    books.furnish()
    is_good = True
    for seed in range(options.first_seed, options.first_seed + options.seeds):
        population = Population(seed, options.players, options.pairs, options.households)
        began = time.monotonic()
        sittings = list(population.sittings())
        context = get_context("spawn")
        with ProcessPoolExecutor(WORKERS, mp_context=context) as workers:
            played = list(workers.map(play_sitting, sittings, chunksize=8))
        deals = sum(map(len, played))
        say(f"seed {seed}: {deals} deals of {len(sittings)} sittings, {_seconds(began)}")
        is_good &= report(population, books.search(population, sittings, played))
    return 0 if is_good else 1


def report(population: Population, found: set[Pair]) -> bool:
    """Print how many colluding pairs were found; return whether the goals are met."""
    right = found & set(population.planted)
    precision = len(right) / len(found) if found else 0.0
    recall = len(right) / len(population.planted)
    planted = Counter(population.planted.values())
    caught = Counter(population.planted[pair] for pair in right)
    schemes = ", ".join(f"{name} {caught[name]} of {planted[name]}" for name in planted)
    homes = len(found & set(population.households))
    say(
        f"  found {len(found)}: precision {precision:.2f} (wanted: {PRECISION_WANTED}), recall "
        f"{recall:.2f} (wanted: {RECALL_WANTED}); {schemes}; households {homes} of "
        f"{len(population.households)}"
    )
    return precision >= PRECISION_WANTED and recall >= RECALL_WANTED


def say(text: str) -> None:
    print(text, flush=True)


def _seconds(began: float) -> str:
    return f"{time.monotonic() - began:.0f} s"


if __name__ == "__main__":
    sys.exit(main())
