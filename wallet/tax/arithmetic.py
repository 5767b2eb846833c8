"""Arithmetic of Indian taxes on cash (RB 11.4, 11.5), in whole paise.

Rates by date are data (`wallet.tax.models.TaxRate`), never constants here.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from datetime import date

from wallet.ledger.money import BASIS_POINTS

YEAR_STARTS_IN = 4  # April.


def financial_year(day: date) -> int:
    """Return the year in which the Indian financial year of a day begins.

    >>> [financial_year(date(2026, 3, 31)), financial_year(date(2026, 4, 1))]
    [2025, 2026]
    """
    return day.year if day.month >= YEAR_STARTS_IN else day.year - 1


def first_day(year: int) -> date:
    return date(year, YEAR_STARTS_IN, 1)


def last_day(year: int) -> date:
    return date(year + 1, YEAR_STARTS_IN - 1, 31)


def quarter(day: date) -> int:
    """Return the quarter of the financial year, from 1 on.

    >>> [quarter(date(2026, 3, 31)), quarter(date(2026, 4, 1))]
    [4, 1]
    """
    return (day.month - YEAR_STARTS_IN) % 12 // 3 + 1


def year_name(year: int) -> str:
    """Return the name of a financial year.

    >>> year_name(2025)
    '2025-26'
    """
    return f"{year}-{(year + 1) % 100:02}"


def half_up(amount_minor: int, bps: int) -> int:
    """Return a share of a non-negative amount, rounded half up.

    >>> [half_up(1, 5_000), half_up(1, 4_999), half_up(4000_00, 3_000)]
    [1, 0, 120000]
    """
    return (amount_minor * bps + BASIS_POINTS // 2) // BASIS_POINTS


@dataclass(frozen=True)
class Figures:
    """A player's financial year by the letters of the rule (RB 11.4), in minor units."""

    withdrawn: int  # A, including the requested withdrawal.
    deposited: int  # B, own deposits.
    opening: int  # C
    taxed: int  # E, net winnings already taxed.
    closing: int = 0  # D, only when the year is over.

    @property
    def net(self) -> int:
        """Return the net winnings to be taxed now.

        >>> Figures(withdrawn=41000_00, deposited=34000_00, opening=1000_00, taxed=2000_00).net
        400000
        """
        return max(0, self.withdrawn + self.closing - (self.deposited + self.opening + self.taxed))


@dataclass(frozen=True)
class TaxParts:
    """A tax by its components, in minor units."""

    income_tax: int
    surcharge: int
    cess: int

    @property
    def total(self) -> int:
        return self.income_tax + self.surcharge + self.cess


@dataclass(frozen=True)
class Rate:
    """A tax rate in basis points, with the surcharge on the tax and the cess on both."""

    bps: int
    surcharge_bps: int = 0
    cess_bps: int = 0

    def of(self, amount: int) -> TaxParts:
        """Return the tax on an amount, each component rounded half up.

        >>> Rate(3_000).of(1000_00).total
        30000
        >>> Rate(3_000, surcharge_bps=1_000, cess_bps=400).of(1000_00)
        TaxParts(income_tax=30000, surcharge=3000, cess=1320)
        """
        income_tax = half_up(amount, self.bps)
        surcharge = half_up(income_tax, self.surcharge_bps)
        return TaxParts(income_tax, surcharge, half_up(income_tax + surcharge, self.cess_bps))


def coverable(net: int, rate: Rate, available: int) -> int:
    """Return how much of the net winnings can be taxed with the available money.

    >>> coverable(1000_00, Rate(3_000), 300_00)
    100000
    >>> taxed = coverable(1000_00, Rate(3_000), 100_00)
    >>> taxed, half_up(taxed, 3_000), half_up(taxed + 1, 3_000)
    (33334, 10000, 10001)
    """
    # The highest amount whose rounded tax is available.
    return bisect_right(range(net + 1), available, key=lambda part: rate.of(part).total) - 1


@dataclass(frozen=True)
class DepositSum:
    """The sum a player pays, the sum credited, and the tax between them."""

    paid: int
    credited: int
    tax: int


def added_to(credited: int, bps: int) -> DepositSum:
    """Add the tax on top of the credited sum (RB 11.5, exclusive).

    >>> added_to(100_00, 4_000)
    DepositSum(paid=14000, credited=10000, tax=4000)
    """
    tax = half_up(credited, bps)
    return DepositSum(paid=credited + tax, credited=credited, tax=tax)


def taken_out_of(paid: int, bps: int) -> DepositSum:
    """Take the tax out of the paid sum (RB 11.5, inclusive); the odd paisa is tax.

    >>> taken_out_of(100_00, 2_800)
    DepositSum(paid=10000, credited=7812, tax=2188)
    """
    credited = paid * BASIS_POINTS // (BASIS_POINTS + bps)
    return DepositSum(paid=paid, credited=credited, tax=paid - credited)
