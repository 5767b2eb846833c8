"""What staff do about webhooks: ask for one, decide, give a new secret, end it, send again."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Final

from django.conf import settings
from django.db import transaction

from core import audit_log, maker_checker
from core.clock import database_now
from core.http.outgoing import is_target
from finance.exceptions import EndpointEnded, NotATarget
from finance.webhooks.models import WebhookDelivery, WebhookEndpoint
from players.accounts.models import User

# How long what is sent is signed with a former secret as well.
FORMER_SECRET_FOR: Final = timedelta(days=1)
Status = WebhookEndpoint.Status


@transaction.atomic(durable=True)
def ask_for_endpoint(*, url: str, kinds: Sequence[str], by: User) -> WebhookEndpoint:
    """Ask for events to be sent to an address; nothing is sent until another person approves."""
    if not is_target(url, is_private_allowed=settings.WEBHOOK_PRIVATE_TARGETS):
        raise NotATarget("Name a public host by https, at its usual port, without a password.")
    endpoint = WebhookEndpoint.objects.create(url=url, kinds=sorted(set(kinds)), made_by=by)
    audit_log.record(by=by, act="ask", row=endpoint)
    return endpoint


@transaction.atomic(durable=True)
def approve_endpoint(*, endpoint_id: int, by: User) -> WebhookEndpoint:
    """Approve an address that somebody else asked for: events from now on are sent there."""
    return _decide(endpoint_id, Status.APPROVED, by)


@transaction.atomic(durable=True)
def reject_endpoint(*, endpoint_id: int, by: User) -> WebhookEndpoint:
    """Reject an address that somebody else asked for."""
    return _decide(endpoint_id, Status.REJECTED, by)


@transaction.atomic(durable=True)
def change_secret(*, endpoint_id: int, by: User) -> WebhookEndpoint:
    """Give an address a new secret; for a day what is sent is signed with the former one, too."""
    endpoint = _live(endpoint_id)
    before = audit_log.facts(endpoint)
    endpoint.secret_no += 1
    endpoint.former_secret_until = database_now() + FORMER_SECRET_FOR
    endpoint.save(update_fields=["secret_no", "former_secret_until"])
    audit_log.record(by=by, act="change_secret", row=endpoint, before=before)
    return endpoint


@transaction.atomic(durable=True)
def end_endpoint(*, endpoint_id: int, by: User) -> WebhookEndpoint:
    """Send nothing more to an address, what is on its way included."""
    endpoint: WebhookEndpoint = WebhookEndpoint.objects.locked().get(pk=endpoint_id)
    if endpoint.ended_at is None:
        before = audit_log.facts(endpoint)
        endpoint.ended_at = database_now()
        endpoint.save(update_fields=["ended_at"])
        audit_log.record(by=by, act="end", row=endpoint, before=before)
    return endpoint


@transaction.atomic(durable=True)
def send_again(*, delivery_id: int, by: User) -> WebhookDelivery:
    """Send an event again, delivered or given up; it is tried as often as a new one."""
    delivery = WebhookDelivery.objects.select_for_update(no_key=True).get(pk=delivery_id)
    _live(delivery.endpoint_id)
    before = audit_log.facts(delivery)
    delivery.attempts, delivery.due_at, delivery.delivered_at = 0, database_now(), None
    delivery.save(update_fields=["attempts", "due_at", "delivered_at"])
    audit_log.record(by=by, act="send_again", row=delivery, before=before)
    return delivery


def _decide(endpoint_id: int, wanted: WebhookEndpoint.Status, by: User) -> WebhookEndpoint:
    rows = WebhookEndpoint.objects.locked()
    endpoint: WebhookEndpoint = maker_checker.undecided(rows, pk=endpoint_id, wanted=wanted, by=by)
    if endpoint.status == wanted:
        return endpoint
    return maker_checker.decide(endpoint, wanted, by=by)


def _live(endpoint_id: int) -> WebhookEndpoint:
    endpoint: WebhookEndpoint = WebhookEndpoint.objects.locked().get(pk=endpoint_id)
    if endpoint.status != Status.APPROVED or endpoint.ended_at is not None:
        raise EndpointEnded("Nothing is sent to this address.")
    return endpoint
