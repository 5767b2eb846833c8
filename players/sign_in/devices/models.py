"""Devices on which players want to be notified by Web Push."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar, Self

from django.conf import settings
from django.contrib.sessions.models import Session
from django.db import models

from core.db.identifiers import ProtectedForeignKey
from core.db.row_locks import OfPlayerQuerySet


class PushSubscriptionQuerySet(OfPlayerQuerySet["PushSubscription"]):
    def signed_in(self, now: datetime) -> Self:
        """Return the subscriptions with a valid session and an active player."""
        sessions = Session.objects.filter(
            session_key=models.OuterRef("session_key"), expire_date__gt=now
        )
        return self.filter(models.Exists(sessions), player__is_active=True)


class PushSubscription(models.Model):
    """An endpoint at a browser's push service, with the keys that encrypt its messages.

    It is used only while the device is signed in.
    """

    player = ProtectedForeignKey(settings.AUTH_USER_MODEL, related_name="push_subscriptions")
    # A secret URL issued by the browser vendor.
    endpoint = models.CharField(max_length=1000, unique=True)
    # The browser's public key and the shared secret, in URL-safe base64.
    p256dh = models.CharField(max_length=100)
    auth = models.CharField(max_length=32)
    session_key = models.CharField(max_length=40)
    created_at = models.DateTimeField()

    objects = PushSubscriptionQuerySet.as_manager()

    class Meta:
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["session_key"], name="players_pushsubscription_login"),
        ]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(
                condition=models.Q(endpoint__startswith="https://"),
                name="players_pushsubscription_is_https",
            ),
        ]

    def __str__(self) -> str:
        return f"push subscription of {self.player}"
