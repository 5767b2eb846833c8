"""The audit of gateway events: verify each signature again and compare the columns.

A database login can insert event rows but does not know the webhook's secret: an event that no
listed secret verifies is reported. Runs with the ledger audit (`LEDGER_AUDIT_CHECKS`).
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from typing import Final

import structlog
from django.db import connection, transaction

from wallet.audit.audit import Finding, Note
from wallet.audit.starts import SET, Start
from wallet.deposits.deposits import possible_references
from wallet.deposits.models import GatewayEvent
from wallet.exceptions import WalletError
from wallet.gateways import gateway_on_record

log = structlog.get_logger(__name__)

BATCH: Final = 500
LOG_EVERY_SECONDS: Final = 30
# Columns of an event that must equal its signed body.
COMPARED: Final = (
    "kind",
    "order_reference",
    "payment_reference",
    "case_reference",
    "currency",
    "amount_minor",
    "fee_minor",
    "tax_minor",
    "moved_minor",
)
_NEW: Final = "SELECT DISTINCT key FROM wallet_new_keys('wallet_gatewayevent') ORDER BY key"
Source = GatewayEvent.Source


def findings(start: Start) -> Iterator[Finding | Note]:
    """Yield signed events that fail verification, among all events or the new ones."""
    looked_at: Counter[str] = Counter()
    logged = time.monotonic()
    for event in _events(start):
        looked_at[event.source] += 1
        if event.source == Source.SIGNED:
            yield from differences(event)
        if time.monotonic() - logged > LOG_EVERY_SECONDS:
            logged = time.monotonic()
            log.info("gateway_events_verified", events=looked_at.total())
    yield Note(
        f"{looked_at[Source.SIGNED]} signed gateway events verified; unsigned: "
        f"{looked_at[Source.FILE]} from settlement files, {looked_at[Source.STAFF]} by staff"
    )


def differences(event: GatewayEvent) -> Iterator[Finding]:
    """Yield what is wrong with a signed event: its signature, or columns that differ."""
    subject = f"gateway event {event.pk}"
    try:
        said = gateway_on_record(event.provider).read_event(
            body=bytes(event.body), headers=event.headers, at=event.received_at
        )
    except WalletError as refusal:
        yield Finding("event_not_verified", subject, f"{refusal.code}: {refusal}")
        return
    # Not narrowed: a forged row could otherwise be chosen so that it ends the audit before it
    # reads the others. The method reads no database, so this hides no failure of a connection.
    except Exception as error:
        yield Finding("event_not_verified", subject, f"{type(error).__name__}: {error}")
        return
    if event.event_reference not in possible_references(said):
        detail = f"its reference is {event.event_reference}, its message has {said.reference}"
        yield Finding("event_differs", subject, detail)
    for name in COMPARED:
        kept, signed = getattr(event, name), getattr(said, name)
        if kept != signed:
            yield Finding("event_differs", subject, f"its {name} is {kept}, its body has {signed}")


def _events(start: Start) -> Iterator[GatewayEvent]:
    """Yield events by key, in batches: no transaction is open while signatures are verified."""
    if start.is_beginning:
        last = 0
        events = GatewayEvent.objects.order_by("pk")
        while batch := list(events.filter(pk__gt=last)[:BATCH]):
            yield from batch
            last = batch[-1].pk
        return
    with transaction.atomic(), connection.cursor() as cursor:
        settings = start.settings()
        cursor.execute(SET, [list(settings), list(settings.values())])
        cursor.execute(_NEW)
        keys = [key for (key,) in cursor.fetchall()]
    for first in range(0, len(keys), BATCH):
        yield from GatewayEvent.objects.filter(pk__in=keys[first : first + BATCH]).order_by("pk")
