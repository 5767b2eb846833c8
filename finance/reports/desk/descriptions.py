"""What each report is for, and the texts of its page: title, purpose, and the text without rows."""

from __future__ import annotations

from calendar import monthrange
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from finance.reports.frame.periods import Period


@dataclass(frozen=True, slots=True)
class Description:
    """Translated texts of a report; `empty` has the placeholder `%(period)s`."""

    group: Any
    title: Any
    purpose: Any
    empty: Any


BOOKS: Final = gettext_lazy("Books")
BALANCES: Final = gettext_lazy("Players' balances and payments")
GAMES: Final = gettext_lazy("Games")
TAXES: Final = gettext_lazy("Taxes")
CONTROL: Final = gettext_lazy("Control")

DESCRIPTIONS: Final = {
    "journal": Description(
        BOOKS,
        gettext_lazy("Journal"),
        gettext_lazy("Every entry of every transfer, for your accounting program."),
        gettext_lazy("No money moved in %(period)s."),
    ),
    "trial-balance": Description(
        BOOKS,
        gettext_lazy("Trial balance"),
        gettext_lazy("Opening balance, movements and closing balance of each kind of account."),
        gettext_lazy("No account had a balance in %(period)s."),
    ),
    "daily-close": Description(
        BOOKS,
        gettext_lazy("Daily closes"),
        gettext_lazy("The final totals and the control hash of each closed day."),
        gettext_lazy("No day of %(period)s is closed yet."),
    ),
    "rake": Description(
        BOOKS,
        gettext_lazy("Rake"),
        gettext_lazy("Your earnings by day and kind of game."),
        gettext_lazy("No rake was earned in %(period)s."),
    ),
    "adjustments": Description(
        BOOKS,
        gettext_lazy("Adjustments"),
        gettext_lazy("Corrections and reversals, with the reason and both people."),
        gettext_lazy("Nothing was corrected in %(period)s."),
    ),
    "player-liability": Description(
        BALANCES,
        gettext_lazy("Player liability"),
        gettext_lazy("What you owe to players at the end of the period."),
        gettext_lazy("Nothing was owed to players at the end of %(period)s."),
    ),
    "bonus-liability": Description(
        BALANCES,
        gettext_lazy("Bonus liability"),
        gettext_lazy("Bonuses not yet released, by month of expiry."),
        gettext_lazy("No bonus was outstanding at the end of %(period)s."),
    ),
    "receivables": Description(
        BALANCES,
        gettext_lazy("Receivables"),
        gettext_lazy("Players who owe you money after reversed payments."),
        gettext_lazy("No player owed money at the end of %(period)s."),
    ),
    "withdrawals": Description(
        BALANCES,
        gettext_lazy("Withdrawals"),
        gettext_lazy("Each step of a withdrawal: requested, paid or returned."),
        gettext_lazy("No withdrawal was requested, paid or returned in %(period)s."),
    ),
    "games": Description(
        GAMES,
        gettext_lazy("Games"),
        gettext_lazy("Each ended game: paid in, returned, prizes and rake."),
        gettext_lazy("No games ended in %(period)s."),
    ),
    "tournaments": Description(
        GAMES,
        gettext_lazy("Tournaments"),
        gettext_lazy("Each ended tournament: entries, prizes and rake."),
        gettext_lazy("No tournaments ended in %(period)s."),
    ),
    "gst-invoices": Description(
        TAXES,
        gettext_lazy("GST invoices"),
        gettext_lazy("Each credited deposit with its invoice and tax."),
        gettext_lazy("No deposit with GST was credited in %(period)s."),
    ),
    "gst-outward-supplies": Description(
        TAXES,
        gettext_lazy("GST outward supplies"),
        gettext_lazy("The month's supplies in the columns of the GST return."),
        gettext_lazy("No deposit with GST was credited in %(period)s."),
    ),
    "gst-hsn-summary": Description(
        TAXES,
        gettext_lazy("GST HSN summary"),
        gettext_lazy("Taxable value and tax by goods code and rate (table 12)."),
        gettext_lazy("No deposit with GST was credited in %(period)s."),
    ),
    "gst-documents": Description(
        TAXES,
        gettext_lazy("GST documents"),
        gettext_lazy("First and last invoice number of the month (table 13)."),
        gettext_lazy("No invoice was issued in %(period)s."),
    ),
    "tds-deductions": Description(
        TAXES,
        gettext_lazy("TDS deductions"),
        gettext_lazy("Each deduction of tax on winnings, or its return."),
        gettext_lazy("No tax was withheld in %(period)s."),
    ),
    "tds-quarters": Description(
        TAXES,
        gettext_lazy("TDS by quarter"),
        gettext_lazy("The deductions by quarter and form."),
        gettext_lazy("No tax was withheld in %(period)s."),
    ),
    "tds-certificates": Description(
        TAXES,
        gettext_lazy("TDS certificates"),
        gettext_lazy("The deductions by player and financial year."),
        gettext_lazy("No tax was withheld in %(period)s."),
    ),
    "staff-actions": Description(
        CONTROL,
        gettext_lazy("Staff actions"),
        gettext_lazy("Who changed what, with the values before and after."),
        gettext_lazy("No staff action was recorded in %(period)s."),
    ),
    "seal-heads": Description(
        CONTROL,
        gettext_lazy("Last seal of each day"),
        gettext_lazy("The hashes that prove the history of the ledger."),
        gettext_lazy("Nothing was sealed in %(period)s."),
    ),
}


def description_of(name: str) -> Description:
    """Return the texts of a report; those of a file's comparison are made from its name."""
    plain = name.replace("-", " ").capitalize()
    unknown = Description(CONTROL, plain, "", gettext_lazy("There are no rows in %(period)s."))
    return DESCRIPTIONS.get(name, unknown)


def empty_text(name: str, period: Period) -> str:
    """Return what is empty and what to try: "No games ended in May 2026. Choose another period."""
    nothing = description_of(name).empty % {"period": period_text(period)}
    return _("%(nothing)s Choose another period.") % {"nothing": nothing}


def period_text(period: Period) -> str:
    """Return a period as text: `May 2026`, `3 May 2026`, or its first and last day."""
    first, last = period.first, period.last
    if first is None:
        return _("the time up to %(last)s") % {"last": _day(last)}
    if first == last:
        return _day(first)
    if first.day == 1 and last == _last_of_month(first):
        return date_format(first, "F Y")
    return _("%(first)s to %(last)s") % {"first": _day(first), "last": _day(last)}


def _last_of_month(day: date) -> date:
    return day.replace(day=monthrange(day.year, day.month)[1])


def _day(day: date) -> str:
    return date_format(day, "j F Y")
