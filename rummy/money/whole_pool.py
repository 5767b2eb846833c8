"""A whole pool as a value: totals, rejoins, a split, and what everybody is paid (RB 7).

The clauses themselves are the functions of `pool`; this object keeps what they ask for.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from rummy.errors import RulesError
from rummy.money import pool
from rummy.money.payouts import equal_shares, prize
from rummy.money.pool import RejoinOffer, SplitOffer
from rummy.notation.rules import Rules

Ending = Literal["last_survivor", "nobody_left", "auto_split", "split", "cancelled"]


@dataclass(frozen=True, slots=True)
class PoolSeat:
    """One player of a pool: the total, how many entries they paid, whether they still play."""

    total: int = 0
    entries: int = 1
    is_out: bool = False
    has_left: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """A pool between two deals; every method returns the next one and changes nothing.

    Seats are numbered from 1 and keep their numbers. After a deal those who are out may rejoin
    until the next deal is scored, then the survivors may split.

    >>> from rummy import PROFILES
    >>> game = Pool.start(PROFILES["total-rummy-pool-101"], players=4, entry=100_00, bps=1000)
    >>> game = game.scored({1: 0, 2: 80, 3: 25, 4: 40}).scored({1: 10, 2: 30, 3: 0, 4: 20})
    >>> game.survivors, game.rejoin_offer(2).score
    ((1, 3, 4), 61)
    >>> game = game.rejoined(2).scored({1: 0, 2: 40, 3: 50, 4: 45})
    >>> game.totals, game.prize, game.split_offer().shares
    ((10, 101, 75, 105), 45000, (36000, 9000))
    >>> game.split().payouts
    {1: 36000, 3: 9000}
    """

    rules: Rules
    entry: int
    """What one entry costs, in minor units."""
    bps: int = 0
    """The rake of an entry, in basis points."""
    seats: tuple[PoolSeat, ...]
    deals: int = 0
    """How many deals have counted."""
    leader: int = 1
    """The seat that leads the next deal (RB 5.1)."""
    may_rejoin: tuple[int, ...] = ()
    """The seats that the last deal put out and that have not rejoined since."""
    offered: RejoinOffer | None = None
    """The offer to them, frozen when the deal was scored (RB 7.3)."""
    payouts: Mapping[int, int] | None = None
    """What each seat is paid, in minor units, once the pool is over."""
    ending: Ending | None = None

    @classmethod
    def start(cls, rules: Rules, *, players: int, entry: int, bps: int = 0) -> Pool:
        """Return a pool before its first deal, all entries paid.

        >>> from rummy import PROFILES
        >>> Pool.start(PROFILES["total-rummy-pool-101"], players=3, entry=100_00).prize
        30000
        """
        rules.refuse_players(players)
        pool.is_out(0, rules)  # Refuses rules of another game.
        prize(players, entry, bps)  # Refuses amounts that cannot be.
        return cls(rules=rules, entry=entry, bps=bps, seats=(PoolSeat(),) * players)

    @property
    def is_over(self) -> bool:
        return self.ending is not None

    @property
    def totals(self) -> tuple[int, ...]:
        """Everybody's total, seat 1 first, those who are out too."""
        return tuple(seat.total for seat in self.seats)

    @property
    def survivors(self) -> tuple[int, ...]:
        """The seats that still play, lowest number first."""
        return tuple(at for at, seat in enumerate(self.seats, start=1) if not seat.is_out)

    @property
    def entries(self) -> int:
        """How many entries were paid, rejoins counted."""
        return sum(seat.entries for seat in self.seats)

    @property
    def prize(self) -> int:
        """What is paid out, in minor units: all entries but their rake (RB 7.5)."""
        return prize(self.entries, self.entry, self.bps)

    @property
    def turn_order(self) -> tuple[int, ...]:
        """The survivors as they sit in the next deal, the leader first: position 1, 2, … (RB 5.1).

        >>> from rummy import PROFILES
        >>> game = Pool.start(PROFILES["total-rummy-pool-101"], players=3, entry=0)
        >>> game.turn_order, game.scored({1: 0, 2: 20, 3: 20}).turn_order
        ((1, 2, 3), (2, 3, 1))
        """
        return tuple(sorted(self.survivors, key=lambda seat: (seat < self.leader, seat)))

    def drops_left(self, seat: int) -> int:
        """Return how many first drops the seat's total survives (RB 7.2).

        >>> from rummy import PROFILES
        >>> Pool.start(PROFILES["total-rummy-pool-101"], players=3, entry=0).drops_left(2)
        5
        """
        return pool.drops_left(self._seat(seat).total, self.rules)

    def scored(self, points: Mapping[int, int], *, left: Collection[int] = ()) -> Pool:
        """Return the pool after a deal; `points` are by seat, `left` are those who got up (RB 7.9).

        >>> from rummy import PROFILES
        >>> game = Pool.start(PROFILES["total-rummy-pool-101"], players=2, entry=50_00)
        >>> over = game.scored({1: 0, 2: 60}).scored({1: 0, 2: 41})
        >>> over.ending, over.payouts
        ('last_survivor', {1: 10000})
        """
        self._refuse_over()
        if set(points) != set(self.survivors) or min(points.values()) < 0:
            raise RulesError("bad_points", f"points are those of the seats {self.survivors}")
        seats = list(self.seats)
        for seat, lost in points.items():
            total = seats[seat - 1].total + lost
            is_out = pool.is_out(total, self.rules) or seat in left
            seats[seat - 1] = replace(
                seats[seat - 1], total=total, is_out=is_out, has_left=seat in left
            )
        after = replace(self, seats=tuple(seats), deals=self.deals + 1, may_rejoin=(), offered=None)
        if not after.survivors:
            played = sorted(points)
            heirs = pool.heirs([self.seats[seat - 1].total for seat in played])
            return after._paid([played[place] for place in heirs], "nobody_left")
        after = replace(after, leader=after._after(self.turn_order[0]))
        out = [seat for seat in sorted(points) if seats[seat - 1].is_out and seat not in left]
        totals = [seats[seat - 1].total for seat in after.survivors]
        offer = pool.rejoin_offer(self.rules, totals, started=len(seats))
        if out and offer.allowed:
            return replace(after, may_rejoin=tuple(out), offered=offer)
        return after._decided()

    def rejoin_offer(self, seat: int) -> RejoinOffer:
        """Return whether the seat may rejoin now, and at which total (RB 7.3).

        >>> from rummy import PROFILES
        >>> game = Pool.start(PROFILES["total-rummy-pool-101"], players=3, entry=50_00)
        >>> game.rejoin_offer(1).why
        'not_asked'
        """
        rejoined = self._seat(seat).entries - 1
        if self.is_over or self.offered is None or seat not in self.may_rejoin:
            return RejoinOffer(False, None, "not_asked")
        if self.rules.max_rejoins is not None and rejoined >= self.rules.max_rejoins:
            return RejoinOffer(False, None, "rejoined_too_often")
        return self.offered

    def rejoined(self, seat: int) -> Pool:
        """Return the pool with the seat back, another entry paid, or raise `RulesError` (RB 7.3).

        >>> from rummy import PROFILES
        >>> game = Pool.start(PROFILES["total-rummy-pool-101"], players=3, entry=50_00)
        >>> game = game.scored({1: 0, 2: 80, 3: 30}).scored({1: 0, 2: 21, 3: 10}).rejoined(2)
        >>> game.totals, game.prize
        ((0, 41, 40), 20000)
        """
        offer = self.rejoin_offer(seat)
        if offer.score is None:
            raise RulesError(offer.why or "not_asked", f"seat {seat} may not rejoin: {offer.why}")
        back = PoolSeat(total=offer.score, entries=self._seat(seat).entries + 1)
        may_rejoin = tuple(other for other in self.may_rejoin if other != seat)
        return replace(self._with(seat, back), may_rejoin=may_rejoin)

    def split_offer(self) -> SplitOffer:
        """Return what a split would pay the survivors, in order of `survivors` (RB 7.4).

        >>> from rummy import PROFILES
        >>> Pool.start(PROFILES["total-rummy-pool-101"], players=3, entry=50_00).split_offer().why
        'wrong_number_of_players'
        """
        return pool.split_offer(
            self.rules,
            [self.seats[seat - 1].total for seat in self.survivors],
            started=len(self.seats),
            entries=self.entries,
            entry=self.entry,
            bps=self.bps,
        )

    def split(self) -> Pool:
        """Return the pool ended by a split that all survivors agreed to, or raise `RulesError`.

        >>> from rummy import PROFILES
        >>> Pool.start(PROFILES["total-rummy-pool-101"], players=3, entry=50_00).split()
        Traceback (most recent call last):
        ...
        rummy.errors.RulesError: no split: wrong_number_of_players
        """
        self._refuse_over()
        return self._split("split")

    def left(self, seat: int) -> Pool:
        """Return the pool after a survivor got up between two deals (RB 7.9).

        >>> from rummy import PROFILES
        >>> game = Pool.start(PROFILES["total-rummy-pool-101"], players=3, entry=50_00)
        >>> game.left(1).left(3).payouts
        {2: 15000}
        """
        self._refuse_over()
        if seat not in self.survivors:
            raise RulesError("not_in_pool", f"seat {seat} is out")
        after = self._with(seat, replace(self._seat(seat), is_out=True, has_left=True))
        return replace(after, leader=after._after(self.leader - 1))._decided()

    def cancelled(self) -> Pool:
        """Return the pool called off, its money shared among those who still play (RB 7.7).

        >>> from rummy import PROFILES
        >>> game = Pool.start(PROFILES["total-rummy-pool-101"], players=3, entry=50_00, bps=1000)
        >>> game.cancelled().payouts
        {1: 5000, 2: 5000, 3: 5000}
        """
        self._refuse_over()
        survivors = self.survivors
        if not self.deals:
            paid = {at: seat.entries * self.entry for at, seat in enumerate(self.seats, start=1)}
            return replace(self, payouts=paid, ending="cancelled")
        shares = pool.cancelled_shares(
            len(survivors),
            entries=self.entries,
            lost=self.entries - len(survivors),
            entry=self.entry,
            bps=self.bps,
        )
        paid = dict(zip(survivors, shares, strict=True))
        return replace(self, payouts=paid, ending="cancelled")

    def _seat(self, seat: int) -> PoolSeat:
        if not 1 <= seat <= len(self.seats):
            raise RulesError("no_such_seat", f"this pool has no seat {seat}")
        return self.seats[seat - 1]

    def _with(self, seat: int, changed: PoolSeat) -> Pool:
        return replace(self, seats=(*self.seats[: seat - 1], changed, *self.seats[seat:]))

    def _after(self, leader: int) -> int:
        """Return the next survivor behind the seat that led (RB 5.1)."""
        survivors = self.survivors
        return next((seat for seat in survivors if seat > leader), *survivors[:1])

    def _refuse_over(self) -> None:
        if self.is_over:
            raise RulesError("pool_over", f"the pool is over: {self.ending}")

    def _decided(self) -> Pool:
        """End the pool where one seat is left, or where the pot is split unasked."""
        if len(self.survivors) == 1:
            return self._paid(self.survivors, "last_survivor")
        return self._split("auto_split") if self.split_offer().auto else self

    def _paid(self, seats: Collection[int], ending: Ending) -> Pool:
        shares = equal_shares(self.prize, len(seats))
        return replace(self, payouts=dict(zip(seats, shares, strict=True)), ending=ending)

    def _split(self, ending: Ending) -> Pool:
        offer = self.split_offer()
        if offer.shares is None:
            raise RulesError(offer.why or "no_split", f"no split: {offer.why}")
        payouts = dict(zip(self.survivors, offer.shares, strict=True))
        return replace(self, payouts=payouts, ending=ending)
