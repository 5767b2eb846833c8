"""The journal: every ledger entry once, in an order that does not change with late commits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any, NamedTuple, TypedDict
from uuid import UUID

from django.db.models import Count, F, Q, QuerySet, Sum
from django.db.models.functions import Abs
from moneyed import get_currency

from core.db.replica import reading_connection
from core.http.csv_stream import FORMULA_STARTS
from finance.reports.frame.report import CASH, POINTS, Position, Question, Report, Row, Totals
from wallet.ledger.models import Account, Entry, Transfer
from wallet.ledger.money import PLAY_POINTS, as_decimal


class JournalRow(TypedDict):
    """A ledger entry with its transfer and account; a positive amount is a credit.

    `entry` is unique and stable: the account's id and the number of the entry in that account.
    """

    entry: str
    transfer: UUID
    key: str
    kind: str
    booked_on: date
    effective_at: datetime
    created_at: datetime
    account: UUID
    account_kind: str
    account_ref: str
    account_version: int
    player: UUID | None
    currency: str
    amount_minor: int
    amount: Decimal
    balance_after_minor: int
    reverses: UUID | None
    memo: str
    actor: str


RELATED = ("transfer", "transfer__reverses", "account", "account__player")


class Line(NamedTuple):
    """An entry with fields of its transfer and account, in the order of `COLUMNS`."""

    xid: int
    pk: int
    transfer_pk: int
    transfer: UUID
    key: str
    kind: str
    booked_on: date
    effective_at: datetime
    created_at: datetime
    reverses: UUID | None
    memo: str
    actor: str
    account: UUID
    account_kind: str
    account_ref: str
    account_shard: int
    account_version: int
    player: UUID | None
    currency: str
    amount_minor: int
    balance_after_minor: int

    @property
    def position(self) -> Position:
        return self.xid, self.pk

    @property
    def entry(self) -> str:
        return f"{self.account}:{self.account_version}"

    @property
    def amount(self) -> Decimal:
        return as_decimal(self.amount_minor, self.currency)


COLUMNS = (
    *("transfer__xid", "pk", "transfer", "transfer__public_id", "transfer__key", "transfer__kind"),
    *("transfer__booked_on", "transfer__effective_at", "transfer__created_at"),
    *("transfer__reverses__public_id", "transfer__memo", "transfer__actor"),
    *("account__public_id", "account__kind", "account__ref", "account__shard"),
    *("account_version", "account__player__public_id"),
    *("currency", "amount_minor", "balance_after_minor"),
)


def entries_after(entries: QuerySet[Entry], after: Position, size: int) -> QuerySet[Entry]:
    """Return the entries that follow a position, in the journal's order."""
    return _later(entries, after).select_related(*RELATED)[:size]


def lines_after(entries: QuerySet[Entry], after: Position, size: int) -> list[Line]:
    """Return the entries after a position as lines, which are faster than model instances."""
    return [Line._make(row) for row in _later(entries, after).values_list(*COLUMNS)[:size]]


def _later(entries: QuerySet[Entry], after: Position) -> QuerySet[Entry]:
    xid, pk = after
    later = Q(transfer__xid__gt=xid) | Q(transfer__xid=xid, pk__gt=pk)
    # The second condition follows from the first, in a form the index can use.
    return entries.filter(later, transfer__xid__gte=xid).order_by("transfer__xid", "pk")


def journal_page(question: Question, after: Position, size: int) -> Sequence[tuple[Position, Row]]:
    page = lines_after(question.entries(), after, size)
    return [(line.position, journal_row(line)) for line in page]


def journal_totals(question: Question) -> Totals:
    return totals_of(question.entries())


def totals_of(entries: QuerySet[Entry]) -> Totals:
    """Return the number of entries and transfers and the sums in and out, by currency."""
    incoming = Q(amount_minor__gt=0)
    sums: QuerySet[Entry, Any] = (
        entries.order_by("currency")
        .values("currency")
        .annotate(
            entries=Count("pk"),
            transfers=Count("transfer", distinct=True),
            in_minor=Sum("amount_minor", filter=incoming, default=0),
            out_minor=Sum(Abs(F("amount_minor")), filter=~incoming, default=0),
        )
    )
    return {row.pop("currency"): {name: int(n) for name, n in row.items()} for row in sums}


def journal_row(line: Line) -> Row:
    """Return one entry as a row of the journal."""
    return {name: getattr(line, name) for name in JournalRow.__annotations__}


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


JOURNAL = Report(
    "journal",
    "Journal",
    JournalRow,
    journal_page,
    journal_totals,
    size=lambda question: question.entries().count(),
    csv_lines=csv_lines,
    by_money=True,
)
