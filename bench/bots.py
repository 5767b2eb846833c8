"""How the practice bots do against each other, each deal played twice with seats swapped.

    python -m bench.bots [--deals 500] [--moves]

Both seats get the same cards once, so luck weighs the same on both. A pair is won by whoever took
more of its two deals; pairs that part evenly say nothing, and the sign test leaves them out. Points
are what a deal cost, drops included. `--moves` prints how long a move takes instead.
"""

from __future__ import annotations

import argparse
import hashlib
import random
import statistics
import sys
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from math import comb, sqrt
from typing import NamedTuple

from rummy import ALL_PROFILES, Stream, bots, family_of

MATCHES = (("strong", "greedy"), ("greedy", "random"))
WORKERS = 2


class Pair(NamedTuple):
    """One shuffle played twice: deals won by the first of the two, and everybody's points."""

    won: int
    points: int
    others: int


def play(
    profile: str, seed: int, strengths: Sequence[str], times: list[float] | None = None
) -> tuple[int, list[int]]:
    """Play one deal to its end; return who won and what each position scored."""
    rules = ALL_PROFILES[profile]
    family = family_of(rules)
    stream = Stream(hashlib.sha256(f"bench bots {seed}".encode()).digest())
    deal = family.start(rules, players=len(strengths), stream=stream)
    rng = random.Random(seed)
    while (status := family.status(deal)).phase != "ended":
        position = status.to_act if status.phase == "playing" else min(status.waiting)
        view, legal = family.view(deal, position), family.legal_moves(deal, position)
        began = time.process_time()
        move = bots.choose(view, legal, rng, strength=strengths[position - 1])
        if times is not None:
            times.append(time.process_time() - began)
        deal = family.apply(deal, move)
    outcome = family.outcome(deal)
    return outcome.winner, [result.points for result in outcome.results]


def play_pair(profile: str, seed: int, one: str, other: str) -> Pair:
    (won, first), (lost, second) = (
        play(profile, seed, (one, other)),
        play(profile, seed, (other, one)),
    )
    return Pair((won == 1) + (lost == 2), first[0] + second[1], first[1] + second[0])


def p_value(wins: int, losses: int) -> float:
    """Return how likely even players part as unevenly as this, either way: the exact sign test."""
    decided, most = wins + losses, max(wins, losses)
    if not decided:
        return 1.0
    tail = sum(comb(decided, k) for k in range(most, decided + 1))
    return float(min(1.0, 2 * tail / 2**decided))


def interval(values: Iterable[float]) -> tuple[float, float, float]:
    """Return the mean of independent values and its 95 % confidence interval."""
    row = list(values)
    mean = statistics.fmean(row)
    half = 1.96 * statistics.stdev(row) / sqrt(len(row))
    return mean, mean - half, mean + half


def report(one: str, other: str, pairs: Sequence[Pair]) -> None:
    wins, losses = (sum(pair.won == won for pair in pairs) for won in (2, 0))
    rate, low, high = interval(pair.won / 2 for pair in pairs)
    gap, gap_low, gap_high = interval((pair.points - pair.others) / 2 for pair in pairs)
    deals = 2 * len(pairs)
    print(f"\n{one} against {other}: {deals} deals, {len(pairs)} shuffles with seats swapped")
    print(f"  deals won      {rate:6.1%}   95 % from {low:.1%} to {high:.1%}")
    print(f"  pairs          {wins} won, {losses} lost, {len(pairs) - wins - losses} even")
    print(f"  sign test      p = {p_value(wins, losses):.2g}")
    mine, theirs = (sum(points) / deals for points in list(zip(*pairs, strict=True))[1:])
    print(f"  points a deal  {mine:.1f} to {theirs:.1f}")
    print(f"  difference     {gap:+.1f}   95 % from {gap_low:+.1f} to {gap_high:+.1f}")


def match(profile: str, one: str, other: str, deals: int) -> list[Pair]:
    """Play the pairs on all workers, saying how far it is."""
    pairs = []
    seeds = range(deals // 2)
    with ProcessPoolExecutor(WORKERS) as workers:
        played = workers.map(
            play_pair,
            [profile] * len(seeds),
            seeds,
            [one] * len(seeds),
            [other] * len(seeds),
        )
        for pair in played:
            pairs.append(pair)
            if sys.stderr.isatty() or len(pairs) % 50 == 0:
                end = "\r" if sys.stderr.isatty() else "\n"
                print(f"{one}-{other}: {2 * len(pairs)} of {deals} deals", end=end, file=sys.stderr)
    return pairs


def time_moves(profile: str, deals: int) -> None:
    for strength in bots.STRENGTHS:
        times: list[float] = []
        for seed in range(deals):
            play(profile, seed, (strength,) * 4, times)
        times.sort()
        median, late = (1000 * times[int(share * len(times))] for share in (0.5, 0.99))
        print(f"{strength:<8} {len(times):6} moves  median {median:6.2f} ms  p99 {late:6.2f} ms")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--deals", type=int, default=500, help="deals a match, two a shuffle")
    parser.add_argument("--moves", action="store_true", help="time the moves at tables of four")
    parser.add_argument("--profile", choices=sorted(ALL_PROFILES), default="total-rummy-pool-101")
    options = parser.parse_args()
    if options.deals < 4 or options.deals % 2:
        parser.error("deals come in pairs, and two pairs are the least")
    if options.moves:
        time_moves(options.profile, max(4, options.deals // 25))
        return
    for one, other in MATCHES:
        report(one, other, match(options.profile, one, other, options.deals))


if __name__ == "__main__":
    main()
