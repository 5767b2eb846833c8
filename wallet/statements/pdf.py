"""The statement as PDF: letterhead, period, sums by kind and the acts, in English."""

from __future__ import annotations

import io
from collections.abc import Sequence
from datetime import date
from typing import Final

from django.conf import settings
from django.utils import timezone, translation
from reportlab.lib.colors import HexColor
from reportlab.lib.pagesizes import A4
from reportlab.lib.units import mm
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas

from players.accounts.zones import zone_of
from wallet.exceptions import StatementTooLong
from wallet.ledger.days import site_day
from wallet.ledger.money import as_text
from wallet.statements.act_texts import Row, rows_of
from wallet.statements.acts import ActStatement, Summary
from wallet.tax.invoices.models import Registration

ROWS_MAX: Final = 5_000
FONT, BOLD, SIZE = "Helvetica", "Helvetica-Bold", 8
BRAND, INK, SOFT, LINE = (HexColor(code) for code in ("#2d2a6e", "#1d1b2e", "#5d5a70", "#d8d2c4"))
LEFT, RIGHT, LINE_HEIGHT, ROW_HEIGHT = 15 * mm, 195 * mm, 5 * mm, 9 * mm
TOP, BOTTOM = 285 * mm, 22 * mm
# The left edge and the width of each column; amounts are right-aligned.
COLUMNS: Final = (
    ("Date", LEFT, 27 * mm),
    ("Description", 43 * mm, 60 * mm),
    ("Status", 104 * mm, 33 * mm),
    ("Amount", 138 * mm, 27 * mm),
    ("Balance", 166 * mm, 29 * mm),
)
FIGURES: Final = ("Amount", "Balance")


def statement_pdf(statement: ActStatement, *, period: str) -> io.BytesIO:
    """Return the file, oldest act first; raise `StatementTooLong` for more than `ROWS_MAX` acts.

    The file of a period that is over is the same each time. The standard fonts have no Indian
    scripts and no rupee sign: rupees are shown by their code, and missing characters as question
    marks.
    """
    acts = statement.page(size=ROWS_MAX + 1)
    if len(acts) > ROWS_MAX:
        raise StatementTooLong(
            f"A PDF can hold {ROWS_MAX:,} rows. Choose a shorter period, or download the CSV file."
        )
    file = io.BytesIO()
    with translation.override("en"), timezone.override(zone_of(statement.player)):
        rows = list(rows_of(reversed(acts), until=statement.until))
        summary = None if statement.kind else statement.summary()
        # Drawn twice, because each page names the number of pages.
        pages = _Sheets(io.BytesIO(), statement, period, 0).draw(rows, summary)
        _Sheets(file, statement, period, pages).draw(rows, summary)
    file.seek(0)
    return file


class _Sheets:
    """The pages of one file; `height` is where the next line goes."""

    def __init__(self, file: io.BytesIO, statement: ActStatement, period: str, pages: int) -> None:
        self.statement, self.period, self.pages = statement, period, pages
        self.canvas = Canvas(file, pagesize=A4, pageCompression=1, lang="en", invariant=1)
        self.canvas.setTitle(f"Statement of {statement.player}")
        self.canvas.setAuthor("Pool Rummy")
        self.page, self.height = 1, float(TOP)

    def draw(self, rows: Sequence[Row], summary: Summary | None) -> int:
        """Draw all pages and return their number."""
        self._letterhead()
        if summary is not None:
            self._summary(summary)
        self._heading()
        for row in rows:
            if self.height - ROW_HEIGHT < BOTTOM:
                self._next_page()
                self._heading()
            self._row(row)
        if not rows:
            self._line(LEFT, "No transactions in this period.", color=SOFT)
        self._foot()
        self.canvas.showPage()
        self.canvas.save()
        return self.page

    def _letterhead(self) -> None:
        self._line(LEFT, "Pool Rummy", font=BOLD, size=18, color=BRAND)
        self.canvas.setFont(BOLD, 14)
        self.canvas.drawRightString(RIGHT, self.height + LINE_HEIGHT, "Statement")
        for text in _operator(self.statement.last):
            self._line(LEFT, text, color=SOFT)
        self._rule()
        player, currency = self.statement.player, self.statement.currency
        kind = self.statement.kind
        facts = [
            ("Player", player.handle),
            ("Period", self.period or "All transactions"),
            ("Days", _days(self.statement)),
            ("Currency", "Play points, without cash value" if currency == "PTS" else currency),
            ("Shown", str(kind.label) if kind else ""),
            ("Times", f"{zone_of(player)}; days begin at midnight in {settings.TIME_ZONE}"),
        ]
        for label, text in facts:
            if text:
                self.canvas.setFont(BOLD, SIZE)
                self.canvas.drawString(LEFT, self.height, label)
                self._line(43 * mm, text)
        self._rule()

    def _summary(self, summary: Summary) -> None:
        sums = [(str(kind.label), money) for kind, money in summary.sums.items()]
        lines = [
            ("Balance at the beginning", summary.opening),
            *sums,
            ("Balance at the end", summary.closing),
        ]
        for place, (label, money) in enumerate(lines):
            font = BOLD if place in (0, len(lines) - 1) else FONT
            self.canvas.setFont(font, SIZE)
            self.canvas.drawRightString(110 * mm, self.height, _printable(as_text(money)))
            self._line(LEFT, label, font=font)
        self.height -= LINE_HEIGHT

    def _heading(self) -> None:
        self._cells([name for name, _, _ in COLUMNS], BOLD)
        self.height -= 4 * mm
        self._rule()

    def _row(self, row: Row) -> None:
        act = row.act
        when = f"{timezone.localtime(act.at):%Y-%m-%d %H:%M}"
        balance = as_text(act.balance) if act.balance is not None else ""
        self._cells([when, row.title, row.status, as_text(act.money), balance], FONT)
        self.canvas.setFillColor(SOFT)
        self.canvas.setFont(FONT, SIZE - 1)
        text = _shortened(_printable(row.details), RIGHT - COLUMNS[1][1], SIZE - 1)
        self.canvas.drawString(COLUMNS[1][1], self.height - 3.4 * mm, text)
        self.height -= ROW_HEIGHT

    def _cells(self, cells: Sequence[str], font: str) -> None:
        self.canvas.setFillColor(INK)
        self.canvas.setFont(font, SIZE)
        for (name, left, width), cell in zip(COLUMNS, cells, strict=True):
            text = _shortened(_printable(cell), width, SIZE, font)
            if name in FIGURES:
                self.canvas.drawRightString(left + width, self.height, text)
            else:
                self.canvas.drawString(left, self.height, text)

    def _line(
        self, left: float, text: str, *, font: str = FONT, size: int = SIZE, color: HexColor = INK
    ) -> None:
        self.canvas.setFillColor(color)
        self.canvas.setFont(font, size)
        self.canvas.drawString(left, self.height, _shortened(_printable(text), RIGHT - left, size))
        self.canvas.setFillColor(INK)
        self.height -= LINE_HEIGHT

    def _rule(self) -> None:
        self.canvas.setStrokeColor(LINE)
        self.canvas.line(LEFT, self.height + 2 * mm, RIGHT, self.height + 2 * mm)
        self.height -= 4 * mm

    def _next_page(self) -> None:
        self._foot()
        self.canvas.showPage()
        self.page, self.height = self.page + 1, float(TOP)

    def _foot(self) -> None:
        self.canvas.setFillColor(SOFT)
        self.canvas.setFont(FONT, SIZE - 1)
        self.canvas.drawString(
            LEFT, 12 * mm, "The balance is what can be played with: bonus, deposit and winnings."
        )
        self.canvas.drawRightString(RIGHT, 12 * mm, f"Page {self.page} of {self.pages}")
        self.canvas.setFillColor(INK)


def _operator(day: date | None) -> list[str]:
    """Return the operator's name and address on the last day, and where to write."""
    known = Registration.objects.filter(starts_on__lte=day or site_day()).first()
    legal = [known.legal_name, *known.address.splitlines()] if known else []
    number = [f"GSTIN {known.gstin}"] if known and known.gstin else []
    contact = " · ".join(filter(None, [settings.PUBLIC_URL, settings.CONTACT_EMAIL]))
    return [*legal, *number, *([contact] if contact else [])]


def _days(statement: ActStatement) -> str:
    if statement.first is None or statement.last is None:
        return ""
    return f"{statement.first.isoformat()} to {statement.last.isoformat()}"


def _printable(text: str) -> str:
    return text.replace("₹", "INR ").encode("cp1252", "replace").decode("cp1252")


def _shortened(text: str, width: float, size: int, font: str = FONT) -> str:
    if stringWidth(text, font, size) <= width:
        return text
    while text and stringWidth(f"{text}…", font, size) > width:
        text = text[:-1]
    return f"{text}…"
