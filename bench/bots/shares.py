"""What the first of two sides won in pairs of games, with 95 % intervals."""

from __future__ import annotations

import statistics
import sys
from collections.abc import Iterable, Sequence
from math import comb, sqrt
from typing import NamedTuple


class Pair(NamedTuple):
    """One shuffle played twice with seats swapped, as the first side sees it."""

    won: int
    """Deals won, or half the prizes of the pools, of 2."""
    gained: float
    """What its side took from the other: points, or entries."""
    taken: float
    """Return the points that a side won from the other side, less those it lost."""
    lost: float


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


def share_interval(pairs: Sequence[Pair]) -> tuple[float, float, float]:
    """Return the share of everything lost that the first side took: a ratio of two sums."""
    taken, lost = sum(pair.taken for pair in pairs), sum(pair.lost for pair in pairs)
    share, mean = taken / (taken + lost), (taken + lost) / len(pairs)
    off = [pair.taken - share * (pair.taken + pair.lost) for pair in pairs]
    half = 1.96 * statistics.stdev(off) / sqrt(len(pairs)) / mean
    return share, share - half, share + half


def report(kind: str, profile: str, one: str, other: str, pairs: Sequence[Pair]) -> None:
    wins, losses = (sum(pair.won == won for pair in pairs) for won in (2, 0))
    shares = [pair.won / 2 for pair in pairs]
    if kind == "pools":
        shares = [pair.taken / (pair.taken + pair.lost) for pair in pairs]
    rate, low, high = interval(shares)
    gap, gap_low, gap_high = interval(pair.gained for pair in pairs)
    net, net_low, net_high = share_interval(pairs)
    unit = "points a deal" if kind == "deals" else "entries a pool"
    print(f"\n{profile}: {one} against {other}, {2 * len(pairs)} {kind}")
    won = "deals won" if kind == "deals" else "prizes won"
    print(f"  {won:14} {rate:6.1%}   95 % from {low:.1%} to {high:.1%}")
    print(f"  {unit:14} {gap:+6.2f}   95 % from {gap_low:+.2f} to {gap_high:+.2f}")
    if kind == "deals":
        print(f"  of net points  {net:6.1%}   95 % from {net_low:.1%} to {net_high:.1%}")
        print(f"  sign test      {wins} pairs to {losses}, p = {p_value(wins, losses):.2g}")
    sys.stdout.flush()
