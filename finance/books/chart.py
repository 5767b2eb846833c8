"""The chart of accounts for exports to accounting programs: one account per ledger kind."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from django.conf import settings
from django.core.validators import RegexValidator
from django.db import models
from django.utils.translation import gettext_lazy as _

from wallet.ledger.models import Account
from wallet.ledger.money import PLAY_POINTS

# Levels separated by colons, of words separated by one space: in hledger and ledger-cli two spaces
# end a name.
WORD = r"[A-Za-z0-9&().-]"
LEVEL = rf"(?=[A-Za-z]){WORD}+(?: {WORD}+)*"
NAME_PATTERN = rf"\A{LEVEL}(?::{LEVEL})*\Z"
LIABILITIES, EXPENSES = "Current Liabilities", "Indirect Expenses"
Kind = Account.Kind


class ChartAccount(models.Model):
    """The name and group of an account kind; kinds without a row have those of `DEFAULT`."""

    kind = models.CharField(max_length=20, choices=Account.Kind, unique=True)
    name = models.CharField(
        max_length=80,
        help_text="Separate levels with colons: Liabilities:Players:Deposits.",
        validators=[
            RegexValidator(
                NAME_PATTERN,
                _(
                    "Separate levels with colons and words with one space, and start each level "
                    "with a letter; hledger and ledger-cli end a name at two spaces."
                ),
            )
        ],
    )
    group = models.CharField(max_length=60, help_text="Group of the account in Tally.")

    class Meta:
        ordering: ClassVar[list[str]] = ["kind"]

    def __str__(self) -> str:
        return f"{self.get_kind_display()}: {self.name}"


@dataclass(frozen=True)
class Named:
    """An account of the chart: its full name and its group in Tally."""

    name: str
    group: str

    @property
    def last(self) -> str:
        """Return the last level of the name, for programs with a flat list of accounts."""
        return self.name.rsplit(":", 1)[-1]


DEFAULT = {
    Kind.BONUS: Named("Liabilities:Players:Bonus", LIABILITIES),
    Kind.LOCKED_BONUS: Named("Liabilities:Players:Locked bonus", LIABILITIES),
    Kind.DEPOSIT: Named("Liabilities:Players:Deposits", LIABILITIES),
    Kind.WINNINGS: Named("Liabilities:Players:Winnings", LIABILITIES),
    Kind.WITHDRAWAL_HOLD: Named("Liabilities:Players:Pending withdrawals", LIABILITIES),
    Kind.TICKET: Named("Liabilities:Players:Tickets", LIABILITIES),
    Kind.ESCROW: Named("Liabilities:Players:In play", LIABILITIES),
    Kind.RECEIVABLE: Named("Assets:Receivable from players", "Sundry Debtors"),
    Kind.GATEWAY_CLEARING: Named("Assets:Gateway clearing", "Bank Accounts"),
    Kind.INPUT_TAX: Named("Assets:Input tax", "Duties & Taxes"),
    Kind.GATEWAY_FEES: Named("Expenses:Gateway fees", EXPENSES),
    Kind.RAKE: Named("Income:Rake", "Direct Incomes"),
    Kind.PROMOTIONS: Named("Expenses:Promotions", EXPENSES),
    Kind.GUARANTEE: Named("Expenses:Guarantees", EXPENSES),
    Kind.TDS_PAYABLE: Named("Liabilities:Tax withheld", "Duties & Taxes"),
    Kind.GST_PAYABLE: Named("Liabilities:GST", "Duties & Taxes"),
    Kind.SUSPENSE: Named("Liabilities:Suspense", "Suspense A/c"),
}


def flat(account: Named, currency: str) -> str:
    """Return an account's name for programs in which each account has one currency."""
    return account.last if currency == settings.CASH_CURRENCIES[0] else f"{account.last} {currency}"


def alike(kind: str, named: Named) -> str | None:
    """Return another kind whose account has the same name in a flat list, or None.

    Kinds with the same full name and group share an account on purpose.
    """
    mine = _flat_names(named)
    for other, its in chart().items():
        if other != kind and its != named and mine & _flat_names(its):
            return other
    return None


def _flat_names(named: Named) -> set[str]:
    # Tally ignores case.
    return {flat(named, code).casefold() for code in (*settings.CASH_CURRENCIES, PLAY_POINTS)}


def chart() -> dict[str, Named]:
    """Return the chart's account for each account kind."""
    edited = {row.kind: Named(row.name, row.group) for row in ChartAccount.objects.all()}
    return {**{kind.value: named for kind, named in DEFAULT.items()}, **edited}
