"""Seal posted transfers in blocks: each seal is a hash over its block and the seal before it."""

from __future__ import annotations

from datetime import date, datetime, timedelta

import psycopg
import structlog
from django.db import DatabaseError, transaction
from django.db.models import QuerySet
from django.db.models.functions import TruncDate

from core.clock import database_now
from wallet.audit.models import RowVersion, Seal
from wallet.deposits.models import StaffTask
from wallet.exceptions import SealRefused, SealsMissing
from wallet.ledger.models import Transfer

# The approximate number of transfers per block: a backlog is sealed in steps.
TRANSFERS_MAX = 10_000
# Sealing runs every few seconds; a transfer unsealed for this long becomes a staff task.
LATE_AFTER = timedelta(minutes=10)

log = structlog.get_logger(__name__)


def seal_ledger() -> list[Seal]:
    """Seal every finished transfer; return the new seals, none if there is nothing new.

    Each block has its own database transaction. Does nothing while another process seals. Raise
    `SealRefused` for a rewritten transfer, `SealsMissing` if seals were deleted: sealing stops
    there
    until the row is restored, and staff get a task.
    """
    made: list[Seal] = []
    try:
        while new := list(Seal.objects.raw("SELECT * FROM ledger_seal(%s)", [TRANSFERS_MAX])):
            made += new
    except DatabaseError as error:
        _alarm(error)
        raise
    return made


def report_late_seals() -> StaffTask | None:
    """Create a task, once, about the transfer that has been unsealed for too long."""
    oldest = unsealed().order_by("xid", "pk").first()
    if oldest is None or oldest.created_at > database_now() - LATE_AFTER:
        return None
    return _task(StaffTask.Kind.SEAL_LATE, oldest, f"posted at {_minute(oldest.created_at)} UTC")


def daily_head(day: date) -> Seal | None:
    """Return the last seal of a day (Asia/Kolkata), to be printed and kept elsewhere."""
    made = Seal.objects.annotate(day=TruncDate("sealed_at")).filter(day=day)
    return made.latest_first().first()


def _alarm(error: DatabaseError) -> None:
    """Create a task about a refusal of the database, and raise it as its own error."""
    if not isinstance(error.__cause__, psycopg.Error):
        return
    diagnosis, sqlstate = error.__cause__.diag, error.__cause__.sqlstate
    said = diagnosis.message_primary or str(error)
    if sqlstate == SealRefused.sqlstate:
        _task(
            StaffTask.Kind.SEAL_REFUSED,
            Transfer.objects.get(pk=int(diagnosis.message_detail or 0)),
            said,
        )
        raise SealRefused(said) from error
    if sqlstate == SealsMissing.sqlstate:
        newest = Transfer.objects.order_by("pk").last()
        if newest and not StaffTask.objects.undone().filter(kind=StaffTask.Kind.SEALS_MISSING):
            _task(StaffTask.Kind.SEALS_MISSING, newest, said)
        raise SealsMissing(said) from error


@transaction.atomic
def _task(kind: StaffTask.Kind, transfer: Transfer, details: str) -> StaffTask:
    task, is_new = StaffTask.objects.get_or_create(
        transfer=transfer, kind=kind, defaults={"details": details[:300]}
    )
    if is_new:
        log.error("sealing_alarm", alarm=kind.value, transfer=transfer.pk, details=details)
    return task


def _minute(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M}"


def unsealed() -> QuerySet[Transfer]:
    """Return the unsealed transfers; with running workers, those of the last seconds."""
    head = Seal.objects.latest_first().first()
    return Transfer.objects.filter(xid__gte=head.to_xid if head else 0)


def missing_seals() -> int:
    """Return how many seals were deleted from the end of the chain, according to row versions."""
    made = RowVersion.objects.filter(relation="wallet_seal").order_by("-pk").first()
    head = Seal.objects.latest_first().first()
    return max(0, (int(made.facts["number"]) if made else 0) - (head.number if head else 0))
