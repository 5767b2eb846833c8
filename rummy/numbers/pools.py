"""Whole pools played by bots: deals, rejoins, and split offers against what was won."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import partial
from typing import Final, NamedTuple

from rummy.bots.choice import Strength
from rummy.bots.stakes import shares
from rummy.money.pool import drops_left
from rummy.money.whole_pool import Pool
from rummy.notation.profiles import profile
from rummy.numbers.deals import deal_of, play
from rummy.numbers.table import Cell, Column, Observation, Table

ENTRY: Final = 10_000
REJOINS_MOST: Final = 2
"""The most rejoins of a seat, so that every pool ends."""
WHOLE: Final = 10_000


class Offer(NamedTuple):
    """The first split offer of a pool: the seats, lowest total first, and their shares."""

    seats: tuple[int, ...]
    shares: tuple[int, ...]
    """In basis points of the prize."""


class Rejoin(NamedTuple):
    """A rejoin offer of a pool: the survivors, the drops left after it, and whether it is taken."""

    seat: int
    survivors: int
    drops: int
    taken: bool


def played(
    name: str, players: int, strength: Strength, rng: random.Random
) -> tuple[Pool, Offer, list[Rejoin]]:
    """Play a pool without agreed splits; return it with its first split offer and all rejoins.

    >>> pool, _, rejoins = played("total-rummy-pool-61", 2, "greedy", random.Random(1))
    >>> pool.is_over, rejoins
    (True, [])
    """
    rules, rejoins = profile(name), list[Rejoin]()
    pool, offer = Pool.start(rules, players=players, entry=ENTRY), Offer((), ())
    while not pool.is_over:
        order = pool.turn_order
        totals = [pool.totals[seat - 1] for seat in order]
        deal = deal_of(rules, len(order), rng)
        outcome = play(deal, strength, rng, totals=totals).outcome
        points = {seat: outcome.points(at) for at, seat in enumerate(order, start=1)}
        pool = _rejoined(pool.scored(points), rejoins)
        offered = None if pool.is_over or offer.seats else pool.split_offer().shares
        if offered is not None:
            parts = dict(zip(pool.survivors, offered, strict=True))
            seats = tuple(sorted(parts, key=lambda seat: (pool.totals[seat - 1], seat)))
            offer = Offer(seats, tuple(WHOLE * parts[seat] // pool.prize for seat in seats))
    return pool, offer, rejoins


def _rejoined(pool: Pool, rejoins: list[Rejoin]) -> Pool:
    """Return the pool after all eliminated seats answered the rejoin offer, which are added."""
    totals = [pool.totals[seat - 1] for seat in pool.survivors]
    for seat in pool.may_rejoin:
        score = pool.rejoin_offer(seat).score
        if score is None or pool.seats[seat - 1].entries > REJOINS_MOST:
            pool = pool.declined(seat)
            continue
        # Not as the bots, which read this table.
        is_wanted = shares([*totals, score], pool.rules)[-1] * (pool.prize + ENTRY) > ENTRY
        rejoins.append(Rejoin(seat, len(totals), drops_left(score, pool.rules), is_wanted))
        pool = pool.rejoined(seat) if is_wanted else pool.declined(seat)
    return pool


def _observed(
    name: str, players: int, strength: Strength, rng: random.Random
) -> Iterator[Observation]:
    pool, offer, rejoins = played(name, players, strength, rng)
    paid = pool.payouts or {}
    yield (
        "pool",
        {
            "deals": pool.deals,
            "rejoins": pool.entries - players,
            "rejoined": pool.entries > players,
            "auto_split": pool.ending == "auto_split",
            "offered": bool(offer.seats),
            f"deals={pool.deals}": 1,
        },
    )
    for seat in range(1, players + 1):
        won = WHOLE * paid.get(seat, 0) // pool.prize
        yield f"seat {seat}", {"prize": won, "winner": won == WHOLE}
    for seat, survivors, drops, taken in rejoins:
        yield "rejoin offer", {"taken": taken}
        if taken:
            won = WHOLE * paid.get(seat, 0) // pool.prize
            values = {"prize": won, "returned": WHOLE * paid.get(seat, 0) // ENTRY}
            yield f"rejoined {survivors}, {drops} drops left", values
    for place, (seat, share) in enumerate(zip(offer.seats, offer.shares, strict=True), start=1):
        group = f"split of {len(offer.seats)}, total {place}"
        yield group, {"share": share, "prize": WHOLE * paid.get(seat, 0) // pool.prize}


GAMES: Final[tuple[tuple[str, int, Strength], ...]] = (
    *(("total-rummy-pool-101", players, "greedy") for players in (4, 2, 6, 3, 5)),
    *(("total-rummy-pool-61", players, "greedy") for players in (4, 2, 6, 3, 5)),
    *(("total-rummy-pool-201", players, "greedy") for players in (4, 2, 6, 3, 5)),
    ("vengala-pool-101", 4, "greedy"),
    ("total-rummy-pool-101", 4, "strong"),
)

TABLE: Final = Table(
    name="pools",
    about="Whole pools by equal bots that rejoin up to twice and agree to no split.",
    unit="a pool",
    cost=4000,
    batch=10,
    columns=(
        Column("deals", "mean", "deals of the pool"),
        Column("deals", "distribution", "pools with this number of deals"),
        Column("rejoins", "mean", "rejoins of all seats"),
        Column("rejoined", "share", "at least one seat rejoined"),
        Column("offered", "share", "a split was offered that seats had to agree to"),
        Column("auto_split", "share", "the pool ended with an automatic split"),
        Column("taken", "share", "the seat takes the offer"),
        Column("winner", "share", "the seat won the whole prize"),
        Column("share", "mean", "share of the prize in the first split offer, in 1/100 of a %"),
        Column("prize", "mean", "share of the prize paid in the end, in 1/100 of a %"),
        Column("returned", "mean", "what a rejoin brings, in 1/100 of a % of its price"),
    ),
    cells=tuple(
        Cell(f"{name}, {players} seats, {bot}", partial(_observed, name, players, bot))
        for name, players, bot in GAMES
    ),
)
