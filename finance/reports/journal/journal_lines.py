"""Write the journal's rows as CSV in PostgreSQL, which is faster than Python.

The bytes equal those of `journal_row` written by Python's csv module; a test compares the two. Each
statement copies the entries of a few thousand transfers into memory before they are sent, so that
a slow client keeps no statement running.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from django.db.models import QuerySet
from moneyed import get_currency

from core.db.replica import reading_connection
from core.http.csv_stream import FORMULA_STARTS
from finance.reports.frame.report import CASH, POINTS, Question
from wallet.ledger.models import Account, Transfer
from wallet.ledger.money import PLAY_POINTS

TRANSFERS_AT_ONCE = 5_000
PART_BYTES = 64 * 1024
LINE_END = b"\r\n"
OF_TRANSFER = (
    "id",
    "xid",
    "public_id",
    "key",
    "kind",
    "booked_on",
    "effective_at",
    "created_at",
    "reverses_id",
    "memo",
    "actor",
)
MONEY = {
    "": "true",
    CASH: f"e.currency <> '{PLAY_POINTS}'",
    POINTS: f"e.currency = '{PLAY_POINTS}'",
}
# No column is null, but COPY would quote empty strings if they meant NULL.
COPY = """
    COPY (
        SELECT
            a.public_id::text || ':' || e.account_version, t.public_id, {key}, t.kind,
            to_char(t.booked_on, 'YYYY-MM-DD'), {effective_at}, {created_at},
            a.public_id, a.kind, {ref}, e.account_version, coalesce(p.public_id::text, ''),
            e.currency, e.amount_minor, e.amount_minor * {unit}, e.balance_after_minor,
            coalesce(r.public_id::text, ''), {memo}, {actor}
        FROM ({transfers}) AS t
            JOIN wallet_entry AS e ON e.transfer_id = t.id
            JOIN wallet_account AS a ON a.id = e.account_id
            LEFT JOIN players_user AS p ON p.id = a.player_id
            LEFT JOIN wallet_transfer AS r ON r.id = t.reverses_id
        WHERE {money}
        ORDER BY t.xid, e.id
    ) TO STDOUT (FORMAT csv, NULL E'\\x01null\\x01')
"""


def csv_lines(question: Question) -> Iterator[tuple[int, bytes]]:
    """Yield the rows of the period in parts, each with its number of rows."""
    transfers = Transfer.objects.order_by().filter(
        question.period.within(transfer=""), xid__lt=question.horizon
    )
    unit, units = _unit()
    start: int | None = 0
    while start is not None:
        left = transfers.filter(xid__gte=start)
        following = left.order_by("xid").values_list("xid", flat=True)[TRANSFERS_AT_ONCE:].first()
        # The transfers of one database transaction are never split.
        end = None if following is None else max(following, start + 1)
        part = left if end is None else left.filter(xid__lt=end)
        yield from _copied(part, unit, units, MONEY[question.money])
        start = end


def _copied(
    transfers: QuerySet[Transfer], unit: str, units: list[Any], money: str
) -> Iterator[tuple[int, bytes]]:
    query, params = transfers.values(*OF_TRANSFER).query.sql_with_params()
    statement = COPY.format(
        transfers=query,
        unit=unit,
        money=money,
        key=_harmless("t.key"),
        ref=_harmless("a.ref"),
        memo=_harmless("t.memo"),
        actor=_harmless("t.actor"),
        effective_at=_iso("t.effective_at"),
        created_at=_iso("t.created_at"),
    )
    parts: list[tuple[int, bytes]] = []
    rows: list[bytes] = []
    size = 0
    with reading_connection().cursor() as cursor, cursor.copy(statement, [*units, *params]) as copy:
        for row in copy:
            # PostgreSQL ends lines with LF, RFC 4180 with CRLF.
            rows.append(bytes(row[:-1]))
            size += len(row)
            if size > PART_BYTES:
                parts.append((len(rows), LINE_END.join([*rows, b""])))
                rows, size = [], 0
    if rows:
        parts.append((len(rows), LINE_END.join([*rows, b""])))
    yield from parts


def _unit() -> tuple[str, list[Any]]:
    """Return an SQL expression for the value of a minor unit (0.01), and its parameters."""
    codes = Account.objects.order_by("currency").values_list("currency", flat=True).distinct()
    units = [(code, Decimal(1) / get_currency(code).sub_unit) for code in codes]
    cases = "WHEN %s THEN %s::numeric " * len(units)
    expression = f"CASE e.currency {cases}END" if units else "1::numeric"
    return expression, [part for unit in units for part in unit]


def _harmless(column: str) -> str:
    """Return `core.http.csv_stream.harmless` in SQL."""
    starts = ", ".join(f"E'\\x{ord(start):02x}'" for start in FORMULA_STARTS)
    is_number = f"{column} ~ '^-*([0-9]+\\.?[0-9]*|\\.[0-9]+)$'"
    prefixed = f"CASE WHEN left({column}, 1) IN ({starts}) AND NOT {is_number}"
    return f"{prefixed} THEN '''' || {column} ELSE {column} END"


def _iso(column: str) -> str:
    """Return SQL for a time in JSON's format, without fractions of a second if they are 0."""
    text = f"""to_char({column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US')"""
    return f"replace({text}, '.000000', '') || 'Z'"
