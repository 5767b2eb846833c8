"""Statements as PDF: the lines of the page, in English, limited in length."""

from __future__ import annotations

import io
from collections.abc import Sequence

from django.utils import timezone, translation
from reportlab.lib.pagesizes import A4
from reportlab.lib.units import mm
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas

from wallet.exceptions import StatementTooLong
from wallet.ledger.models import Entry
from wallet.ledger.money import as_text
from wallet.statements.statement import Statement, StatementRow, kind_label

LINES_MAX = 5_000
FONT, BOLD, SIZE = "Helvetica", "Helvetica-Bold", 8
LEADING = 5 * mm
TOP, BOTTOM = 260 * mm, 20 * mm
# The left edge and the width of each column; amounts are right-aligned.
COLUMNS = (
    ("Day", 15 * mm, 20 * mm),
    ("What", 36 * mm, 62 * mm),
    ("Bucket", 100 * mm, 27 * mm),
    ("Amount", 128 * mm, 32 * mm),
    ("Balance", 161 * mm, 34 * mm),
)
FIGURES = ("Amount", "Balance")


def statement_pdf(statement: Statement) -> bytes:
    """Return the statement as a PDF; raise `StatementTooLong` for more than `LINES_MAX` lines.

    The standard fonts have no Indian scripts and no rupee sign: rupees are shown by their
    code, and missing characters as question marks.
    """
    entries = statement.page(size=LINES_MAX + 1)
    if len(entries) > LINES_MAX:
        raise StatementTooLong(
            f"A PDF can hold {LINES_MAX:,} lines. Choose fewer days, or download the CSV file."
        )
    file = io.BytesIO()
    with translation.override("en"):
        _draw(Canvas(file, pagesize=A4, pageCompression=1, lang="en"), statement, entries)
    return file.getvalue()


def _draw(canvas: Canvas, statement: Statement, entries: Sequence[Entry]) -> None:
    canvas.setTitle("Statement")
    canvas.setAuthor("Pool Rummy")
    per_page = int((TOP - BOTTOM) // LEADING)
    pages = [entries[start : start + per_page] for start in range(0, len(entries), per_page)]
    for number, page in enumerate(pages or [[]], start=1):
        _draw_head(canvas, statement, f"Page {number} of {len(pages) or 1}")
        for place, entry in enumerate(page, start=1):
            _draw_line(canvas, TOP - place * LEADING, _cells(entry), FONT)
        canvas.showPage()
    canvas.save()


def _draw_head(canvas: Canvas, statement: Statement, page: str) -> None:
    made = timezone.localtime().strftime("%Y-%m-%d %H:%M")
    canvas.setFont(BOLD, 14)
    canvas.drawString(15 * mm, 280 * mm, _printable(f"Statement of {statement.player}"))
    canvas.setFont(FONT, SIZE)
    canvas.drawString(15 * mm, 273 * mm, _printable(f"{_choice(statement)}. Made on {made}."))
    canvas.drawRightString(195 * mm, 273 * mm, page)
    _draw_line(canvas, TOP + 2 * mm, [name for name, _, _ in COLUMNS], BOLD)
    canvas.line(15 * mm, TOP, 195 * mm, TOP)


def _draw_line(canvas: Canvas, height: float, cells: Sequence[str], font: str) -> None:
    canvas.setFont(font, SIZE)
    for (name, left, width), cell in zip(COLUMNS, cells, strict=True):
        text = _shortened(_printable(cell), width, font)
        if name in FIGURES:
            canvas.drawRightString(left + width, height, text)
        else:
            canvas.drawString(left, height, text)


def _cells(entry: Entry) -> list[str]:
    row = StatementRow(entry)
    amounts = (as_text(entry.amount), as_text(entry.balance_after))
    return [entry.transfer.booked_on.isoformat(), row.text, row.bucket, *amounts]


def _choice(statement: Statement) -> str:
    """Return the filters as text."""
    days = [
        f"{word} {day}"
        for word, day in (("from", statement.booked_from), ("to", statement.booked_to))
        if day
    ]
    kind = kind_label(statement.kind) if statement.kind else "All entries"
    return ", ".join([kind, statement.currency or "all currencies", *(days or ["all days"])])


def _printable(text: str) -> str:
    return text.replace("₹", "INR ").encode("cp1252", "replace").decode("cp1252")


def _shortened(text: str, width: float, font: str) -> str:
    if stringWidth(text, font, SIZE) <= width:
        return text
    while text and stringWidth(f"{text}…", font, SIZE) > width:
        text = text[:-1]
    return f"{text}…"
