"""Store bank statements; uploading the same bytes again returns the same statement."""

from __future__ import annotations

import hashlib
from decimal import Decimal
from typing import cast

from django.conf import settings
from django.db import transaction
from moneyed import Money

from core import audit_log
from finance.exceptions import BadFile, BadLine
from finance.matching.bank_models import BankLine, BankStatement
from finance.matching.formats.statements import read_statement
from finance.matching.statement_lines import StatementLine
from finance.reports.frame.periods import EARLIEST, LATEST
from finance.tokens.models import FinanceToken
from players.accounts.models import User
from wallet.exceptions import InexactAmount
from wallet.ledger.money import MINOR_UNITS_MAX, minor_units

BYTES_MAX = 20 * 1024 * 1024
LINES_AT_ONCE = 5_000
# More than any bank writes, and less than the limit of a spreadsheet's cell.
TEXT_MAX = 10_000


@transaction.atomic(durable=True)
def keep_statement(
    *, name: str, body: bytes, uploaded_by: FinanceToken | User
) -> tuple[BankStatement, bool]:
    """Return the statement with these bytes, and whether it is new; raise `BadFile`.

    A CSV without a currency is in the first of `CASH_CURRENCIES`.
    """
    sha256 = hashlib.sha256(body).hexdigest()
    known = BankStatement.objects.filter(sha256=sha256).first()
    if known is not None:
        return known, False
    currency, lines, closing_minor = check_statement(body)
    is_staff = isinstance(uploaded_by, User)
    days = [line.day for line in lines]
    statement, is_new = BankStatement.objects.get_or_create(
        sha256=sha256,
        defaults={
            "name": name,
            "currency": currency,
            "line_count": len(lines),
            "first_day": min(days),
            "last_day": max(days),
            "closing_minor": closing_minor,
            "staff" if is_staff else "uploaded_by": uploaded_by,
        },
    )
    if is_new:
        for line in lines:
            line.statement = statement
        BankLine.objects.bulk_create(lines, batch_size=LINES_AT_ONCE)
        if is_staff:
            audit_log.record(by=cast(User, uploaded_by), act="upload", row=statement)
    return statement, is_new


def check_statement(body: bytes) -> tuple[str, list[BankLine], int | None]:
    """Return a statement's currency, lines and closing balance; raise `BadFile` with bad lines."""
    if len(body) > BYTES_MAX:
        raise BadFile(f"the file is larger than {BYTES_MAX} bytes")
    found = read_statement(body, currency=settings.CASH_CURRENCIES[0])
    currencies = {line.currency for line in found.lines}
    if len(currencies) > 1 or not currencies <= set(settings.CASH_CURRENCIES):
        raise BadFile(f"all lines must be in one currency of {', '.join(settings.CASH_CURRENCIES)}")
    [currency] = currencies
    lines, wrong = [], []
    for line in found.lines:
        if not EARLIEST <= line.day <= LATEST:
            message = f"{line.day} is not between {EARLIEST} and {LATEST}"
            wrong.append(BadLine(line.number, "bad_day", message))
            continue
        if len(line.text) > TEXT_MAX:
            message = f"the text is longer than {TEXT_MAX} characters"
            wrong.append(BadLine(line.number, "bad_text", message))
            continue
        try:
            lines.append(_line(line, currency))
        except InexactAmount as error:
            wrong.append(BadLine(line.number, "bad_amount", str(error)[:200]))
    if wrong:
        raise BadFile("some lines cannot be read", wrong)
    return currency, lines, None if found.closing is None else _minor(found.closing, currency)


def _line(line: StatementLine, currency: str) -> BankLine:
    return BankLine(
        number=line.number,
        day=line.day,
        amount_minor=_minor(line.amount, currency),
        text=line.text,
    )


def _minor(amount: Decimal, currency: str) -> int:
    minor = minor_units(Money(amount, currency))
    if abs(minor) > MINOR_UNITS_MAX:
        raise InexactAmount(f"{amount} is too large")
    return minor
