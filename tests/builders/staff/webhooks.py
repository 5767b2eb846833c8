"""Webhook endpoints approved by two people, and events for them."""

from __future__ import annotations

from uuid import uuid4

from django.db import transaction

from core.events import Event, record_event
from finance.webhooks.actions import approve_endpoint, request_endpoint
from finance.webhooks.models import WebhookEndpoint
from tests.builders.tables.making import make_player

ADDRESS = "https://hooks.example.com/rummy"


def make_endpoint(url: str = ADDRESS, *kinds: str) -> WebhookEndpoint:
    """Return an approved endpoint; by default for events about closed days."""
    endpoint = request_endpoint(
        url=url, kinds=kinds or [Event.Kind.DAY_CLOSED], by=make_player(is_staff=True)
    )
    return approve_endpoint(endpoint_id=endpoint.pk, by=make_player(is_staff=True))


def make_event(kind: Event.Kind = Event.Kind.DAY_CLOSED, **data: object) -> Event:
    key = str(uuid4())
    with transaction.atomic():
        record_event(kind, key=key, data=data or {"day": "2026-11-24"})
    return Event.objects.get(kind=kind, key=key)
