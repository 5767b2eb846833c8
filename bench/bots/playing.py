"""Deals and whole pools between bots, each played twice with seats swapped."""

from __future__ import annotations

import hashlib
import random
import time
from collections.abc import Sequence

from bench.bots.shares import Pair
from rummy import (
    ALL_PROFILES,
    PROFILES,
    Pool,
    Rules,
    StraightRules,
    Stream,
    bots,
    family_of,
)
from rummy.bots import between

ENTRY = 100
DEALS_MOST = 200
REJOINS_MOST = 2
"""How often one seat may rejoin here, so that every pool ends."""


def play_deal(
    rules: Rules | StraightRules,
    seed: object,
    sides: Sequence[str],
    totals: Sequence[int] = (),
    times: list[float] | None = None,
) -> tuple[int, list[int]]:
    """Play one deal to its end; return who won and what each position scored."""
    family = family_of(rules)
    stream = Stream(hashlib.sha256(f"bench bots {seed}".encode()).digest())
    deal = family.start(rules, players=len(sides), stream=stream)
    rng = random.Random(str(seed))
    while (status := family.status(deal)).phase != "ended":
        position = status.awaited
        view, legal = family.view(deal, position), family.legal_moves(deal, position)
        began = time.process_time()
        move = bots.choose(view, legal, rng, strength=sides[position - 1], totals=totals)
        if times is not None:
            times.append(time.process_time() - began)
        deal = family.apply(deal, move)
    outcome = family.outcome(deal)
    return outcome.winner, [result.points for result in outcome.results]


def deal_pair(name: str, seed: int, one: str, other: str) -> Pair:
    """Play a deal of two players twice; the points are the loser's, in straight rummy those won."""
    rules = ALL_PROFILES[name]
    won, taken, lost = 0, 0, 0
    for own, sides in ((1, (one, other)), (2, (other, one))):
        winner, points = play_deal(rules, seed, sides)
        if isinstance(rules, StraightRules):
            points.reverse()
        won += winner == own
        taken += points[2 - own]
        lost += points[own - 1]
    return Pair(won, (taken - lost) / 2, taken, lost)


def play_pool(rules: Rules, seed: int, sides: Sequence[str]) -> Pool:
    """Play a pool to its payout, its rejoins and splits answered by the bots."""
    pool = Pool.start(rules, players=len(sides), entry=ENTRY)
    for number in range(DEALS_MOST):
        order = pool.turn_order
        _, points = play_deal(
            rules,
            f"{seed} {number}",
            [sides[seat - 1] for seat in order],
            [pool.totals[seat - 1] for seat in order],
        )
        pool = pool.scored(dict(zip(order, points, strict=True)))
        if not pool.is_over:
            pool = _between(pool, sides)
        if pool.is_over:
            return pool
    return pool.cancelled()


def _between(pool: Pool, sides: Sequence[str]) -> Pool:
    """Let those who are out rejoin, then the survivors split where all agree."""
    survivors = [pool.totals[seat - 1] for seat in pool.survivors]
    for seat in pool.may_rejoin:
        score = pool.rejoin_offer(seat).score
        if score is None or pool.seats[seat - 1].entries > REJOINS_MOST:
            continue
        if sides[seat - 1] != "strong" or between.rejoins(
            pool.rules, survivors, score=score, prize=pool.prize, entry=ENTRY, net=ENTRY
        ):
            if sides[seat - 1] != "strong" and pool.seats[seat - 1].entries > 1:
                continue  # Others rejoin once, as the site's bots did.
            pool = pool.rejoined(seat)
    offer, totals = pool.split_offer(), [pool.totals[seat - 1] for seat in pool.survivors]
    if offer.shares is None:
        return pool
    agreed = all(
        sides[seat - 1] != "strong"
        or between.splits(pool.rules, totals, own=at, offered=share, prize=pool.prize)
        for at, (seat, share) in enumerate(zip(pool.survivors, offer.shares, strict=True))
    )
    return pool.split() if agreed else pool


def pool_pair(name: str, seed: int, one: str, other: str, seats: int = 4) -> Pair:
    """Play a pool twice, the sides on every other seat, then swapped."""
    rules = PROFILES[name]
    share = gained = taken = lost = 0.0
    for flip in (0, 1):
        sides = [(one, other)[(seat + flip) % 2] for seat in range(seats)]
        pool = play_pool(rules, seed, sides)
        paid = pool.payouts or {}
        own = [seat for seat in range(1, seats + 1) if (seat - 1 + flip) % 2 == 0]
        prize = sum(paid.get(seat, 0) for seat in own)
        spent = sum(pool.seats[seat - 1].entries for seat in own) * ENTRY
        share += prize / pool.prize
        gained += (prize - spent) / ENTRY
        taken += prize
        lost += pool.prize - prize
    return Pair(round(share), gained / 2, taken, lost)
