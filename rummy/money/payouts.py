"""Money in whole minor units: rake, prizes, shares that sum to the pot (RB 7.5, 8, 10.3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from rummy.errors import MoneyError

WHOLE_BPS: Final = 10_000


def _refuse_negative(**amounts: int) -> None:
    for name, amount in amounts.items():
        if isinstance(amount, bool) or not isinstance(amount, int):
            raise MoneyError("bad_amount", f"{name} is whole minor units, not {amount!r}")
        if amount < 0:
            raise MoneyError("negative_amount", f"{name} is {amount}, and money is not negative")


def rake(amount: int, bps: int) -> int:
    """Return the operator's rake, rounded down to whole minor units (RB 7.5).

    >>> rake(100_00, 1000), rake(65, 1200)
    (1000, 7)
    """
    _refuse_negative(amount=amount, bps=bps)
    if bps > WHOLE_BPS:
        raise MoneyError("bad_rate", f"a rake of {bps} basis points is more than the whole")
    return amount * bps // WHOLE_BPS


def net_entry(entry: int, bps: int) -> int:
    """Return the amount that one entry adds to the prize, in minor units (RB 7.5).

    >>> net_entry(100_00, 1000)
    9000
    """
    return entry - rake(entry, bps)


def prize(entries: int, entry: int, bps: int) -> int:
    """Return the prize of all entries, rejoins counted as entries (RB 7.5).

    >>> prize(7, 100_00, 1000)
    63000
    """
    _refuse_negative(entries=entries)
    return entries * net_entry(entry, bps)


def equal_shares(total: int, heads: int) -> tuple[int, ...]:
    """Return equal shares of a total; the first ones get one odd unit each.

    >>> equal_shares(154000, 3)
    (51334, 51333, 51333)
    """
    _refuse_negative(total=total)
    if heads < 1:
        raise MoneyError("nobody_to_pay", "there is no player to pay")
    each, odd = divmod(total, heads)
    return tuple(each + (place < odd) for place in range(heads))


def largest_remainder(total: int, weights: Sequence[int]) -> tuple[int, ...]:
    """Share a total by weights; the odd units go to the largest remainders, then the first.

    >>> largest_remainder(233730, [5000, 3000, 2000])
    (116865, 70119, 46746)
    >>> largest_remainder(100, [1, 1, 1])
    (34, 33, 33)
    """
    _refuse_negative(total=total, **{f"weight {n}": w for n, w in enumerate(weights, start=1)})
    whole = sum(weights)
    if not whole:
        raise MoneyError("nobody_to_pay", "weights that sum to nothing share nothing")
    shares = [total * weight // whole for weight in weights]
    by_remainder = sorted(
        range(len(weights)), key=lambda place: (-(total * weights[place] % whole), place)
    )
    for place in by_remainder[: total - sum(shares)]:
        shares[place] += 1
    return tuple(shares)


@dataclass(frozen=True, slots=True)
class PointsPayout:
    """Payout of a deal of points rummy, in minor units."""

    losses: tuple[int, ...]
    """The amount each position pays; 0 for the winner."""
    gross: int
    rake: int
    net: int


def points_payout(points: Sequence[int], *, value: int, bps: int) -> PointsPayout:
    """Return the payout of a deal of points rummy (RB 8.1); `points` has 0 for the winner.

    >>> payout = points_payout([0, 50, 30, 20, 20, 10], value=50, bps=1000)
    >>> payout.gross, payout.rake, payout.net
    (6500, 650, 5850)
    """
    _refuse_negative(value=value, **{f"points {n}": p for n, p in enumerate(points, start=1)})
    if 0 not in points:
        raise MoneyError("nobody_to_pay", "the winner's points are 0, and nobody has none")
    losses = tuple(lost * value for lost in points)
    gross = sum(losses)
    fee = rake(gross, bps)
    return PointsPayout(losses, gross, fee, gross - fee)


def points_hold(cap: int, value: int) -> int:
    """Return the amount held from every seat before a deal, its greatest possible loss (RB 8.1).

    >>> points_hold(80, 100)
    8000
    """
    _refuse_negative(cap=cap, value=value)
    return cap * value
