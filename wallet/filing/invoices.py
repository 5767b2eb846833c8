"""Invoices for deposits: issued when a day closes, found by their numbers, printed as PDF."""

from __future__ import annotations

import io

from django.db import connection
from django.http import HttpResponse
from django.utils import translation
from reportlab.lib.pagesizes import A4
from reportlab.lib.units import mm
from reportlab.pdfgen.canvas import Canvas

from wallet.filing.models import Invoice
from wallet.filing.supplies import place_of_supply, shares_of
from wallet.ledger.money import as_money, percent

FONT, BOLD = "Helvetica", "Helvetica-Bold"
LEFT, RIGHT, LEADING = 20 * mm, 190 * mm, 6 * mm


def issue_invoices() -> int:
    """Issue the invoices of all charges of closed days that have none; return how many.

    The caller has begun a transaction. A day that is closed later is numbered later, so the
    numbers of a financial year have no gaps and never depend on when this runs.
    """
    assert connection.in_atomic_block, "invoices are issued with the close of a day"
    with connection.cursor() as cursor:
        cursor.execute("SELECT wallet_issue_invoices()")
        issued: int = cursor.fetchone()[0]
    return issued


def invoice_pdf(invoice: Invoice) -> bytes:
    """Return one invoice as a PDF of one page.

    The file depends on the invoice alone, so that it is the same to the byte each time. The
    standard fonts have no Indian scripts and no rupee sign.
    """
    file = io.BytesIO()
    canvas = Canvas(file, pagesize=A4, pageCompression=1, lang="en", invariant=1)
    canvas.setTitle(f"Tax invoice {invoice.name}")
    canvas.setFont(BOLD, 16)
    canvas.drawString(LEFT, 275 * mm, "Tax invoice")
    height = 262 * mm
    with translation.override("en"):
        for label, text in _head(invoice):
            canvas.setFont(BOLD, 9)
            canvas.drawString(LEFT, height, label)
            canvas.setFont(FONT, 9)
            for line in _wrapped(text):
                canvas.drawString(70 * mm, height, line)
                height -= LEADING
        canvas.line(LEFT, height, RIGHT, height)
        for label, minor in _sums(invoice):
            height -= LEADING
            canvas.setFont(BOLD if label == "Invoice value" else FONT, 9)
            canvas.drawString(LEFT, height, label)
            canvas.drawRightString(
                RIGHT, height, f"{invoice.charge.currency} {_figure(invoice, minor)}"
            )
    canvas.showPage()
    canvas.save()
    return file.getvalue()


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
        ("Place of supply", place_of_supply(charge.place)),
        ("Supply", "Specified actionable claim: deposit for online money gaming (rule 31B)"),
        ("HSN", seller.goods_code if seller else ""),
        ("Order", charge.deposit.order_reference),
    ]


def _sums(invoice: Invoice) -> list[tuple[str, int]]:
    charge = invoice.charge
    shares = shares_of(charge, invoice.registration)
    half = percent(charge.bps // 2) if charge.bps % 2 == 0 else f"half of {percent(charge.bps)}"
    taxes = (
        [(f"IGST at {percent(charge.bps)} %", shares.igst_minor)]
        if shares.igst_minor
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


def _figure(invoice: Invoice, minor: int) -> str:
    return f"{as_money(minor, invoice.charge.currency).amount:,}"


def _wrapped(text: str) -> list[str]:
    """Return text in lines of a width that fits, in characters that the fonts have."""
    printable = text.encode("cp1252", "replace").decode("cp1252")
    lines = [""]
    for word in printable.split():
        if len(lines[-1]) + len(word) > 70:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines
