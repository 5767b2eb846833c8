"""Sign and deliver events to webhooks; the rows of `WebhookDelivery` are the queue.

Signatures are HMAC-SHA256 over id, timestamp and body (Standard Webhooks 1.0).

Each attempt is saved before it is made, with the time of the next one, so that a delivery is due
again if its worker dies. No transaction is open during an HTTP request.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from datetime import datetime, timedelta
from typing import Final

import structlog
from django.conf import settings
from django.db import transaction
from django.utils.crypto import salted_hmac

from core.clock import database_now
from core.events import Event
from core.http import outgoing
from core.tasks import enqueue
from finance.webhooks.models import WebhookDelivery, WebhookEndpoint, live_endpoints

SALT: Final = "finance.webhooks"
PREFIX: Final = "whsec_"


def secret_of(endpoint: WebhookEndpoint) -> str:
    """Return the current secret in the receiver's format."""
    return PREFIX + base64.b64encode(_derived(endpoint, endpoint.secret_no)).decode()


def signed_headers(
    endpoint: WebhookEndpoint, *, message_id: str, body: bytes, now: datetime
) -> dict[str, str]:
    """Return the id, timestamp and signature headers, with one signature for each valid secret.

    Valid are the current secret, for a day the former one, and both as derived from the
    installation's former keys (`SECRET_KEY_FALLBACKS`).
    """
    moment = str(int(now.timestamp()))
    signed = f"{message_id}.{moment}.".encode() + body
    signatures = [
        base64.b64encode(hmac.digest(secret, signed, hashlib.sha256)).decode()
        for secret in _secrets(endpoint, now)
    ]
    return {
        "webhook-id": message_id,
        "webhook-timestamp": moment,
        "webhook-signature": " ".join(f"v1,{signature}" for signature in signatures),
    }


def _secrets(endpoint: WebhookEndpoint, now: datetime) -> list[bytes]:
    numbers = [endpoint.secret_no]
    if endpoint.former_secret_until and endpoint.former_secret_until > now:
        numbers.append(endpoint.secret_no - 1)
    keys = [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]
    return [_derived(endpoint, number, key) for key in keys for number in numbers]


def _derived(endpoint: WebhookEndpoint, number: int, key: str | None = None) -> bytes:
    value = f"{endpoint.pk}:{number}"
    return salted_hmac(SALT, value, secret=key, algorithm="sha256").digest()


PLANNED_AT_ONCE: Final = 500
# The limit of one task, so that other endpoints get their turn.
SENT_AT_ONCE: Final = 50
# The pauses after the first, second, … failed attempt: two and a half days in all.
PAUSES: Final = tuple(
    timedelta(seconds=seconds)
    for seconds in (10, 60, 300, 1_800, 7_200, 21_600, 43_200, 43_200, 86_400)
)
KEPT_FOR: Final = timedelta(days=30)

log = structlog.get_logger(__name__)


def sweep_webhooks() -> None:
    """Plan deliveries of new events, and queue a task for each endpoint with due deliveries."""
    while plan_deliveries() == PLANNED_AT_ONCE:
        pass
    due = WebhookDelivery.objects.due(database_now()).order_by("endpoint")
    for endpoint_id in due.values_list("endpoint", flat=True).distinct():
        enqueue("finance.deliver_webhooks", endpoint_id)


@transaction.atomic(durable=True)
def plan_deliveries() -> int:
    """Plan deliveries of up to `PLANNED_AT_ONCE` new events; return the number of events."""
    now = database_now()
    events = list(Event.objects.unplanned().locked()[:PLANNED_AT_ONCE])
    endpoints: list[WebhookEndpoint] = list(live_endpoints())
    WebhookDelivery.objects.bulk_create(
        [
            WebhookDelivery(endpoint=endpoint, event=event, due_at=now)
            for event in events
            for endpoint in endpoints
            if event.kind in endpoint.kinds
        ],
        ignore_conflicts=True,
    )
    Event.objects.filter(pk__in=[event.pk for event in events]).update(planned_at=now)
    return len(events)


def deliver_webhooks(*, endpoint_id: int) -> int:
    """Send an endpoint its due deliveries, the oldest event first; return how many succeeded.

    Stop at the first failure, so that an unreachable endpoint costs one timeout.
    """
    for sent in range(SENT_AT_ONCE):
        delivery = _begin_attempt(endpoint_id)
        if delivery is None or not _attempt(delivery):
            return sent
    return SENT_AT_ONCE


def forget_events() -> int:
    """Delete events older than a month and their deliveries; return the number of events."""
    old = Event.objects.filter(happened_at__lt=database_now() - KEPT_FOR)
    _deleted, by_model = old.exclude(deliveries__due_at__isnull=False).delete()
    return by_model.get("core.Event", 0)


@transaction.atomic(durable=True)
def _begin_attempt(endpoint_id: int) -> WebhookDelivery | None:
    now = database_now()
    due = WebhookDelivery.objects.due(now).filter(endpoint=endpoint_id)
    delivery = due.select_related("event", "endpoint").order_by("event").locked().first()
    if delivery is None:
        return None
    pause = PAUSES[min(delivery.attempts, len(PAUSES) - 1)]
    delivery.attempts += 1
    delivery.due_at = now + pause
    delivery.save(update_fields=["attempts", "due_at"])
    return delivery


def _attempt(delivery: WebhookDelivery) -> bool:
    """Send a delivery and save the result; return whether the endpoint accepted it."""
    event, now = delivery.event, database_now()
    body = _body(event)
    headers = signed_headers(delivery.endpoint, message_id=str(event.public_id), body=body, now=now)
    try:
        status = outgoing.post(
            delivery.endpoint.url,
            body,
            {"Content-Type": "application/json", "User-Agent": "pool-rummy-webhooks", **headers},
            is_private_allowed=settings.WEBHOOK_PRIVATE_TARGETS,
        )
        is_taken, answer = 200 <= status < 300, str(status)
    except outgoing.NotSentError as error:
        is_taken, answer = False, str(error)
    _note(delivery, is_taken=is_taken, answer=answer, now=now)
    return is_taken


def _note(delivery: WebhookDelivery, *, is_taken: bool, answer: str, now: datetime) -> None:
    mine = WebhookDelivery.objects.filter(pk=delivery.pk, attempts=delivery.attempts)
    if is_taken:
        mine.update(due_at=None, delivered_at=now, answer=answer[:100])
        return
    is_last = delivery.attempts > len(PAUSES)
    mine.update(answer=answer[:100], **({"due_at": None} if is_last else {}))
    log.log(
        40 if is_last else 30,
        "webhook_given_up" if is_last else "webhook_not_taken",
        delivery=delivery.pk,
        endpoint=delivery.endpoint_id,
        attempts=delivery.attempts,
        answer=answer[:100],
    )


def _body(event: Event) -> bytes:
    message = {
        "id": str(event.public_id),
        "type": event.kind,
        "timestamp": event.happened_at.isoformat(),
        "data": json.loads(event.body),
    }
    return json.dumps(message, ensure_ascii=False).encode()
