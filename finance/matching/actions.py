"""Store files of banks and gateways, and explain rows of their reconciliation."""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from django.conf import settings
from django.db import transaction

from core import audit_log
from core.text_validation import refuse_lines
from finance.exceptions import BadFile, NothingToExplain
from finance.matching.files import Contents, Reader, Statement, may_name
from finance.matching.formats.reading import read_bank_file
from finance.matching.gateways.files import Contents as GatewayContents
from finance.matching.gateways.files import read_file
from finance.matching.gateways.lines import Settled
from finance.matching.layouts.reading import layout_readers
from finance.matching.models import (
    BankExplanation,
    BankLine,
    BankStatement,
    GatewayFile,
    GatewayLine,
    account_key,
    masked,
    plain_account,
)
from finance.matching.queries import breaks_with_others
from finance.matching.report import BankReconciliationRow, is_open, row_key, rows_of
from finance.tokens.models import FinanceToken
from players.accounts.conflicts_of_interest import refuse_own_interest, require_reason
from players.accounts.models import User
from wallet.deposits.models import StaffTask
from wallet.ledger.money import as_money, as_text
from wallet.withdrawals.models import Withdrawal

BYTES_MAX = 20 * 1024 * 1024
LINES_AT_ONCE = 5_000
TASK_MAX = 300
Row = TypeVar("Row", BankStatement, GatewayFile)


@dataclass(frozen=True)
class Stored(Generic[Row]):
    """The rows of a file, whether they are new, and what the person uploading should know."""

    rows: list[Row]
    is_new: bool
    warnings: tuple[str, ...] = ()

    @property
    def row(self) -> Row:
        return self.rows[0]


@transaction.atomic(durable=True)
def keep_statement(
    *, name: str, body: bytes, uploaded_by: FinanceToken | User, reader: Reader | None = None
) -> Stored[BankStatement]:
    """Store a bank's file, one row for each statement; raise `BadFile` and store nothing.

    Without a `reader` the format is recognized. CSV without a currency is in the first of
    `CASH_CURRENCIES`.
    """
    sha256 = _sha256(body)
    known = list(BankStatement.objects.filter(sha256=sha256).order_by("number"))
    if known:
        return Stored(known, is_new=False)
    contents = check_statement(body, reader=reader)
    rows = []
    for number, one in enumerate(contents.statements, start=1):
        row, is_new = BankStatement.objects.get_or_create(
            sha256=sha256,
            number=number,
            defaults={
                "name": name,
                "format": contents.format,
                **_figures(one),
                **_uploader(uploaded_by),
            },
        )
        rows.append(row)
        if is_new:
            _keep_lines(row, one)
            _record(row)
    warnings = (*contents.warnings, *(text for row in rows for text in breaks_with_others(row)))
    return Stored(rows, is_new=True, warnings=warnings)


def check_statement(body: bytes, *, reader: Reader | None = None) -> Contents:
    """Return what a bank's file contains; raise `BadFile` if it cannot be stored."""
    _refuse_large(body)
    contents = read_bank_file(
        body, currency=settings.CASH_CURRENCIES[0], reader=reader, layouts=layout_readers()
    )
    strange = {one.currency for one in contents.statements} - set(settings.CASH_CURRENCIES)
    if strange:
        known = ", ".join(settings.CASH_CURRENCIES)
        raise BadFile(f"a statement is in {min(strange)}; the currencies of this site are {known}")
    return contents


@transaction.atomic(durable=True)
def keep_file(
    *, provider: str, name: str, body: bytes, uploaded_by: FinanceToken | User
) -> Stored[GatewayFile]:
    """Store a gateway's file; raise `BadFile` with its bad lines and store nothing."""
    sha256 = _sha256(body)
    known = GatewayFile.objects.filter(sha256=sha256, provider=provider).first()
    if known is not None:
        return Stored([known], is_new=False)
    contents = check_file(provider=provider, body=body)
    days = sorted({movement.day for _, movement in contents.lines})
    file, is_new = GatewayFile.objects.get_or_create(
        sha256=sha256,
        defaults={
            "provider": provider,
            "shape": contents.shape.name,
            "name": name,
            "line_count": len(contents.lines),
            "passed_over": contents.passed_over,
            "first_day": days[0] if days else None,
            "last_day": days[-1] if days else None,
            **_uploader(uploaded_by),
        },
    )
    if is_new:
        _keep_movements(file, contents)
        _ask_about_unknown(file, contents)
        _record(file)
    return Stored([file], is_new)


def check_file(*, provider: str, body: bytes) -> GatewayContents:
    """Return what a gateway's file contains; raise `BadFile` if it cannot be stored."""
    _refuse_large(body)
    return read_file(provider=provider, body=body)


def _sha256(body: bytes) -> str:
    _refuse_large(body)
    return hashlib.sha256(body).hexdigest()


def _refuse_large(body: bytes) -> None:
    if len(body) > BYTES_MAX:
        raise BadFile(f"the file is larger than {BYTES_MAX} bytes")


def _uploader(uploaded_by: FinanceToken | User) -> dict[str, FinanceToken | User]:
    return {"staff" if isinstance(uploaded_by, User) else "uploaded_by": uploaded_by}


def _record(row: BankStatement | GatewayFile) -> None:
    if row.staff is not None:
        audit_log.record(by=row.staff, act="upload", row=row)


def _figures(statement: Statement) -> dict[str, Any]:
    balances = (statement.opening, statement.closing)
    days = [line.booked_on for line in statement.lines]
    closes_on = statement.closing.day if statement.closing else None
    span = [*days, *([closes_on] if closes_on else [])]
    account = plain_account(statement.account, statement.currency)
    return {
        "account": masked(account),
        "account_key": account_key(account),
        "currency": statement.currency,
        "line_count": len(days),
        "first_day": days[0] if days else span[0],
        "last_day": max(span),
        **{
            f"{name}_minor": balance.amount_minor if balance else None
            for name, balance in zip(("opening", "closing"), balances, strict=True)
        },
    }


def _keep_lines(row: BankStatement, statement: Statement) -> None:
    BankLine.objects.bulk_create(
        (
            BankLine(
                statement=row,
                number=number,
                position=line.position,
                day=line.booked_on,
                valued_on=line.valued_on,
                amount_minor=line.amount_minor,
                references=list(filter(may_name, line.references)),
                text=line.text,
            )
            for number, line in enumerate(statement.lines, start=1)
        ),
        batch_size=LINES_AT_ONCE,
    )


def _keep_movements(file: GatewayFile, contents: GatewayContents) -> None:
    GatewayLine.objects.bulk_create(
        (
            GatewayLine(
                file=file,
                number=number,
                what=movement.what,
                reference=movement.reference,
                payment_reference=movement.payment_reference,
                currency=movement.currency,
                amount_minor=movement.amount_minor,
                at=movement.at,
                day=movement.day,
                **_settlement(movement.settled),
            )
            for number, movement in contents.lines
        ),
        batch_size=LINES_AT_ONCE,
    )


def _ask_about_unknown(file: GatewayFile, contents: GatewayContents) -> None:
    """Add a task for each line of an unknown kind; its settlement sets the amount aside."""
    StaffTask.objects.bulk_create(
        StaffTask(
            kind=StaffTask.Kind.UNKNOWN_LINE,
            details=(
                f"{file}, line {number}: {movement.unknown!r}, {movement.reference}, "
                f"{as_text(as_money(movement.amount_minor, movement.currency))}"
            )[:TASK_MAX],
        )
        for number, movement in contents.lines
        if movement.unknown
    )


def _settlement(settled: Settled | None) -> dict[str, Any]:
    if settled is None:
        return {}
    return {
        "settlement": settled.reference,
        "bank_reference": settled.bank_reference,
        "settled_on": settled.on,
        "fee_minor": settled.fee_minor,
        "tax_minor": settled.tax_minor,
    }


@transaction.atomic(durable=True)
def explain_rows(*, statement_id: int, keys: Collection[str], reason: str, by: User) -> int:
    """Explain open rows of a statement by their `row_key`; return their number.

    An explanation moves no money and changes no match: the row keeps its outcome and is no longer
    open. It is about one outcome: a row that later has another one is open again.

    Raise `NothingToExplain` if none of them is open, `ReasonMissing` without a reason, and
    `SharedInterest` if a row is about a payout to `by`, or to a player in a game with them.
    """
    require_reason(reason)
    refuse_lines(reason)
    statement = BankStatement.objects.get(pk=statement_id)
    chosen = [row for row in rows_of(statement) if is_open(row) and row_key(row) in keys]
    if not chosen:
        raise NothingToExplain("None of these rows is open. Select open rows.")
    refuse_own_interest(*_payees(chosen), by=by)
    made = BankExplanation.objects.bulk_create(
        [
            BankExplanation(statement=statement, row=row_key(row), reason=reason.strip(), staff=by)
            for row in chosen
        ],
        ignore_conflicts=True,  # A colleague has just explained it.
    )
    after = {one.row: one.reason for one in made}
    audit_log.record(
        by=by, act="explain", row=statement, before={}, after=after, reason=reason.strip()
    )
    return len(made)


def _payees(rows: Collection[BankReconciliationRow]) -> list[User]:
    payouts = [row["withdrawal"] for row in rows if row["withdrawal"]]
    found = Withdrawal.objects.filter(public_id__in=payouts).select_related("player")
    return [one.player for one in found]
