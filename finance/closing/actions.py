"""Close booking days: check the day's totals, hash its entries and store both permanently."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from typing import Final

from django.db import connection, transaction

from core.db.long_statements import allow_long_statements
from core.events import Event, record_event
from finance.exceptions import BooksDiffer
from finance.reports.definitions import trial_balance
from finance.reports.frame.models import DailyClose, DailyTotal
from finance.reports.frame.periods import SITE_ZONE, Period
from finance.reports.frame.report import Question
from finance.reports.journal.escrows import ended
from finance.solvency.steps import store_trees
from tables.models.tables import Table
from tournaments.leagues.models import Season
from tournaments.planning.models import Tournament
from wallet.ledger.days import end_days
from wallet.ledger.models import BookedDay, Transfer
from wallet.tax.invoices.invoices import issue_invoices

FETCHED = 5_000
# The scope for closing days; reading closes needs the scope `daily-close`.
CLOSE: Final = "close-days"


def close_days() -> list[DailyClose]:
    """Close all days that are over, the oldest first; return the new closes."""
    made = []
    while (day := next_day()) is not None:
        made.append(close_day(day=day))
    return made


def next_day() -> date | None:
    """Return the next day to close, or None if it is not over; empty days are closed too.

    A day on which a running transaction may still post is not over.
    """
    today = end_days()
    last = DailyClose.objects.first()
    if last is None:
        first = BookedDay.objects.order_by("day").first()
        return first.day if first is not None and first.day < today else None
    following = last.day + timedelta(days=1)
    return following if following < today else None


@transaction.atomic(durable=True)
def close_day(*, day: date) -> DailyClose:
    """Close a booking day; concurrent calls return the same close.

    Raise `BooksDiffer` if the trial balance is not zero, an opening balance differs from the
    previous day's closing balance, a finished game's escrow is not empty, or the tree of the
    players' balances has another total than the liability.
    """
    allow_long_statements()
    with connection.cursor() as cursor:
        cursor.execute("SELECT finance_hold_closes()")
    if made := DailyClose.objects.filter(day=day).first():
        return made
    previous = DailyClose.objects.first()
    question = _question(day)
    lines = trial_balance.lines(question)
    _refuse_differences(day, lines, previous)
    _refuse_full_escrows()

    # Closing a day also makes its invoice numbers final.
    issue_invoices()
    previous_hash = previous.control_hash if previous else ""
    control_hash, entries = _control_hash(day, lines, previous_hash)
    close = DailyClose.objects.create(
        day=day,
        closed_at=question.generated_at,
        horizon=question.horizon,
        transfers=Transfer.objects.filter(booked_on=day).count(),
        entries=entries,
        games=ended(question).count(),
        control_hash=control_hash,
        previous_hash=previous_hash,
    )
    _store_totals(close, lines)
    store_trees(close)
    counted = ("transfers", "entries", "games", "control_hash")
    data = {"day": day.isoformat(), **{name: getattr(close, name) for name in counted}}
    record_event(Event.Kind.DAY_CLOSED, key=day.isoformat(), data=data)
    return close


def _store_totals(close: DailyClose, lines: Sequence[trial_balance.Line]) -> None:
    DailyTotal.objects.bulk_create(
        DailyTotal(
            close=close,
            currency=line.currency,
            account_kind=line.account_kind,
            opening_minor=line.opening_minor,
            in_minor=line.in_minor,
            out_minor=line.out_minor,
            closing_minor=line.closing_minor,
        )
        for line in lines
    )


def _question(day: date) -> Question:
    """Return the query of a day; its transfers have all committed, so any later horizon does."""
    if not BookedDay.objects.filter(day=day, closed_at__isnull=False).exists():
        raise BooksDiffer(f"{day} is not over")
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint, ledger_now()")
        horizon, moment = cursor.fetchone()
    return Question(Period(day, day, SITE_ZONE), horizon, moment)


def _refuse_differences(
    day: date, lines: Sequence[trial_balance.Line], previous: DailyClose | None
) -> None:
    for currency in {line.currency for line in lines}:
        ours = [line for line in lines if line.currency == currency]
        if sum(line.opening_minor for line in ours) or sum(line.closing_minor for line in ours):
            raise BooksDiffer(f"{day}: the trial balance in {currency} is not zero")
    opening = {(line.currency, line.account_kind): line.opening_minor for line in lines}
    before = previous.totals.all() if previous else []
    closed = {(one.currency, one.account_kind): one.closing_minor for one in before}
    if previous is not None and previous.day != day - timedelta(days=1):
        raise BooksDiffer(f"{day} does not follow {previous.day}")
    if any(opened != closed.get(of, 0) for of, opened in opening.items()):
        raise BooksDiffer(f"the opening balances of {day} differ from the day before")


def _refuse_full_escrows() -> None:
    over = {"finished_at__isnull": False}
    for model in (Table, Tournament, Season):
        full = model.objects.filter(**over).exclude(escrow_account__balance_minor=0)
        full = full.filter(escrow_account__isnull=False)
        if one := full.first():
            raise BooksDiffer(f"{one} is finished and its escrow is not empty")


# The day's entries in the journal's order, with only columns that cannot change.
ENTRIES = """
    SELECT t.public_id::text, t.key, t.kind, a.public_id::text, e.account_version, e.currency,
        e.amount_minor, e.balance_after_minor
    FROM wallet_transfer t
        JOIN wallet_entry e ON e.transfer_id = t.id
        JOIN wallet_account a ON a.id = e.account_id
    WHERE t.booked_on = %s
    ORDER BY t.xid, e.id
"""


def _control_hash(
    day: date, lines: Sequence[trial_balance.Line], previous_hash: str
) -> tuple[str, int]:
    """Return the hash of the day's entries and balances, and the number of entries."""
    digest, count = hashlib.sha256(previous_hash.encode()), 0
    with connection.chunked_cursor() as cursor:
        cursor.execute(ENTRIES, [day])
        while rows := cursor.fetchmany(FETCHED):
            count += len(rows)
            for row in rows:
                digest.update(_hashed(row))
    for line in lines:
        values = (line.currency, line.account_kind, line.opening_minor, line.closing_minor)
        digest.update(_hashed(values))
    return digest.hexdigest(), count


def _hashed(values: Iterable[object]) -> bytes:
    return ("|".join(map(str, values)) + "\n").encode()
