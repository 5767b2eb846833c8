"""Time `rummy`'s public API: run by a tree's own interpreter, which finds that tree's library.

    PYTHONPATH=TREE python rules.py CASE AMOUNT

Prints JSON: how many pieces of work were done, the processor seconds they took, and a digest of
what was computed, which two trees have in common. It imports nothing but `rummy`, and
NumPy for its learning environment.
"""

from __future__ import annotations

import hashlib
import json
import random
import sys
from collections.abc import Callable, Iterator
from time import process_time
from typing import Any, Final

import rummy

POOL: Final = rummy.PROFILES["total-rummy-pool-101"]
RANKS: Final = "A23456789TJQK"
SUITS: Final = "CDHS"
PACK: Final = [rank + suit for suit in SUITS for rank in RANKS]
TWO_PACKS: Final = [*PACK * 2, "PJ", "PJ"]
MELDED: Final = 10
TOGETHER: Final = 256
PLIES: Final = 80
"""After so many moves of a deal of thirteen cards its players drop."""
DECLARATIONS: Final = (
    (("2H 3H 4H 5H", "5C 6C 7C 8C", "5D 5C PJ QH QS"), "Q"),
    (("QH QH QD", "2H 3H 4H 5H", "5C 6C 7C 8C", "9C"), "2"),
    (("5H 6H 7H", "9C TC JC PJ", "4D 4S 4H", "KD KS KC"), "3"),
)


def random_hand(dice: random.Random) -> list[str]:
    return dice.sample(TWO_PACKS, 13)


def late_hand(dice: random.Random) -> list[str]:
    """Return a hand as of late in a deal: runs and sets, their neighbours, a joker or two."""
    hand: list[str] = []
    while len(hand) < MELDED:
        if dice.random() < 0.6:
            first, suit = dice.randrange(10), dice.choice(SUITS)
            hand += [RANKS[first + step] + suit for step in range(dice.choice((2, 3, 4)))]
        else:
            hand += [dice.choice(RANKS) + suit for suit in dice.sample(SUITS, 3)]
    rest = TWO_PACKS.copy()
    kept = []
    for card in hand[:MELDED]:
        if card in rest:
            rest.remove(card)
            kept.append(card)
    return kept + dice.sample(rest, 13 - len(kept))


def arranged(make: Callable[[random.Random], list[str]], amount: int) -> Iterator[Any]:
    yield from _of_hands(_arranged_points, make, amount)


def _of_hands(
    points: Callable[..., int], make: Callable[[random.Random], list[str]], amount: int
) -> Iterator[Any]:
    dice = random.Random("bench against")
    hands = [
        (rummy.parse_cards(" ".join(make(dice))), rummy.parse_rank(dice.choice(RANKS)))
        for _ in range(amount)
    ]
    yield None  # What comes after is measured.
    for hand, wild in hands:
        yield points(hand, wild=wild, rules=POOL)


def checked(amount: int) -> Iterator[Any]:
    yield None
    for number in range(amount):
        groups, wild = DECLARATIONS[number % len(DECLARATIONS)]
        yield rummy.check_declaration(groups, wild=wild, rules=POOL).valid


def dealt(profile: str, amount: int) -> Iterator[Any]:
    """Play deals by moves drawn by chance beforehand; yield the number of legal ones in each.

    What is measured is the library alone: the deal, and for each move status, legal moves and
    effect.
    """
    rules = rummy.ALL_PROFILES[profile]
    family: Any = rummy.family_of(rules)
    games = [_played(rules, number) for number in range(amount)]
    yield None
    for number, moves in enumerate(games):
        deal = family.start(rules, players=2 + number % 3, stream=rummy.Stream(_seed(number)))
        legal = 0
        for move in moves:
            legal += len(family.legal_moves(deal, family.status(deal).awaited or 1))
            deal = family.apply(deal, move)
        yield legal


def scored(make: Callable[[random.Random], list[str]], amount: int) -> Iterator[Any]:
    """Yield the exact points of hands: by `hand_points`, or from the arrangement in older trees."""
    yield from _of_hands(getattr(rummy, "hand_points", _arranged_points), make, amount)


def _arranged_points(hand: Any, **options: Any) -> int:
    return rummy.best_arrangement(hand, **options).points


def replayed(amount: int) -> Iterator[Any]:
    """Read history files of deals, which computes every deal again."""
    texts = []
    for number in range(20):
        moves = tuple(_played(POOL, number))
        history = rummy.History(POOL, 2 + number % 3, _seed(number), moves=moves)
        texts.append(rummy.history.dumps(history))
    yield None
    for number in range(amount):
        yield len(rummy.history.loads(texts[number % len(texts)]).moves)


def _seed(number: int) -> bytes:
    return hashlib.sha256(f"bench against {number}".encode()).digest()


def _played(rules: Any, number: int) -> list[Any]:
    family, dice = rummy.family_of(rules), random.Random(number)
    deal = family.start(rules, players=2 + number % 3, stream=rummy.Stream(_seed(number)))
    moves: list[Any] = []
    while (status := family.status(deal)).phase != "ended":
        legal: list[Any] = list(family.legal_moves(deal, status.awaited or 1))
        if isinstance(rules, rummy.Rules):
            # By chance most deals would end at once, by a drop or a wrong show.
            drops = [move for move in legal if isinstance(move, rummy.Drop)]
            plain = [move for move in legal if not isinstance(move, rummy.Drop | rummy.Show)]
            legal = plain if len(moves) < PLIES and plain else drops or legal
        moves.append(dice.choice(legal))
        deal = family.apply(deal, moves[-1])
    return moves


def learned(amount: int) -> Iterator[Any]:
    """Yield for every 256 steps of learning agents that act by chance, without drops.

    A tree with `BatchEnv` plays 256 deals at once, another one deal after the other.
    """
    import numpy as np

    from rummy import learning

    dice = np.random.default_rng(1)

    def chosen(mask: Any) -> Any:
        """Return an offered action of each mask: a show if possible, never a drop."""
        weights = mask * (1 - dice.random(mask.shape, np.float32))
        weights[..., learning.DROP] = 0
        weights[..., learning.SHOW] *= 256
        return weights.argmax(axis=-1)

    if hasattr(learning, "BatchEnv"):
        batch = learning.BatchEnv(games=TOGETHER)
        seen = batch.reset(1)
        yield None
        for _ in range(amount):
            seen, _, _ = batch.step(chosen(seen["action_mask"]))
            yield TOGETHER
        return
    env = learning.DealEnv()
    env.reset(seed=1)
    yield None
    for _ in range(amount):
        for _ in range(TOGETHER):
            env.step(int(chosen(env.observe(env.agent_selection)["action_mask"])))
            if any(env.terminations.values()):
                env.reset()
        yield TOGETHER


CASES: Final[dict[str, Callable[[int], Iterator[Any]]]] = {
    "random-hands": lambda amount: arranged(random_hand, amount),
    "late-hands": lambda amount: arranged(late_hand, amount),
    "random-scores": lambda amount: scored(random_hand, amount),
    "late-scores": lambda amount: scored(late_hand, amount),
    "declarations": checked,
    "deals": lambda amount: dealt("total-rummy-pool-101", amount),
    "straight-deals": lambda amount: dealt("straight", amount),
    "replays": replayed,
    "learning": learned,
}


def main() -> None:
    case, amount = sys.argv[1], int(sys.argv[2])
    work = CASES[case](amount)
    next(work)
    began = process_time()
    results = list(work)
    seconds = process_time() - began
    digest = hashlib.sha256(repr(results).encode()).hexdigest()[:16]
    print(json.dumps({"done": len(results), "seconds": seconds, "digest": digest}))


if __name__ == "__main__":
    main()
