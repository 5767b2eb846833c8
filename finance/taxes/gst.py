"""GST on deposits: the invoice register, and outward supplies in the columns of the return.

Refunds of deposits do not reduce the tax (rule 31B).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Any, TypedDict
from uuid import UUID

from django.db.models import Count, Q, QuerySet, Sum

from finance.reports.frame.report import (
    Position,
    Question,
    Report,
    Row,
    Totals,
    Whole,
    figures,
)
from wallet.ledger.money import percent
from wallet.tax.invoices.invoices import is_inter_state, place_of_supply, shares_of
from wallet.tax.invoices.models import Invoice, Registration, TaxForm
from wallet.tax.models import GstCharge, TaxRate

SHARES = ("igst", "cgst", "sgst")
# Tables of GSTR-1: 7 sums up small supplies by place and rate, 5 lists large inter-state ones.
# Table 5D of GSTR-5A, which operators outside India file, sums up by place and rate.
SMALL, LARGE, OFFSHORE = "7 (B2CS)", "5 (B2CL)", "5D"
Payee = TaxForm.Payee


class GstInvoiceRow(TypedDict):
    """A GST charge on a deposit; `invoice_number` is null until the day is closed."""

    invoice_number: str | None
    invoice_date: date
    booked_on: date
    player: UUID
    place_of_supply: str
    hsn: str | None
    rate: str
    currency: str
    taxable_value_minor: int
    taxable_value: Decimal
    igst_minor: int
    igst: Decimal
    cgst_minor: int
    cgst: Decimal
    sgst_minor: int
    sgst: Decimal
    invoice_value_minor: int
    invoice_value: Decimal
    treatment: str
    order: str
    transfer: UUID


class GstSupplyRow(TypedDict):
    """A line of a monthly return: one large supply, or all small ones of a place and rate."""

    month: str
    return_form: str | None
    table: str
    type: str
    invoice_number: str | None
    invoice_date: date | None
    invoice_value_minor: int | None
    invoice_value: Decimal | None
    place_of_supply: str
    applicable_percent: str | None
    rate: str
    currency: str
    documents: int
    taxable_value_minor: int
    taxable_value: Decimal
    igst_minor: int
    igst: Decimal
    cgst_minor: int
    cgst: Decimal
    sgst_minor: int
    sgst: Decimal
    cess: Decimal | None
    ecommerce_gstin: str | None


def charges(question: Question) -> QuerySet[GstCharge]:
    """Return the GST charges of the period, in the order of their database transactions."""
    return GstCharge.objects.filter(
        question.period.within(), transfer__xid__lt=question.horizon
    ).order_by("transfer__xid", "pk")


def page(question: Question, after: Position, size: int) -> Sequence[tuple[Position, Row]]:
    xid, pk = after
    later = Q(transfer__xid__gt=xid) | Q(transfer__xid=xid, pk__gt=pk)
    found = charges(question).filter(later, transfer__xid__gte=xid)
    related = found.select_related("transfer", "deposit__player", "invoice__registration")
    known = list(Registration.objects.order_by("-starts_on", "-pk"))
    return [((one.transfer.xid, one.pk), _row(one, known)) for one in related[:size]]


def _row(charge: GstCharge, known: Sequence[Registration]) -> Row:
    # Without an invoice, use the registration in force on the day of the charge.
    invoice: Invoice | None = getattr(charge, "invoice", None)
    begun = (one for one in known if one.starts_on <= charge.charged_on)
    registration = invoice.registration if invoice else next(begun, None)
    shares = shares_of(charge, registration)
    return {
        "invoice_number": invoice.name if invoice else None,
        "invoice_date": charge.charged_on,
        "booked_on": charge.transfer.booked_on,
        "player": charge.deposit.player.public_id,
        "place_of_supply": place_of_supply(charge.place),
        "is_inter_state": is_inter_state(charge.place, registration),
        "is_offshore": registration is not None and registration.is_offshore,
        "hsn": registration.goods_code if registration else None,
        "rate": percent(charge.bps),
        "currency": charge.currency,
        **figures(
            charge.currency,
            taxable_value=charge.credited_minor,
            igst=shares.igst_minor,
            cgst=shares.cgst_minor,
            sgst=shares.sgst_minor,
            invoice_value=charge.paid_minor,
        ),
        "treatment": charge.treatment,
        "order": charge.deposit.order_reference,
        "transfer": charge.transfer.public_id,
    }


def totals(question: Question) -> Totals:
    """Return the sums by currency; the tax equals the credits of GST accounts for deposits."""
    found = charges(question).order_by("currency").values("currency")
    sums = found.annotate(
        documents=Count("pk"), value=Sum("credited_minor"), taxes=Sum("tax_minor")
    )
    return {
        one["currency"]: {
            "documents": one["documents"],
            "taxable_value_minor": int(one["value"]),
            "tax_minor": int(one["taxes"]),
        }
        for one in sums
    }


def walk(question: Question) -> Iterator[Row]:
    for rows in GST_INVOICES.chunks(question):
        yield from rows


def forms() -> list[TaxForm]:
    """Return the GST forms, the latest first."""
    return list(TaxForm.objects.filter(tax=TaxRate.Tax.GST).order_by("-starts_on", "-pk"))


def form_of(row: Row, known: Sequence[TaxForm]) -> TaxForm | None:
    """Return the form in force on a row's day for an operator inside or outside India."""
    whose = Payee.NON_RESIDENT if row["is_offshore"] else Payee.RESIDENT
    begun = (form for form in known if form.payee == whose)
    return next((form for form in begun if form.starts_on <= row["invoice_date"]), None)


def supplies(question: Question) -> list[Row]:
    """Return the supplies by month: each large one, and the sums of others by place and rate."""
    known = forms()
    sums: dict[tuple[str, ...], dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for row in walk(question):
        form = form_of(row, known)
        month = row["booked_on"].strftime("%Y-%m")
        key = (month, form.return_form if form else "", *_line(row, form))
        for name in ("taxable_value", *SHARES):
            sums[key][f"{name}_minor"] += row[f"{name}_minor"]
        sums[key]["documents"] += 1
        if key[2] == LARGE:
            sums[key]["invoice_value_minor"] += row["invoice_value_minor"]
    return [_supply(key, of) for key, of in sorted(sums.items())]


def _line(row: Row, form: TaxForm | None) -> tuple[str, ...]:
    """Return the table of a row and the key of its line in that table."""
    above = form.large_above_minor if form else None
    is_large = row["is_inter_state"] and above is not None and row["invoice_value_minor"] > above
    own = (row["invoice_number"] or "", row["invoice_date"].isoformat()) if is_large else ("", "")
    table = OFFSHORE if row["is_offshore"] else LARGE if is_large else SMALL
    return (table, row["place_of_supply"], row["rate"], row["currency"], *own)


def _supply(key: tuple[str, ...], of: Mapping[str, int]) -> Row:
    month, form, table, place, rate, currency, number, day = key
    values: dict[str, Any] = {
        "month": month,
        "return_form": form or None,
        "table": table,
        "type": "OE",  # Not through an e-commerce operator.
        "invoice_number": number or None,
        "invoice_date": date.fromisoformat(day) if day else None,
        "place_of_supply": place,
        "applicable_percent": None,
        "rate": rate,
        "currency": currency,
        "documents": of["documents"],
        **figures(currency, **{n: of[f"{n}_minor"] for n in ("taxable_value", *SHARES)}),
        "cess": None,
        "ecommerce_gstin": None,
    }
    if table != LARGE:
        return values | {"invoice_value_minor": None, "invoice_value": None}
    return values | figures(currency, invoice_value=of["invoice_value_minor"])


GST_INVOICES = Report("gst-invoices", "GST invoices", GstInvoiceRow, page, totals, any_zone=False)
GST_SUPPLIES = Report(
    "gst-outward-supplies",
    "GST outward supplies",
    GstSupplyRow,
    Whole(supplies),
    totals,
    any_zone=False,
)
