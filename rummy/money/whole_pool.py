"""A whole pool as an immutable value: totals, rejoins, splits and payouts (RB 7).

The functions of `pool` implement the clauses; this class holds their arguments.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from rummy.errors import RulesError
from rummy.money import pool
from rummy.money.payouts import equal_shares, prize
from rummy.money.pool import RejoinOffer, SplitOffer
from rummy.notation.rules import Rules
from rummy.notation.shuffle import turn_order

Ending = Literal["last_survivor", "nobody_left", "auto_split", "split", "cancelled"]


@dataclass(frozen=True, slots=True)
class PoolSeat:
    """A player of a pool: the total, the number of entries paid, and whether the player is active.

    A seat that leaves while others may rejoin has left at once and is out when the rejoins close.
    """

    total: int = 0
    entries: int = 1
    is_out: bool = False
    has_left: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """A pool between two deals; methods return a new pool and do not change this one.

    Seats are numbered from 1. After a deal the eliminated seats may rejoin. Once all have answered,
    or `rejoins_closed` is called, seats that left meanwhile are out, the pool may end, and the
    survivors may split (RB 7.3).

    >>> from rummy import PROFILES
    >>> game = Pool.start(PROFILES["total-rummy-pool-101"], players=4, entry=100_00, bps=1000)
    >>> game = game.scored({1: 0, 2: 80, 3: 25, 4: 40}).scored({1: 10, 2: 30, 3: 0, 4: 20})
    >>> game.survivors, game.rejoin_offer(2).score
    ((1, 3, 4), 61)
    >>> game = game.rejoined(2).scored({1: 0, 2: 40, 3: 50, 4: 45})
    >>> game = game.rejoins_closed()
    >>> game.totals, game.prize, game.split_offer().shares
    ((10, 101, 75, 105), 45000, (36000, 9000))
    >>> game.split().payouts
    {1: 36000, 3: 9000}
    """

    rules: Rules
    entry: int
    """The price of an entry, in minor units."""
    bps: int = 0
    """The rake of an entry, in basis points."""
    seats: tuple[PoolSeat, ...]
    deals: int = 0
    """The number of scored deals."""
    led: int = 0
    """The seat that led the last deal, 0 before the first."""
    before: Mapping[int, int] = field(default_factory=dict, hash=False)
    """The totals before the last deal, by seat, of those dealt in (RB 7.6)."""
    may_rejoin: tuple[int, ...] = ()
    """The seats eliminated in the last deal that have not answered the rejoin offer."""
    offered: RejoinOffer | None = None
    """The offer to them, fixed when the deal was scored; None once all have answered (RB 7.3)."""
    payouts: Mapping[int, int] | None = field(default=None, hash=False)
    """The payout of each seat in minor units, once the pool is over."""
    ending: Ending | None = None

    @classmethod
    def start(cls, rules: Rules, *, players: int, entry: int, bps: int = 0) -> Pool:
        """Return a pool before its first deal, all entries paid.

        >>> from rummy import PROFILES
        >>> Pool.start(PROFILES["total-rummy-pool-101"], players=3, entry=100_00).prize
        30000
        """
        rules.refuse_players(players)
        pool.is_out(0, rules)  # Raises for rules of another game.
        prize(players, entry, bps)  # Raises for invalid amounts.
        return cls(rules=rules, entry=entry, bps=bps, seats=(PoolSeat(),) * players)

    @property
    def is_over(self) -> bool:
        return self.ending is not None

    @property
    def totals(self) -> tuple[int, ...]:
        """The totals of all seats in order, including eliminated ones."""
        return tuple(seat.total for seat in self.seats)

    @property
    def survivors(self) -> tuple[int, ...]:
        """The active seats, lowest number first."""
        seats = enumerate(self.seats, start=1)
        return tuple(at for at, seat in seats if not (seat.is_out or seat.has_left))

    @property
    def entries(self) -> int:
        """The number of entries paid, including rejoins."""
        return sum(seat.entries for seat in self.seats)

    @property
    def prize(self) -> int:
        """The prize in minor units: all entries less their rake (RB 7.5)."""
        return prize(self.entries, self.entry, self.bps)

    @property
    def turn_order(self) -> tuple[int, ...]:
        """The survivors in the turn order of the next deal, the leader first (RB 5.1).

        >>> from rummy import PROFILES
        >>> game = Pool.start(PROFILES["total-rummy-pool-101"], players=3, entry=0)
        >>> game.turn_order, game.scored({1: 0, 2: 20, 3: 20}).turn_order
        ((1, 2, 3), (2, 3, 1))
        """
        return turn_order(self.survivors, led=self.led)

    @property
    def leader(self) -> int | None:
        """The seat that leads the next deal; None without survivors."""
        return next(iter(self.turn_order), None)

    def drops_left(self, seat: int) -> int:
        """Return the number of first drops that the seat's total survives (RB 7.2).

        >>> from rummy import PROFILES
        >>> Pool.start(PROFILES["total-rummy-pool-101"], players=3, entry=0).drops_left(2)
        5
        """
        return pool.drops_left(self._seat(seat).total, self.rules)

    def scored(self, points: Mapping[int, int], *, left: Collection[int] = ()) -> Pool:
        """Return the pool after a deal; `points` are by seat, `left` are seats that left (RB 7.9).

        Rejoins still open are closed first.

        >>> from rummy import PROFILES
        >>> game = Pool.start(PROFILES["total-rummy-pool-101"], players=2, entry=50_00)
        >>> over = game.scored({1: 0, 2: 60}).scored({1: 0, 2: 41})
        >>> over.ending, over.payouts
        ('last_survivor', {1: 10000})
        """
        game = self.rejoins_closed()
        game._refuse_over()
        if set(points) != set(game.survivors) or min(points.values()) < 0:
            raise RulesError("bad_points", f"points are those of the seats {game.survivors}")
        if not set(left) <= set(points):
            raise RulesError("not_in_pool", f"those who left are of the seats {game.survivors}")
        seats = list(game.seats)
        for at, lost in points.items():
            total, has_left = seats[at - 1].total + lost, at in left
            is_out = has_left or pool.is_out(total, self.rules)
            seats[at - 1] = replace(seats[at - 1], total=total, is_out=is_out, has_left=has_left)
        return replace(
            game,
            seats=tuple(seats),
            deals=game.deals + 1,
            led=game.turn_order[0],
            before={at: game.seats[at - 1].total for at in sorted(points)},
        )._asking()

    def rejoin_offer(self, seat: int) -> RejoinOffer:
        """Return the seat's rejoin offer: whether it may rejoin, and at which total (RB 7.3).

        >>> from rummy import PROFILES
        >>> game = Pool.start(PROFILES["total-rummy-pool-101"], players=3, entry=50_00)
        >>> game.rejoin_offer(1).why
        'not_asked'
        """
        place = self._seat(seat)
        most = self.rules.max_rejoins
        if self.offered is not None and seat in self.may_rejoin:
            return self.offered
        if place.is_out and not place.has_left and most is not None and place.entries > most:
            return RejoinOffer(False, None, "rejoined_too_often")
        return RejoinOffer(False, None, "not_asked")

    def rejoined(self, seat: int) -> Pool:
        """Return the pool after the seat paid another entry, or raise `RulesError` (RB 7.3).

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
        return self._answered(seat, back)

    def declined(self, seat: int) -> Pool:
        """Return the pool after the seat declined to rejoin, or raise `RulesError` (RB 7.3).

        >>> from rummy import PROFILES
        >>> game = Pool.start(PROFILES["total-rummy-pool-101"], players=3, entry=50_00)
        >>> game = game.scored({1: 0, 2: 80, 3: 30}).scored({1: 0, 2: 21, 3: 10})
        >>> game.declined(2).survivors, game.left(3).declined(2).payouts
        ((1, 3), {1: 15000})
        """
        if seat not in self.may_rejoin:
            raise RulesError("not_asked", f"seat {seat} is not asked whether it rejoins")
        return self._answered(seat, self._seat(seat))

    def rejoins_closed(self) -> Pool:
        """Return the pool after the rejoin window; seats without an answer decline (RB 7.3).

        Seats that left meanwhile are out, and the pool ends if one seat is left. Without an open
        offer the pool is returned unchanged.

        >>> from rummy import PROFILES
        >>> game = Pool.start(PROFILES["total-rummy-pool-101"], players=3, entry=50_00)
        >>> game = game.scored({1: 0, 2: 80, 3: 30}).scored({1: 0, 2: 21, 3: 10}).left(3)
        >>> game.is_over, game.rejoins_closed().ending
        (False, 'last_survivor')
        """
        if self.offered is None:
            return self
        seats = tuple(replace(seat, is_out=seat.is_out or seat.has_left) for seat in self.seats)
        return replace(self, seats=seats, may_rejoin=(), offered=None)._decided()

    def split_offer(self) -> SplitOffer:
        """Return the split offer, with shares in the order of `survivors` (RB 7.4).

        While seats may rejoin there is none: `why` is `rejoin_open` (RB 7.3).

        >>> from rummy import PROFILES
        >>> Pool.start(PROFILES["total-rummy-pool-101"], players=3, entry=50_00).split_offer().why
        'wrong_number_of_players'
        """
        if self.offered is not None:
            return SplitOffer(False, False, None, "rejoin_open")
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
        """Return the pool after a seat left between two deals (RB 7.9).

        While seats may rejoin, a survivor who leaves is out once the rejoins close, and an
        eliminated seat declines by leaving (RB 7.3).

        >>> from rummy import PROFILES
        >>> game = Pool.start(PROFILES["total-rummy-pool-101"], players=3, entry=50_00)
        >>> game.left(1).left(3).payouts
        {2: 15000}
        """
        self._refuse_over()
        if seat not in (*self.survivors, *self.may_rejoin):
            raise RulesError("not_in_pool", f"seat {seat} is out")
        place = replace(self._seat(seat), has_left=True)
        if self.offered is not None:
            return self._answered(seat, place)
        return self._with(seat, replace(place, is_out=True))._decided()

    def cancelled(self) -> Pool:
        """Return the cancelled pool, its money shared among the survivors (RB 7.7).

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
        if not survivors:
            sentence = "nobody is left: the pool ends once the rejoins are closed"
            raise RulesError("nobody_left", sentence)
        shares = pool.cancelled_shares(
            len(survivors),
            entries=self.entries,
            lost=self.entries - sum(not seat.is_out for seat in self.seats),
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

    def _asking(self) -> Pool:
        """Offer rejoins to the seats eliminated in the last deal; without any decide the pool."""
        totals = [self.seats[at - 1].total for at in self.survivors]
        asked = []
        for at in self.before:
            seat = self.seats[at - 1]
            if not seat.is_out or seat.has_left:
                continue
            started, rejoined = len(self.seats), seat.entries - 1
            offer = pool.rejoin_offer(self.rules, totals, started=started, rejoined=rejoined)
            if offer.allowed:
                asked.append((at, offer))
        if not asked:
            return self._decided()
        may_rejoin, offers = zip(*asked, strict=True)
        return replace(self, may_rejoin=may_rejoin, offered=offers[0])

    def _answered(self, seat: int, place: PoolSeat) -> Pool:
        """Return the pool with this seat's answer; the last answer closes the rejoins."""
        awaited = tuple(other for other in self.may_rejoin if other != seat)
        after = replace(self._with(seat, place), may_rejoin=awaited)
        return after if awaited else after.rejoins_closed()

    def _refuse_over(self) -> None:
        if self.is_over:
            raise RulesError("pool_over", f"the pool is over: {self.ending}")

    def _decided(self) -> Pool:
        """End the pool if at most one seat is left, or if the pot is split automatically."""
        if not self.survivors:
            dealt_in = list(self.before)
            successors = pool.successors([self.before[seat] for seat in dealt_in])
            return self._paid([dealt_in[place] for place in successors], "nobody_left")
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
