"""Staff actions on webhooks: request, approve, reject, change the secret, end, send again."""

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

# How long deliveries are also signed with the former secret.
FORMER_SECRET_FOR: Final = timedelta(days=1)
Status = WebhookEndpoint.Status


@transaction.atomic(durable=True)
def request_endpoint(*, url: str, kinds: Sequence[str], by: User) -> WebhookEndpoint:
    """Request a webhook; nothing is sent until another person approves it."""
    if not is_target(url, is_private_allowed=settings.WEBHOOK_PRIVATE_TARGETS):
        raise NotATarget("Enter an https URL of a public host, without a port or password.")
    endpoint = WebhookEndpoint.objects.create(url=url, kinds=sorted(set(kinds)), made_by=by)
    audit_log.record(by=by, act="ask", row=endpoint)
    return endpoint


@transaction.atomic(durable=True)
def approve_endpoint(*, endpoint_id: int, by: User) -> WebhookEndpoint:
    """Approve a webhook that another person requested; it receives events from now on."""
    return _decide(endpoint_id, Status.APPROVED, by)


@transaction.atomic(durable=True)
def reject_endpoint(*, endpoint_id: int, by: User) -> WebhookEndpoint:
    """Reject a webhook that another person requested."""
    return _decide(endpoint_id, Status.REJECTED, by)


@transaction.atomic(durable=True)
def change_secret(*, endpoint_id: int, by: User) -> WebhookEndpoint:
    """Give a webhook a new secret; deliveries are signed with the former one too for a day."""
    endpoint = _live(endpoint_id)
    before = audit_log.facts(endpoint)
    endpoint.secret_no += 1
    endpoint.former_secret_until = database_now() + FORMER_SECRET_FOR
    endpoint.save(update_fields=["secret_no", "former_secret_until"])
    audit_log.record(by=by, act="change_secret", row=endpoint, before=before)
    return endpoint


@transaction.atomic(durable=True)
def end_endpoint(*, endpoint_id: int, by: User) -> WebhookEndpoint:
    """End a webhook; pending deliveries are not sent either."""
    endpoint: WebhookEndpoint = WebhookEndpoint.objects.locked().get(pk=endpoint_id)
    if endpoint.ended_at is None:
        before = audit_log.facts(endpoint)
        endpoint.ended_at = database_now()
        endpoint.save(update_fields=["ended_at"])
        audit_log.record(by=by, act="end", row=endpoint, before=before)
    return endpoint


@transaction.atomic(durable=True)
def send_again(*, delivery_id: int, by: User) -> WebhookDelivery:
    """Send an event again, delivered or given up, with as many attempts as a new one."""
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
        raise EndpointEnded("This webhook is not approved, or it was ended.")
    return endpoint
