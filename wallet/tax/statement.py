"""A player's taxes of one financial year, and texts of deductions for pages and files."""

from __future__ import annotations

from dataclasses import dataclass, replace

from django.conf import settings
from moneyed import Money

from players.accounts.models import User
from wallet.ledger.days import site_day
from wallet.ledger.models import Transfer
from wallet.ledger.money import as_money
from wallet.tax.arithmetic import Figures, financial_year, last_day, year_name
from wallet.tax.assessment import closing_balance, first_year, year_figures
from wallet.tax.models import Withholding

Reason = Withholding.Reason
# The columns of the file of deductions, and the attributes of a deduction in them.
DEDUCTION_COLUMNS = {
    "year": "year",
    "when": "deducted_on",
    "why": "reason",
    "withdrawn_a": "withdrawn",
    "own_deposits_b": "deposited",
    "opening_c": "opening",
    "closing_d": "closing",
    "taxed_before_e": "taxed_before",
    "net_winnings": "net",
    "taxed": "taxed",
    "payee": "payee",
    "rate_bps": "bps",
    "surcharge_bps": "surcharge_bps",
    "cess_bps": "cess_bps",
    "surcharge": "surcharge",
    "cess": "cess",
    "tax": "tax",
    "given_back": "is_given_back",
    "currency": "currency",
    "transfer": "transfer",
}


@dataclass(frozen=True)
class TaxYear:
    """A, B, C, D and E of a player's year (RB 11.4), and its deductions.

    During the year D is today's balance; for a settled year all figures are those of the
    settlement.
    """

    year: int
    currency: str
    figures: Figures
    rows: tuple[Withholding, ...]
    is_settled: bool

    @property
    def name(self) -> str:
        return year_name(self.year)

    @property
    def letters(self) -> list[tuple[str, Money]]:
        found = self.figures
        values = (found.withdrawn, found.deposited, found.opening, found.closing, found.taxed)
        pairs = zip("ABCDE", values, strict=True)
        return [(letter, as_money(minor, self.currency)) for letter, minor in pairs]

    @property
    def tax(self) -> Money:
        """The tax withheld in the year and not refunded."""
        withheld = sum(row.tax_minor for row in self.rows if not row.is_given_back)
        return as_money(withheld, self.currency)


def tax_year(player: User, *, currency: str, year: int) -> TaxYear:
    """Return a player's year as of now."""
    rows = tuple(
        Withholding.objects.of_player(player)
        .filter(currency=currency, year=year)
        .select_related("transfer__reversed_by", "withdrawal")
        .order_by("pk")
    )
    end = next((row for row in rows if row.reason == Reason.YEAR_END), None)
    return TaxYear(
        year=year,
        currency=currency,
        figures=end.figures if end else _so_far(player, currency, year),
        rows=rows,
        is_settled=end is not None,
    )


def years_of(player: User) -> list[int]:
    """Return the financial years in which a player had cash, latest first."""
    present = financial_year(site_day())
    started = first_year(player, settings.CASH_CURRENCIES[0])
    return list(range(present, (started or present) - 1, -1))


def deduction_as_text(row: Withholding) -> dict[str, str]:
    """Return a deduction with its calculation as text for a file."""
    values = {name: _text(getattr(row, column)) for name, column in DEDUCTION_COLUMNS.items()}
    return values | {"year": year_name(row.year)}


def _text(value: object) -> str:
    if isinstance(value, Money):
        return str(value.amount)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Transfer):
        return str(value.public_id)
    return "" if value is None else str(value)


def _so_far(player: User, currency: str, year: int) -> Figures:
    until = min(last_day(year), site_day())
    found = year_figures(player, currency, year)
    return replace(found, closing=sum(closing_balance(player, currency, until)))
