"""A bank statement against payouts: line by line, by the references that the bank carries.

Reads MT940, and CSV with the columns `date`, `text` and `amount` (debits negative), or `debit` and
`credit` instead of the amount. Nothing is stored.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal, InvalidOperation

import mt940  # type: ignore[import-untyped]
from django.db.models import Q

from finance.exceptions import BadFile, BadLine
from wallet.ledger.money import as_money
from wallet.payments.withdrawal_models import Withdrawal

MATCHED, AMOUNT_DIFFERS = "matched", "amount differs"
# A debit that names no payout; a credit, which is none; a payout noted as paid that is not there.
MISSING_OURS, CREDIT, MISSING_THEIRS = "missing ours", "credit", "missing theirs"
# A debit for a payout whose money is back in the wallet; a credit for one whose money is not.
NOTED_AS_REFUSED, CAME_BACK = "noted as refused", "came back"
# Signs of MT940: a debit, and a credit that is taken back.
DEBITS = ("D", "RC")
# What mt-940, which has no exceptions of its own, raises for a text that it cannot read: tags that
# are unknown, in the wrong place or unlike their pattern, and figures and dates that are none.
NO_MT940 = (
    AssertionError,
    AttributeError,
    InvalidOperation,
    RuntimeError,
    ValueError,
    re.error,
)
COLUMNS = ("line", "day", "amount", "currency", "outcome", "withdrawal", "ours", "status", "text")
REFERENCE = re.compile(r"[A-Z0-9]{6,}")


@dataclass(frozen=True)
class StatementLine:
    """A line of a statement; money that left the account is negative."""

    number: int
    day: date
    amount: Decimal
    currency: str
    text: str

    @property
    def references(self) -> set[str]:
        """Return what in the text may be a reference, whole words and their parts."""
        words = self.text.upper().split()
        return {*words, *(part for word in words for part in REFERENCE.findall(word))}


def read_statement(body: bytes, *, currency: str) -> list[StatementLine]:
    """Return the lines of a statement; raise `BadFile` if it is neither MT940 nor such a CSV."""
    try:
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadFile("the file is not text in UTF-8") from error
    if "\0" in text:  # As in UTF-16 without its mark.
        raise BadFile("the file is not text in UTF-8")
    lines = _mt940(text) if ":60F:" in text or ":60M:" in text else _csv(text, currency)
    if not lines:
        raise BadFile("the file has no lines of a statement")
    return lines


def _mt940(text: str) -> list[StatementLine]:
    try:
        found = list(mt940.models.Transactions().parse(text))
    except NO_MT940 as error:
        raise BadFile("the file is no MT940") from error
    lines = []
    for number, one in enumerate(found, start=1):
        data, amount = one.data, one.data["amount"]
        figure = -abs(amount.amount) if data["status"] in DEBITS else abs(amount.amount)
        names = ("customer_reference", "bank_reference", "extra_details", "transaction_details")
        words = " ".join(str(data.get(name) or "") for name in names)
        lines.append(StatementLine(number, data["date"], figure, amount.currency, _one_line(words)))
    return lines


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
        raise BadFile("the columns are date, text, and amount or debit and credit, once each")
    lines, wrong = [], []
    for number, row in rows:
        cells = {(name or "").strip().lower(): value or "" for name, value in row.items()}
        try:
            day, amount = date.fromisoformat(cells["date"].strip()), _amount(cells)
        except (ValueError, InvalidOperation) as error:
            wrong.append(BadLine(number, "bad_line", str(error)[:200]))
            continue
        code = cells.get("currency", "").strip() or currency
        lines.append(StatementLine(number, day, amount, code, _one_line(cells["text"])))
    if wrong:
        raise BadFile("some lines cannot be read", wrong)
    return lines


def _amount(cells: Mapping[str, str]) -> Decimal:
    def figure(name: str) -> Decimal:
        amount = Decimal(cells.get(name, "").replace(",", "").strip() or "0")
        if not amount.is_finite():
            raise InvalidOperation(f"{name} is no amount")
        return amount

    if "amount" in cells:
        return figure("amount")
    credit, debit = figure("credit"), figure("debit")
    if credit and debit:
        raise InvalidOperation("a line is a debit or a credit")
    return credit or -abs(debit)


def _one_line(text: str) -> str:
    return " ".join(text.split())


def matched(lines: Sequence[StatementLine]) -> Iterator[dict[str, str]]:
    """Yield each line with its payout, then the payouts of these days that no line names.

    A payout is known by its short reference or by the bank's, whichever the line names; each is
    matched once.
    """
    payouts = _payouts(lines)
    named = [[payouts[name] for name in line.references & payouts.keys()] for line in lines]
    came_back = {
        one.pk
        for line, of in zip(lines, named, strict=True)
        for one in of
        if line.amount > 0 and _agrees(line, one)
    }
    seen: set[int] = set()
    for line, of in zip(lines, named, strict=True):
        left = [one for one in of if line.amount > 0 or one.pk not in seen]
        # Of several, the first with this amount.
        withdrawal = min(left, key=lambda one: (not _agrees(line, one), one.pk), default=None)
        if withdrawal is not None and line.amount < 0:
            seen.add(withdrawal.pk)
        yield _row(line, withdrawal, came_back)
    days = [line.day for line in lines]
    unnamed = Withdrawal.objects.filter(
        status=Withdrawal.Status.PAID,
        closed_at__date__range=(min(days), max(days)),
        currency__in={line.currency for line in lines},
    ).exclude(pk__in=seen)
    for withdrawal in unnamed.order_by("pk"):
        yield {
            **dict.fromkeys(COLUMNS, ""),
            **_ours(withdrawal),
            "currency": withdrawal.currency,
            "outcome": MISSING_THEIRS,
        }


def _payouts(lines: Sequence[StatementLine]) -> dict[str, Withdrawal]:
    """Return the payouts that a statement may name, by each of their references."""
    names = set().union(*(line.references for line in lines))
    sent = Withdrawal.objects.filter(batch__isnull=False).with_short_reference()
    found: dict[str, Withdrawal] = {}
    for one in sent.filter(Q(reference__in=names) | Q(bank_reference__in=names)).order_by("pk"):
        found[one.short_reference] = one
        if one.bank_reference:
            found[one.bank_reference] = one
    return found


def _row(
    line: StatementLine, withdrawal: Withdrawal | None, came_back: Collection[int]
) -> dict[str, str]:
    return {
        **dict.fromkeys(COLUMNS, ""),
        **(_ours(withdrawal) if withdrawal else {}),
        "line": str(line.number),
        "day": line.day.isoformat(),
        "amount": str(line.amount),
        "currency": line.currency,
        "outcome": _outcome(line, withdrawal, came_back),
        "text": line.text,
    }


def _outcome(line: StatementLine, withdrawal: Withdrawal | None, came_back: Collection[int]) -> str:
    if withdrawal is None:
        return CREDIT if line.amount > 0 else MISSING_OURS
    if not _agrees(line, withdrawal):
        return AMOUNT_DIFFERS
    is_refused = withdrawal.status == Withdrawal.Status.FAILED
    if line.amount > 0:
        return MATCHED if is_refused else CAME_BACK
    # What the bank sent and gave back is as good as never sent.
    return NOTED_AS_REFUSED if is_refused and withdrawal.pk not in came_back else MATCHED


def _agrees(line: StatementLine, withdrawal: Withdrawal) -> bool:
    """Return whether a line, of either direction, is of a payout's amount."""
    ours = as_money(withdrawal.payout_minor, withdrawal.currency)
    return (abs(line.amount), line.currency) == (ours.amount, withdrawal.currency)


def _ours(withdrawal: Withdrawal) -> dict[str, str]:
    return {
        "withdrawal": str(withdrawal.public_id),
        "ours": str(-withdrawal.payout.amount),
        "status": withdrawal.status,
    }
