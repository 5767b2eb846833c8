"""The journal as finance reads it: every entry once, in an order that no late commit disturbs.

Entries come in the order of the database transactions that made them, and only from transactions
older than every unfinished one. A page that was read stays as it was, and what commits later comes
later; by ids alone, a slow transaction would slip in behind a reader who has passed.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import Any, ClassVar

from django.db import connection
from django.db.models import Count, F, Q, QuerySet, Sum
from django.db.models.functions import Abs

from wallet.exceptions import WalletError
from wallet.models import Entry

CHUNK = 2_000


class BadCursor(WalletError):
    """The cursor is not one this interface gave out, or belongs to other days."""

    code: ClassVar[str] = "bad_cursor"
    status: ClassVar[int] = 400


@dataclass(frozen=True)
class Selection:
    """The entries booked on certain days, up to a horizon behind which nothing changes."""

    horizon: int
    booked_from: date | None = None
    booked_to: date | None = None

    @classmethod
    def of_days(cls, booked_from: date | None, booked_to: date | None) -> Selection:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint")
            return cls(cursor.fetchone()[0], booked_from, booked_to)

    def entries(self) -> QuerySet[Entry]:
        entries = Entry.objects.filter(transfer__xid__lt=self.horizon)
        if self.booked_from is not None:
            entries = entries.filter(transfer__booked_on__gte=self.booked_from)
        if self.booked_to is not None:
            entries = entries.filter(transfer__booked_on__lte=self.booked_to)
        return entries

    def page(self, after: Cursor, size: int) -> list[Entry]:
        """Return the entries that follow a cursor, at most `size`."""
        later = Q(transfer__xid__gt=after.xid) | Q(transfer__xid=after.xid, pk__gt=after.entry)
        # The first condition follows from the second, in a form the index can use.
        entries = self.entries().filter(later, transfer__xid__gte=after.xid)
        related = ("transfer", "transfer__reverses", "account", "account__player")
        return list(entries.order_by("transfer__xid", "pk").select_related(*related)[:size])

    def chunks(self, after: Cursor) -> Iterator[list[Entry]]:
        """Walk through everything that follows a cursor, a chunk in memory at a time."""
        while chunk := self.page(after, CHUNK):
            yield chunk
            after = after.past(chunk[-1])

    def control_totals(self) -> dict[str, dict[str, int]]:
        """Return what a complete copy must add up to, by currency, whatever page is asked for."""
        incoming = Q(amount_minor__gt=0)
        sums: QuerySet[Entry, Any] = (
            self.entries()
            .order_by()
            .values("currency")
            .annotate(
                entries=Count("pk"),
                transfers=Count("transfer", distinct=True),
                in_minor=Sum("amount_minor", filter=incoming, default=0),
                out_minor=Sum(Abs(F("amount_minor")), filter=~incoming, default=0),
            )
        )
        return {row.pop("currency"): {name: int(n) for name, n in row.items()} for row in sums}


@dataclass(frozen=True)
class Cursor:
    """Where a reader is in a selection: behind this entry."""

    selection: Selection
    xid: int = 0
    entry: int = 0

    @classmethod
    def parse(cls, text: str) -> Cursor:
        try:
            *numbers, first, last = json.loads(base64.urlsafe_b64decode(text.encode()))
            horizon, xid, entry = (int(number) for number in numbers)
            days = [date.fromisoformat(day) if day else None for day in (first, last)]
        except (ValueError, TypeError, OverflowError, RecursionError) as error:
            raise BadCursor("the cursor is not one this interface gave out") from error
        if not all(0 <= number < 2**63 for number in (horizon, xid, entry)):
            raise BadCursor("the cursor is out of range")
        return cls(Selection(horizon, *days), xid, entry)

    def __str__(self) -> str:
        days = (self.selection.booked_from, self.selection.booked_to)
        numbers = (self.selection.horizon, self.xid, self.entry)
        parts = [*numbers, *(day.isoformat() if day else "" for day in days)]
        return base64.urlsafe_b64encode(json.dumps(parts).encode()).decode()

    def past(self, entry: Entry) -> Cursor:
        return Cursor(self.selection, entry.transfer.xid, entry.pk)


def journal_row(entry: Entry) -> dict[str, Any]:
    """Return one entry as finance reads it; the same names in JSON and CSV."""
    transfer, account = entry.transfer, entry.account
    return {
        "transfer": str(transfer.public_id),
        "key": transfer.key,
        "kind": transfer.kind,
        "booked_on": transfer.booked_on.isoformat(),
        "effective_at": transfer.effective_at.isoformat(),
        "created_at": transfer.created_at.isoformat(),
        "account": str(account.public_id),
        "account_kind": account.kind,
        "account_ref": account.ref,
        "account_version": entry.account_version,
        "player": str(account.player.public_id) if account.player else "",
        "currency": entry.currency,
        "amount_minor": entry.amount_minor,
        "amount": str(entry.amount.amount),
        "balance_after_minor": entry.balance_after_minor,
        "reverses": str(transfer.reverses.public_id) if transfer.reverses else "",
        "memo": transfer.memo,
        "actor": transfer.actor,
    }


COLUMNS = (
    *("transfer", "key", "kind", "booked_on", "effective_at", "created_at"),
    *("account", "account_kind", "account_ref", "account_version", "player"),
    *("currency", "amount_minor", "amount", "balance_after_minor", "reverses", "memo", "actor"),
)
