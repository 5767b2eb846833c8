"""A player's taxes of one financial year, and texts of deductions for pages and files."""

from __future__ import annotations

from dataclasses import dataclass, replace

from django.conf import settings
from moneyed import Money

from players.accounts.models import User
from wallet.ledger.days import site_day
from wallet.ledger.money import as_money
from wallet.tax.arithmetic import Figures, financial_year, last_day, year_name
from wallet.tax.assessment import closing_balance, first_year, year_figures
from wallet.tax.models import Withholding

Reason = Withholding.Reason
DEDUCTION_COLUMNS = (
    "year",
    "when",
    "why",
    "withdrawn_a",
    "own_deposits_b",
    "opening_c",
    "closing_d",
    "taxed_before_e",
    "net_winnings",
    "taxed",
    "payee",
    "rate_bps",
    "surcharge_bps",
    "cess_bps",
    "surcharge",
    "cess",
    "tax",
    "given_back",
    "currency",
    "transfer",
)


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
        withheld = sum(row.tax_minor for row in self.rows if not is_given_back(row))
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
        figures=_settled(end) if end else _so_far(player, currency, year),
        rows=rows,
        is_settled=end is not None,
    )


def years_of(player: User) -> list[int]:
    """Return the financial years in which a player had cash, latest first."""
    present = financial_year(site_day())
    started = first_year(player, settings.CASH_CURRENCIES[0])
    return list(range(present, (started or present) - 1, -1))


def is_given_back(row: Withholding) -> bool:
    """Return whether the withdrawal was returned, and its tax refunded."""
    return row.transfer is not None and hasattr(row.transfer, "reversed_by")


def amounts_of(row: Withholding) -> dict[str, Money]:
    """Return the figures of a deduction's calculation by name (RB 11.4)."""
    minor = {
        "withdrawn_a": row.withdrawn_minor,
        "own_deposits_b": row.deposited_minor,
        "opening_c": row.opening_minor,
        "closing_d": row.closing_minor,
        "taxed_before_e": row.taxed_before_minor,
        "net_winnings": row.net_minor,
        "taxed": row.taxed_minor,
        "surcharge": row.surcharge_minor,
        "cess": row.cess_minor,
        "tax": row.tax_minor,
    }
    return {name: as_money(amount, row.currency) for name, amount in minor.items()}


def deduction_as_text(row: Withholding) -> dict[str, str]:
    """Return a deduction with its calculation as text for a file."""
    return {
        "year": year_name(row.year),
        "when": row.deducted_on.isoformat(),
        "why": row.reason,
        "payee": row.payee,
        "rate_bps": str(row.bps),
        "surcharge_bps": str(row.surcharge_bps),
        "cess_bps": str(row.cess_bps),
        "given_back": "yes" if is_given_back(row) else "no",
        "currency": row.currency,
        "transfer": str(row.transfer.public_id) if row.transfer else "",
        **{name: str(money.amount) for name, money in amounts_of(row).items()},
    }


def _settled(end: Withholding) -> Figures:
    return Figures(
        withdrawn=end.withdrawn_minor,
        deposited=end.deposited_minor,
        opening=end.opening_minor,
        closing=end.closing_minor,
        taxed=end.taxed_before_minor,
    )


def _so_far(player: User, currency: str, year: int) -> Figures:
    until = min(last_day(year), site_day())
    found = year_figures(player, currency, year)
    return replace(found, closing=sum(closing_balance(player, currency, until)))
