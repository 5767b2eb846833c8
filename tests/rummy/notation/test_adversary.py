"""RB 12.1: the server and all other seats together do not predict or choose a deal.

An adversary who holds the server seed and every seat but one sees that seat's commitment, chooses
the other seeds after it, and names a card before the honest seed is revealed.
"""

from __future__ import annotations

import hashlib
import random
import sys
from collections.abc import Callable

import pytest

from rummy import Stream, format_cards
from rummy.notation.cards import pack

SEATS = 4
# Chance exceeds this in fewer than one of 100,000 runs.
DEVIATIONS = 4.5

Choose = Callable[[bytes, str, random.Random], list[str]]


def first_card(seed: bytes, texts: list[str]) -> str:
    (card, *_), _ = Stream(seed, texts).shuffled(pack())
    return format_cards([card])


def own_bytes(_seed: bytes, _commitment: str, rng: random.Random) -> list[str]:
    return [rng.randbytes(32).hex() for _ in range(SEATS - 1)]


def copied(_seed: bytes, commitment: str, _rng: random.Random) -> list[str]:
    """Give the honest seat's hash as seeds."""
    return [commitment] * (SEATS - 1)


def searched(seed: bytes, commitment: str, rng: random.Random) -> list[str]:
    """Search seeds that give the ace of spades if the honest seed were its own hash."""
    for _ in range(20):
        texts = own_bytes(seed, commitment, rng)
        if first_card(seed, [commitment, *texts]) == "AS":
            break
    return texts


def hits(choose: Choose, deals: int) -> int:
    """Return how often the named card was the first one."""
    rng, found = random.Random(choose.__name__), 0
    for _ in range(deals):
        honest = rng.randbytes(32).hex()
        seed = rng.randbytes(32)
        commitment = hashlib.sha256(honest.encode()).hexdigest()
        others = choose(seed, commitment, rng)
        named = first_card(seed, [commitment, *others])
        found += named == first_card(seed, [honest, *others])
    return found


@pytest.mark.extended
@pytest.mark.parametrize("choose", [own_bytes, copied, searched])
@pytest.mark.parametrize(
    "deals",
    [2_000, pytest.param(100_000, marks=[pytest.mark.soak, pytest.mark.timeout(3_600)])],
)
def test_adversary_predicts_no_better_than_chance(choose: Choose, deals: int) -> None:
    found, chance = hits(choose, deals), 1 / len(pack())

    deviation = (deals * chance * (1 - chance)) ** 0.5
    sys.stdout.write(f"\n{found:,} of {deals:,} named, {deals * chance:,.0f} by chance\n")
    assert abs(found - deals * chance) < DEVIATIONS * deviation


def test_adversary_who_may_see_the_seed_first_chooses_the_card() -> None:
    """The harness finds the fault it looks for: the last to speak gets the card asked for."""
    rng, seed, honest = random.Random(1), bytes(32), "ab" * 32

    texts = next(
        texts
        for texts in iter(lambda: own_bytes(seed, "", rng), None)
        if first_card(seed, [honest, *texts]) == "AS"
    )

    assert first_card(seed, [honest, *texts]) == "AS"
