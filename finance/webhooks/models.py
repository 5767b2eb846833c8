"""Webhook endpoints, and the deliveries of events to them."""

from __future__ import annotations

from datetime import datetime
from typing import Any, ClassVar, Self

from django.contrib.postgres.fields import ArrayField
from django.db import models

from core.db.identifiers import ProtectedForeignKey
from core.events import Event
from core.maker_checker import Checked


class WebhookEndpoint(Checked):
    """An address that receives events, requested by one person and approved by another.

    Its secret is not stored: it is derived from the installation's key and `secret_no`.
    """

    url = models.CharField(max_length=500)
    kinds = ArrayField(models.CharField(max_length=30, choices=Event.Kind))
    secret_no = models.PositiveSmallIntegerField(default=1, editable=False)
    # Until this time deliveries are also signed with the former secret.
    former_secret_until = models.DateTimeField(null=True, editable=False)
    ended_at = models.DateTimeField(null=True, editable=False)

    class Meta(Checked.Meta):
        verbose_name = "webhook"
        permissions: ClassVar[list[tuple[str, Any]]] = [
            ("check_webhookendpoint", "Can approve webhooks")
        ]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            *Checked.Meta.constraints,
            models.CheckConstraint(
                condition=~models.Q(kinds=[]), name="finance_webhookendpoint_receives_something"
            ),
        ]

    def __str__(self) -> str:
        return self.url


def live_endpoints() -> models.QuerySet[WebhookEndpoint]:
    """Return the endpoints that are approved and not ended."""
    return WebhookEndpoint.objects.approved().filter(ended_at__isnull=True)


class DeliveryQuerySet(models.QuerySet["WebhookDelivery"]):
    def due(self, now: datetime) -> Self:
        return self.filter(due_at__lte=now, endpoint__in=live_endpoints())

    def locked(self) -> Self:
        return self.select_for_update(skip_locked=True, no_key=True, of=("self",))


class WebhookDelivery(models.Model):
    """The delivery of one event to one endpoint; `due_at` is the next attempt, null if none.

    An event may arrive more than once; receivers recognize repetitions by its id.
    """

    endpoint = ProtectedForeignKey(WebhookEndpoint, related_name="deliveries")
    event = models.ForeignKey(
        Event, on_delete=models.CASCADE, related_name="deliveries", db_index=False
    )
    attempts = models.PositiveSmallIntegerField(default=0)
    due_at = models.DateTimeField(null=True)
    delivered_at = models.DateTimeField(null=True)
    # The HTTP status of the last attempt, or the reason why there was none.
    answer = models.CharField(max_length=100, default="")

    objects = DeliveryQuerySet.as_manager()

    class Meta:
        verbose_name = "delivery"
        verbose_name_plural = "deliveries"
        ordering: ClassVar[list[str]] = ["-pk"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["event", "endpoint"], name="finance_webhookdelivery_once_an_address"
            ),
            models.CheckConstraint(
                condition=models.Q(delivered_at__isnull=True) | models.Q(due_at__isnull=True),
                name="finance_webhookdelivery_delivered_is_over",
            ),
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(
                fields=["endpoint", "due_at"],
                condition=models.Q(due_at__isnull=False),
                name="finance_webhookdelivery_due",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.event} → {self.endpoint}"
