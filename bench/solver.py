"""Measure the solver: `python -m bench.solver [--quick]`.

The solver arranges hands of several classes. In the same run two exhaustive solvers of the tests
arrange the first of these hands; the ratios can be compared between machines. `plain` is the plain
recursion, `early` the same recursion with early pruning, which is some thirty times as fast.
Times are processor time of this process. There are no limits, so no run fails.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from time import process_time

from rummy import PROFILES, Card, Rules, best_arrangement, straight
from rummy.notation.cards import wild_rank
from tests.builders.cards import early, reference
from tests.builders.cards.dealing import deal_of, random_play
from tests.builders.cards.hands import hand_of, rules_of
from tests.builders.cards.straight import straight_deal

Hands = list[tuple[list[Card], Card]]

POOL = PROFILES["total-rummy-pool-101"]
VENGALA = PROFILES["vengala-points"]
CLASSES = (
    ("random", "random", POOL, 40),
    ("late deal: runs, ranks and jokers", "late", POOL, 30),
    ("late deal, Vengala, three decks", "late", VENGALA, 20),
    ("one suit or two, two decks", "suits", POOL, 20),
    ("five ranks in all suits", "block", POOL, 20),
    ("two to ten jokers", "jokers", POOL, 10),
)
COLD = """
from time import process_time
from rummy import PROFILES, best_arrangement, parse_cards, Rank
hand = parse_cards("2S 3S 4S 5D 6D 7D 9C 9S 2H 4C 4H 4D AD")
started = process_time()
best_arrangement(hand, wild=Rank.TWO, rules=PROFILES["total-rummy-pool-101"])
print(f"{(process_time() - started) * 1000:.2f}")
"""
MEMORY = """
import random, sys
from pathlib import Path
from rummy import PROFILES, best_arrangement
from rummy.notation.cards import PRINTED_JOKER, pack
rng, rules = random.Random(1), PROFILES["total-rummy-pool-101"]
deck = [*pack() * 2, PRINTED_JOKER, PRINTED_JOKER]
for _ in range(int(sys.argv[1])):
    best_arrangement(rng.sample(deck, 13), wild=rng.choice(deck), rules=rules)
status = Path("/proc/self/status").read_text()  # Counted from exec on, unlike getrusage.
print(int(status.split("VmHWM:")[1].split()[0]) // 1024)
"""


def per_second(price: Callable[[list[Card], Card], object], hands: Hands) -> tuple[float, float]:
    """Return the hands per second, and the 99th percentile of one hand in milliseconds."""
    times = []
    for hand, wild in hands:
        started = process_time()
        price(hand, wild)
        times.append(process_time() - started)
    return len(hands) / sum(times), sorted(times)[int(0.99 * len(times))] * 1000


def bench_class(title: str, kind: str, rules: Rules, count: int, slow: int) -> None:
    rng = random.Random(f"bench {kind}")
    hands = [hand_of(kind, rng, rules) for _ in range(count)]
    reference_rules = rules_of(rules)

    fast, p99 = per_second(lambda h, w: best_arrangement(h, wild=w, rules=rules), hands)
    again, _ = per_second(lambda h, w: best_arrangement(h, wild=w, rules=rules), hands)
    few = [(h, w) for h, w in hands if sum(c.is_joker(wild_rank(w)) for c in h) <= 6][:slow]
    ours, _ = per_second(lambda h, w: best_arrangement(h, wild=w, rules=rules), few * 5)
    ratios = []
    for solver, share in ((reference, few[: max(1, slow // 8)]), (early, few)):
        rate, _ = per_second(
            lambda h, w, solve=solver.solve: solve(  # type: ignore[misc]
                [str(c) for c in h], str(wild_rank(w)), reference_rules
            ),
            share,
        )
        ratios.append(f"{rate:>6.1f} {ours / rate:>7,.0f}x")
    print(f"{title:36} {fast:>8,.0f} {again:>8,.0f} {p99:>7.2f} {'  '.join(ratios)}")


def bench_play(deals: int) -> None:
    started, moves = process_time(), 0
    for seed in range(deals):
        rng = random.Random(seed)
        moves += sum(1 for _ in random_play(deal_of(seed, players=2 + seed % 5), rng))
    took = process_time() - started
    print(f"random legal play: {deals / took:,.0f} deals/s, {moves / took:,.0f} moves/s")


def bench_straight(deals: int) -> None:
    """Play random deals of straight rummy; they take several hundred moves each."""
    started, moves = process_time(), 0
    for seed in range(deals):
        rng = random.Random(seed)
        deal = straight_deal(seed, players=2 + seed % 5)
        while deal.to_act is not None:
            deal = straight.apply(deal, rng.choice(straight.legal_moves(deal, deal.to_act)))
            moves += 1
    took = process_time() - started
    print(f"straight rummy, random: {deals / took:,.0f} deals/s, {moves / took:,.0f} moves/s")


def child(code: str, *words: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code, *words],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[1],
    )
    return done.stdout.strip()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer hands, mainly fewer slow ones")
    quick = parser.parse_args().quick
    count = 10_000 if quick else 20_000
    print(f"processor time of one process; {count:,} hands of each class, new and then repeated")
    print(
        f"{'hands/s, 13 cards':36} {'new':>8} {'repeated':>8} {'p99 ms':>7}"
        f" {'plain':>6} {'ratio':>8}  {'early':>6} {'ratio':>8}"
    )
    for title, kind, rules, slow in CLASSES:
        bench_class(title, kind, rules, count, slow // (4 if quick else 1))
    bench_play(100 if quick else 500)
    bench_straight(30 if quick else 200)
    print(f"first hand in a fresh process: {child(COLD)} ms")
    print(f"resident memory after {count:,} random hands: {child(MEMORY, str(count))} MB")


if __name__ == "__main__":
    main()
