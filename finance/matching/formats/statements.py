"""Read a bank statement in MT940, CAMT.053 or CSV.

CSV has the columns `date`, `text` and `amount` (debits negative), or `debit` and `credit` instead
of the amount.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping
from datetime import date
from decimal import Decimal, InvalidOperation

import mt940  # type: ignore[import-untyped]

from finance.exceptions import BadFile, BadLine
from finance.matching.formats.camt import is_camt, read_camt
from finance.matching.statement_lines import Statement, StatementLine, one_line

# Signs of MT940: debit, and reversal of a credit.
DEBITS = ("D", "RC")
# Exceptions of mt-940, which defines none of its own, for invalid tags, figures and dates.
NO_MT940 = (
    AssertionError,
    AttributeError,
    InvalidOperation,
    RuntimeError,
    ValueError,
    re.error,
)


def read_statement(body: bytes, *, currency: str) -> Statement:
    """Return the contents of a statement; raise `BadFile` if it cannot be read."""
    try:
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadFile("the file is not text in UTF-8") from error
    if "\0" in text:  # As in UTF-16 without a byte order mark.
        raise BadFile("the file is not text in UTF-8")
    if is_camt(text):
        found = read_camt(text)
    elif ":60F:" in text or ":60M:" in text:
        found = _mt940(text)
    else:
        found = Statement(_csv(text, currency))
    if not found.lines:
        raise BadFile("the file has no lines")
    return found


def _mt940(text: str) -> Statement:
    parsed = mt940.models.Transactions()
    try:
        found = list(parsed.parse(text))
    except NO_MT940 as error:
        raise BadFile("the file is not MT940") from error
    lines = []
    for number, one in enumerate(found, start=1):
        data, amount = one.data, one.data["amount"]
        figure = -abs(amount.amount) if data["status"] in DEBITS else abs(amount.amount)
        names = ("customer_reference", "bank_reference", "extra_details", "transaction_details")
        text = one_line(" ".join(str(data.get(name) or "") for name in names))
        lines.append(StatementLine(number, data["date"], figure, amount.currency, text))
    left = parsed.data.get("final_closing_balance")
    return Statement(lines, left.amount.amount if left else None)


def _csv(text: str, currency: str) -> list[StatementLine]:
    reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    try:
        names = [name.strip().lower() for name in reader.fieldnames or ()]
        rows = list(enumerate(reader, start=2))
    except csv.Error as error:
        wrong_line = BadLine(reader.line_num, "bad_csv", str(error))
        raise BadFile("the file is not CSV", [wrong_line]) from error
    ours = {"date", "text"}, {"amount"}, {"debit", "credit"}
    has_both, has_amount, is_parted = (part <= {*names} for part in ours)
    if not has_both or has_amount == is_parted or len({*names}) < len(names):
        raise BadFile("the columns must be date, text, and amount or debit and credit, once each")
    lines, wrong = [], []
    for number, row in rows:
        cells = {(name or "").strip().lower(): value or "" for name, value in row.items()}
        try:
            day, amount = date.fromisoformat(cells["date"].strip()), _amount(cells)
        except (ValueError, InvalidOperation) as error:
            wrong.append(BadLine(number, "bad_line", str(error)[:200]))
            continue
        code = cells.get("currency", "").strip() or currency
        lines.append(StatementLine(number, day, amount, code, one_line(cells["text"])))
    if wrong:
        raise BadFile("some lines cannot be read", wrong)
    return lines


def _amount(cells: Mapping[str, str]) -> Decimal:
    def figure(name: str) -> Decimal:
        amount = Decimal(cells.get(name, "").replace(",", "").strip() or "0")
        if not amount.is_finite():
            raise InvalidOperation(f"{name} is not an amount")
        return amount

    if "amount" in cells:
        return figure("amount")
    credit, debit = figure("credit"), figure("debit")
    if credit and debit:
        raise InvalidOperation("a line has both a debit and a credit")
    return credit or -abs(debit)
