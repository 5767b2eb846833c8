"""Entries posted by the current database transaction, for previews of staff actions."""

from __future__ import annotations

from django.db import connection

from core.admin.previews import MovedLine
from wallet.ledger.models import Entry
from wallet.ledger.money import as_text


def moved_now() -> list[MovedLine]:
    """Return the entries of this transaction's transfers in posting order."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_current_xact_id()::text::bigint")
        [xid] = cursor.fetchone()
    entries = Entry.objects.filter(transfer__xid=xid).select_related("transfer", "account__player")
    return [
        MovedLine(
            what=entry.transfer.get_kind_display(),
            account=entry.account.picker_label,
            amount=as_text(entry.amount),
            left=as_text(entry.balance_after),
        )
        for entry in entries.order_by("pk")
    ]
