"""Seal posted transfers in blocks: each seal is a hash over its block and the seal before it.

The newest seal is also sent off this host, to a mailbox or an HTTPS endpoint. The owner of the
database could rewrite the history and seal it again; it would be consistent, but differ from the
heads that others keep (`manage.py audit_ledger --head HASH`).
"""

from __future__ import annotations

from datetime import date, datetime, timedelta
from smtplib import SMTPException

import psycopg
import requests
import structlog
from django.conf import settings
from django.core.mail import send_mail
from django.db import DatabaseError, transaction
from django.db.models import QuerySet
from django.db.models.functions import TruncDate

from core.clock import database_now
from wallet.audit.models import RowVersion, Seal, SentHead
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


TIMEOUT_SECONDS = 10


def destinations() -> list[str]:
    """Return the configured e-mail addresses and URL."""
    return [*settings.SEAL_HEADS_EMAIL, *filter(None, [settings.SEAL_HEADS_URL])]


def send_heads() -> list[SentHead]:
    """Send the newest seal to each destination that lacks it; return what was sent.

    Failed destinations are tried again in the next run.
    """
    head = Seal.objects.latest_first().first()
    if head is None:
        return []
    sent = []
    for place in destinations():
        if SentHead.objects.filter(sent_to=place, number=head.number).exists():
            continue
        try:
            _post_head(head, place) if place.startswith("http") else _mail_head(head, place)
        except (requests.RequestException, SMTPException, OSError) as error:
            log.warning("seal_head_not_sent", sent_to=place, number=head.number, error=str(error))
            continue
        sent.append(SentHead.objects.create(number=head.number, hash=head.hash, sent_to=place))
    return sent


def _mail_head(head: Seal, address: str) -> None:
    subject = f"Seal {head.number} of {settings.PUBLIC_URL or 'the ledger'}"
    send_mail(subject, f"{head}\n", None, [address])


def _post_head(head: Seal, url: str) -> None:
    token = settings.SEAL_HEADS_TOKEN
    answer = requests.post(
        url,
        json={
            "site": settings.PUBLIC_URL,
            "number": head.number,
            "hash": head.hash,
            "sealed_at": head.sealed_at.isoformat(),
        },
        headers={"Authorization": f"Bearer {token}"} if token else {},
        timeout=TIMEOUT_SECONDS,
        allow_redirects=False,
    )
    answer.raise_for_status()
    if answer.status_code >= 300:
        raise requests.RequestException(f"{url} answered {answer.status_code}")
