"""Invoices for deposits: issued when a day closes, with their place of supply, printed as PDF."""

from __future__ import annotations

from dataclasses import dataclass

from django.db import connection
from django.http import HttpResponse
from django.utils import translation

from players.accounts.places import INDIA, iso_code
from wallet.ledger.money import as_money, percent
from wallet.tax.invoices.gstin import state_code, state_name
from wallet.tax.invoices.models import Invoice, Registration
from wallet.tax.invoices.sheets import sheet_pdf
from wallet.tax.models import GstCharge

# As India Compliance, which files returns from ERPNext, writes them; a return has the code alone.
OTHER_COUNTRY, OTHER_TERRITORY = "96-Other Countries", "97-Other Territory"


@dataclass(frozen=True)
class Shares:
    """The tax of one invoice in minor units; to another state all of it is integrated tax."""

    igst_minor: int
    cgst_minor: int
    sgst_minor: int


def place_code(place: str) -> str:
    """Return a place with its current ISO 3166-2 code: "IN-TS" for "IN-TG"."""
    country, _, region = place.partition("-")
    return iso_code(country, region)


def place_of_supply(place: str) -> str:
    """Return a place such as "IN-KA" as the tax return names it: "29-Karnataka"."""
    country, _, region = place_code(place).partition("-")
    if country and country != INDIA:
        return OTHER_COUNTRY
    if not state_code(region):
        return OTHER_TERRITORY
    with translation.override(None):
        return f"{state_code(region)}-{state_name(region)}"


def is_inter_state(place: str, registration: Registration | None) -> bool:
    """Return whether a supply to a place is charged integrated tax.

    It is unless the operator is registered in the same state: also without a registration, and
    always
    for an operator outside India.
    """
    if registration is None or registration.is_offshore:
        return True
    country, _, region = place.partition("-")
    own = state_code(registration.state)
    return country != INDIA or not own or state_code(region) != own


def shares_of(charge: GstCharge, registration: Registration | None) -> Shares:
    """Divide the tax of a charge; the Union gets an odd paisa."""
    tax = charge.tax_minor
    if is_inter_state(charge.place, registration):
        return Shares(tax, 0, 0)
    return Shares(0, tax - tax // 2, tax // 2)


def issue_invoices() -> int:
    """Issue missing invoices of all charges of closed days; return how many.

    The caller has begun a transaction. Days are numbered in the order of their closing, so the
    numbers
    of a financial year have no gaps and do not depend on when this runs.
    """
    assert connection.in_atomic_block, "invoices are issued with the close of a day"
    with connection.cursor() as cursor:
        cursor.execute("SELECT wallet_issue_invoices()")
        issued: int = cursor.fetchone()[0]
    return issued


def invoice_pdf(invoice: Invoice) -> bytes:
    """Return an invoice as a one-page PDF, identical in every byte each time."""
    currency = invoice.charge.currency
    with translation.override("en"):
        return sheet_pdf(
            f"Tax invoice {invoice.name}",
            heading="Tax invoice",
            facts=_head(invoice),
            sums=[
                (label, f"{currency} {as_money(minor, currency).amount:,}")
                for label, minor in _sums(invoice)
            ],
            total="Invoice value",
        )


def pdf_response(invoice: Invoice) -> HttpResponse:
    """Return the PDF of an invoice as a download named after its number."""
    name = invoice.name.replace("/", "-")
    headers = {"Content-Disposition": f'attachment; filename="invoice-{name}.pdf"'}
    return HttpResponse(invoice_pdf(invoice), content_type="application/pdf", headers=headers)


def _head(invoice: Invoice) -> list[tuple[str, str]]:
    charge, seller = invoice.charge, invoice.registration
    return [
        ("Number", invoice.name),
        ("Date", charge.charged_on.isoformat()),
        ("Supplier", seller.legal_name if seller else "Not registered on this day"),
        ("Address", seller.address if seller else ""),
        ("GSTIN", seller.gstin if seller else ""),
        ("Recipient", charge.deposit.player.handle),
        ("Place of supply", _place(charge.place)),
        ("Supply", "Specified actionable claim: deposit for online money gaming (rule 31B)"),
        *_of_offshore(seller),
        ("HSN", seller.goods_code if seller else ""),
        ("Order", charge.deposit.order_reference),
    ]


def _of_offshore(seller: Registration | None) -> list[tuple[str, str]]:
    """Return the line that only invoices of an operator outside India have."""
    if seller is None or not seller.is_offshore:
        return []
    return [("Tax paid by", "The supplier outside India (IGST Act, section 14A), on GSTR-5A")]


def _place(place: str) -> str:
    """Return a place as the tax return names it, with its code: "36-Telangana (IN-TS)"."""
    named = place_of_supply(place)
    return f"{named} ({place_code(place)})" if place else named


def _sums(invoice: Invoice) -> list[tuple[str, int]]:
    charge = invoice.charge
    shares = shares_of(charge, invoice.registration)
    half = percent(charge.bps // 2) if charge.bps % 2 == 0 else f"half of {percent(charge.bps)}"
    taxes = (
        [(f"IGST at {percent(charge.bps)} %", shares.igst_minor)]
        if is_inter_state(charge.place, invoice.registration)
        else [
            (f"CGST at {half} %", shares.cgst_minor),
            (f"SGST at {half} %", shares.sgst_minor),
        ]
    )
    return [
        ("Taxable value", charge.credited_minor),
        *taxes,
        ("Invoice value", charge.paid_minor),
    ]
