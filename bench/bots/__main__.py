"""How the practice bots do against each other, in single deals and in whole pools of four.

    python -m bench.bots [--deals 200] [--pools 20] [--profile NAME ...] [--match one:other ...]
    python -m bench.bots --ratings 2000
    python -m bench.bots --moves

Every shuffle is played twice with seats swapped, so luck weighs the same on both. In a pool the
sides sit on every other seat. Printed are, with 95 % intervals over the pairs: deals won (in pools
the share of the prizes), what a deal or a pool brought (points, or entries), and the share of all
net points or prizes that the first of the two took. `--profile all` plays every profile of the
thirteen-card family, `--ratings` all pairs of the three bots heads-up, and puts them on Elo's
scale. `--moves` prints how long a move takes.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import combinations
from math import log10

from bench.bots.playing import deal_pair, play_deal, pool_pair
from bench.bots.shares import Pair, report
from rummy import ALL_PROFILES, PROFILES, Rules, bots

MATCHES = (("strong", "greedy"), ("greedy", "random"))
WORKERS = 2
ANCHOR = 1000
"""The rating of the random bot."""


def match(play: Callable[..., Pair], profile: str, one: str, other: str, games: int) -> list[Pair]:
    """Play the pairs on all workers."""
    seeds = range(games // 2)
    with ProcessPoolExecutor(WORKERS) as workers:
        names = ([name] * len(seeds) for name in (profile, one, other))
        profiles, ones, others = names
        return list(workers.map(play, profiles, seeds, ones, others))


def rate(profile: str, deals: int) -> None:
    """Print the ratings that the wins of all pairs make likeliest, the random bot's fixed."""
    each = deals // 3 // 2 * 2
    wins = {}
    for one, other in combinations(reversed(bots.STRENGTHS), 2):
        pairs = match(deal_pair, profile, one, other, each)
        report("deals", profile, one, other, pairs)
        wins[one, other] = sum(pair.won for pair in pairs)
        wins[other, one] = 2 * len(pairs) - wins[one, other]
    worth = dict.fromkeys(bots.STRENGTHS, 1.0)
    for _ in range(500):  # Zermelo's iteration for the model of Bradley and Terry.
        for bot in worth:
            others = [other for other in worth if other != bot]
            won = sum(wins[bot, other] for other in others)
            played = {other: wins[bot, other] + wins[other, bot] for other in others}
            met = sum(played[other] / (worth[bot] + worth[other]) for other in others)
            worth[bot] = max(won, 0.5) / met
    print(f"\nratings by {3 * each} deals, {profile}, random at {ANCHOR}:")
    for bot, value in worth.items():
        print(f"  {bot:8} {ANCHOR + 400 * log10(value / worth['random']):6.0f}")


def time_moves(profile: str, deals: int) -> None:
    for bot in bots.STRENGTHS:
        times: list[float] = []
        for seed in range(deals):
            play_deal(ALL_PROFILES[profile], seed, (bot,) * 4, times=times)
        times.sort()
        mean = 1000 * statistics.fmean(times)
        late = 1000 * times[int(0.99 * len(times))]
        print(f"{bot:<8} {len(times):6} moves  mean {mean:6.2f} ms  p99 {late:6.2f} ms")


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.bots", description=__doc__.splitlines()[0])
    parser.add_argument("--deals", type=int, default=200, help="deals a match, two a shuffle")
    parser.add_argument("--pools", type=int, default=20, help="pools of four a match, where played")
    parser.add_argument("--profile", nargs="+", default=["total-rummy-pool-101"])
    parser.add_argument("--match", nargs="+", default=[":".join(pair) for pair in MATCHES])
    parser.add_argument("--ratings", type=int, help="rate the three bots by so many deals instead")
    parser.add_argument("--moves", action="store_true", help="time the moves at tables of four")
    options = parser.parse_args()
    names = list(PROFILES) if options.profile == ["all"] else options.profile
    if unknown := set(names) - set(ALL_PROFILES):
        parser.error(f"no profile is called {', '.join(sorted(unknown))}")
    for profile in names:
        if options.moves:
            time_moves(profile, max(4, options.deals // 25))
        elif options.ratings:
            rate(profile, options.ratings)
        else:
            play_profile(profile, [pair.split(":") for pair in options.match], options)


def play_profile(
    profile: str, matches: Sequence[Sequence[str]], options: argparse.Namespace
) -> None:
    rules = ALL_PROFILES[profile]
    for one, other in matches:
        if options.deals >= 4:
            pairs = match(deal_pair, profile, one, other, options.deals)
            report("deals", profile, one, other, pairs)
        if options.pools >= 4 and isinstance(rules, Rules) and rules.limit is not None:
            pairs = match(pool_pair, profile, one, other, options.pools)
            report("pools", profile, one, other, pairs)


if __name__ == "__main__":
    main()
