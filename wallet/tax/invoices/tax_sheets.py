"""A player's PDF page of the tax withheld from their winnings in a financial year."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from datetime import date

from django.conf import settings
from django.utils import translation

from players.accounts.models import User
from wallet.ledger.money import as_money
from wallet.tax.arithmetic import financial_year, last_day, quarter, year_name
from wallet.tax.invoices.identity import tax_identities
from wallet.tax.invoices.models import Registration, TaxForm
from wallet.tax.invoices.sheets import sheet_pdf
from wallet.tax.models import PayeeKind, TaxRate, Withholding
from wallet.tax.residence import payee_kind


def tax_sheet(*, player: User, year: int) -> bytes:
    """Return the PDF page: taxed winnings and the tax of each quarter, less refunded tax.

    The figures equal those of the player's row in the finance report `tds-certificates`.
    """
    currency = settings.CASH_CURRENCIES[0]
    winnings, tax = 0, defaultdict[int, int](int)
    for day, winnings_minor, tax_minor in _deductions_and_refunds(player, currency):
        if financial_year(day) == year:
            winnings += winnings_minor
            tax[quarter(day)] += tax_minor
    sums = {
        "Winnings taxed": winnings,
        **{f"Tax withheld in quarter {number}": tax[number] for number in range(1, 5)},
        "Tax withheld": sum(tax.values()),
    }
    with translation.override("en"):
        return sheet_pdf(
            f"Tax withheld {year_name(year)}",
            heading=f"Tax withheld from winnings, {year_name(year)}",
            facts=_facts(player, year),
            sums=[
                (label, f"{currency} {as_money(minor, currency).amount:,}")
                for label, minor in sums.items()
            ],
            total="Tax withheld",
            notes=(
                "Quarter 1 begins in April. Tax refunded with a withdrawal is subtracted.",
                "This page is for your records and is not the certificate of tax deducted.",
                "The tax department's portal generates it after the quarter's return is filed.",
            ),
        )


def _deductions_and_refunds(player: User, currency: str) -> Iterator[tuple[date, int, int]]:
    """Yield the day, taxed winnings and tax of each deduction; refunds have negative amounts."""
    rows = Withholding.objects.of_player(player).filter(currency=currency, tax_minor__gt=0)
    for row in rows.select_related("transfer__reversed_by"):
        yield row.deducted_on, row.taxed_minor, row.tax_minor
        if row.transfer is not None and hasattr(row.transfer, "reversed_by"):
            yield row.transfer.reversed_by.booked_on, -row.taxed_minor, -row.tax_minor


def _facts(player: User, year: int) -> list[tuple[str, str]]:
    person = tax_identities([player.pk])[player.pk]
    operator = Registration.objects.filter(starts_on__lte=last_day(year)).first()
    kind = payee_kind(player, year)
    form = TaxForm.objects.in_force(TaxRate.Tax.TDS, kind, last_day(year)).first()
    return [
        ("Deductor", operator.legal_name if operator else "Not registered"),
        ("Address", operator.address if operator else ""),
        ("TAN", operator.tan if operator else ""),
        ("Player", player.handle),
        ("Name", person.legal_name or "Not known"),
        ("PAN", person.masked or "Not given"),
        ("Financial year", year_name(year)),
        ("Resident in India", "Yes" if kind == PayeeKind.RESIDENT else "No"),
        ("Section", form.section if form else ""),
        *([("Payment code", form.payment_code)] if form and form.payment_code else []),
        ("Form of the certificate", form.certificate_form if form else ""),
    ]
