"""Read CSV with the columns `date`, `text`, and `amount` or `debit` and `credit`.

Days are YYYY-MM-DD. A point precedes decimals; commas group thousands or lakhs.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from typing import Final

from finance.exceptions import BadFile
from finance.matching.files import (
    Contents,
    Line,
    Statement,
    Unreadable,
    as_minor,
    csv_rows,
    decoded,
    one_line,
    read_each,
    references_in,
)

AMOUNT: Final = re.compile(
    r"-?(\d{1,15}|\d{1,3}(,\d{3})+|\d{1,2}(,\d{2})*,\d{3})(\.\d{1,5})?", re.ASCII
)
Cells = dict[str, str]


class PlainCsv:
    """The reader of CSV in the product's own columns."""

    name = "CSV"

    def recognizes(self, body: bytes) -> bool:
        return True

    def read(self, body: bytes, *, currency: str) -> Contents:
        """Return one statement without account and balances, which these columns do not have."""
        text, warnings = decoded(body)
        written = csv_rows(io.StringIO(text, newline=""))
        rows = [(f"line {number}", row) for number, row in written if any(map(str.strip, row))]
        if not rows:
            raise BadFile("the file is empty")
        names = [name.strip().lower() for name in rows[0][1]]
        ours = {"date", "text"}, {"amount"}, {"debit", "credit"}
        has_both, has_amount, is_parted = (part <= {*names} for part in ours)
        if not has_both or has_amount == is_parted or len({*names}) < len(names):
            raise BadFile(
                "the columns must be date, text, and amount or debit and credit, once each"
            )
        currencies = set()
        if "currency" in names:
            place = names.index("currency")
            currencies = {row[place].strip() for _, row in rows[1:] if len(row) == len(names)}
        if len(currencies) > 1:
            raise BadFile("all lines must be in one currency")
        currency = next(iter(currencies), currency)

        def read(position: str, row: list[str]) -> Iterator[Line]:
            if len(row) != len(names):
                message = f"{len(row)} cells under {len(names)} columns"
                raise Unreadable("wrong_cells", message, f"{len(names)} cells")
            cells = dict(zip(names, row, strict=True))
            day = _day(cells["date"].strip())
            text, minor = cells["text"], as_minor(_amount(cells), currency)
            yield Line(day, day, minor, references_in([text]), one_line(text), position)

        lines = tuple(read_each(rows[1:], read))
        return Contents(self.name, (Statement("", currency, lines),), warnings)


def _day(text: str) -> date:
    if re.fullmatch(r"\d{4}-\d\d-\d\d", text, re.ASCII):
        try:
            return date.fromisoformat(text)
        except ValueError:
            pass
    raise Unreadable("bad_line", f"column date: {text[:20]!r} is not a day", "YYYY-MM-DD")


def _amount(cells: Cells) -> Decimal:
    if "amount" in cells:
        return _figure(cells, "amount")
    if not cells["credit"].strip() and not cells["debit"].strip():
        raise Unreadable("bad_amount", "the line has no amount", "an amount in debit or credit")
    credit, debit = (
        _figure(cells, name) if cells[name].strip() else Decimal(0) for name in ("credit", "debit")
    )
    if credit < 0 or debit < 0:
        name = "credit" if credit < 0 else "debit"
        raise Unreadable("bad_amount", f"column {name}: a minus has no meaning here", "no sign")
    if credit and debit:
        raise Unreadable("bad_line", "it has both a debit and a credit", "one of the two")
    return credit - debit


def _figure(cells: Cells, name: str) -> Decimal:
    text = cells[name].strip()
    if not AMOUNT.fullmatch(text):
        expected = "an amount such as 1234.50, 1,234.50 or 1,23,456.00"
        raise Unreadable("bad_amount", f"column {name}: {text[:40]!r} is not an amount", expected)
    return Decimal(text.replace(",", ""))
