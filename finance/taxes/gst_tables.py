"""Tables 12 and 13 of the monthly GST return: sums by HSN code, and invoice numbers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from typing import Any, Final, TypedDict

from django.db.models import Count, F, Max, Min

from finance.reports.frame.report import Question, Report, Row, Whole, figures
from finance.taxes.gst import SHARES, charges, forms, totals, walk
from wallet.tax.invoices.gstin import is_offshore
from wallet.tax.invoices.models import Invoice, TaxForm

# By law deposits are specified actionable claims, which are goods without a unit.
UNIT: Final = "OTH-OTHERS"
DESCRIPTION: Final = "Specified actionable claims"
# Players are not registered for GST.
TO_CONSUMERS: Final = "B2C"
NATURE: Final = "Invoices for outward supply"


class GstHsnRow(TypedDict):
    """A line of table 12: the supplies of a month with one HSN code and rate."""

    month: str
    return_form: str | None
    supplies: str
    hsn: str | None
    description: str
    unit: str
    quantity: int
    rate: str
    currency: str
    total_value_minor: int
    total_value: Decimal
    taxable_value_minor: int
    taxable_value: Decimal
    igst_minor: int
    igst: Decimal
    cgst_minor: int
    cgst: Decimal
    sgst_minor: int
    sgst: Decimal
    cess: Decimal | None


class GstDocumentsRow(TypedDict):
    """A line of table 13: the invoices of a month in one number series."""

    month: str
    return_form: str | None
    nature: str
    from_number: str
    to_number: str
    total: int
    cancelled: int
    net_issued: int


def by_goods_code(question: Question) -> list[Row]:
    """Return the sums of each month by HSN code and rate."""
    known = forms()
    sums: dict[tuple[str, ...], dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for row in walk(question):
        month = row["booked_on"].strftime("%Y-%m")
        form = _form(known, row["invoice_date"], is_offshore=row["is_offshore"])
        of = sums[month, form, row["hsn"] or "", row["rate"], row["currency"]]
        of["documents"] += 1
        of["total_value"] += row["invoice_value_minor"]
        for name in ("taxable_value", *SHARES):
            of[name] += row[f"{name}_minor"]
    return [_sum(key, of) for key, of in sorted(sums.items())]


def _sum(key: tuple[str, ...], of: Mapping[str, int]) -> Row:
    month, form, code, rate, currency = key
    names = ("total_value", "taxable_value", *SHARES)
    return {
        "month": month,
        "return_form": form or None,
        "supplies": TO_CONSUMERS,
        "hsn": code or None,
        "description": DESCRIPTION,
        "unit": UNIT,
        "quantity": of["documents"],
        "rate": rate,
        "currency": currency,
        **figures(currency, **{name: of[name] for name in names}),
        "cess": None,
    }


def documents(question: Question) -> list[Row]:
    """Return the first and last invoice number and their count, by month and series.

    Numbers have no gaps, and no invoice is cancelled: refunds do not reduce the tax (rule 31B).
    """
    known = forms()
    issued = charges(question).filter(invoice__isnull=False).order_by()
    days = issued.values(
        "charged_on",
        booked_on=F("transfer__booked_on"),
        year=F("invoice__year"),
        prefix=F("invoice__registration__invoice_prefix"),
        gstin=F("invoice__registration__gstin"),
    ).annotate(first=Min("invoice__number"), last=Max("invoice__number"), total=Count("pk"))
    series: dict[tuple[str, str, int, str], list[Mapping[str, Any]]] = defaultdict(list)
    for day in days:
        month, offshore = day["booked_on"].strftime("%Y-%m"), is_offshore(day["gstin"] or "")
        form = _form(known, day["charged_on"], is_offshore=offshore)
        series[month, form, day["year"], day["prefix"] or ""].append(day)
    return [_range(key, of) for key, of in sorted(series.items())]


def _range(key: tuple[str, str, int, str], days: list[Mapping[str, Any]]) -> Row:
    month, form, year, prefix = key
    first, last = min(day["first"] for day in days), max(day["last"] for day in days)
    total = sum(day["total"] for day in days)
    return {
        "month": month,
        "return_form": form or None,
        "nature": NATURE,
        "from_number": Invoice.name_of(prefix, year, first),
        "to_number": Invoice.name_of(prefix, year, last),
        "total": total,
        "cancelled": 0,
        "net_issued": total,
    }


def _form(known: list[TaxForm], day: date, *, is_offshore: bool) -> str:
    """Return the form of a resident operator, or ""; GSTR-5A has no such tables."""
    if is_offshore:
        return ""
    of_residents = (form for form in known if form.payee == TaxForm.Payee.RESIDENT)
    return next((form.return_form for form in of_residents if form.starts_on <= day), "")


GST_HSN = Report(
    "gst-hsn-summary",
    "GST supplies by HSN code",
    GstHsnRow,
    Whole(by_goods_code),
    totals,
    any_zone=False,
)
GST_DOCUMENTS = Report(
    "gst-documents",
    "GST documents issued",
    GstDocumentsRow,
    Whole(documents),
    totals,
    any_zone=False,
)
