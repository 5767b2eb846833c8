"""Answers to players' money requests, stored by idempotency key."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar, Self

from django.conf import settings
from django.db import models

from core.clock import CreatedAtField
from core.db.identifiers import ProtectedForeignKey


class IdempotentRequestQuerySet(models.QuerySet["IdempotentRequest"]):
    def answered_before(self, moment: datetime) -> Self:
        return self.filter(created_at__lt=moment, status__isnull=False)


class IdempotentRequest(models.Model):
    """A money request with an idempotency key, and its answer.

    A repeated request gets the stored answer and moves no money.
    """

    player = ProtectedForeignKey(
        settings.AUTH_USER_MODEL, related_name="idempotent_requests", db_index=False
    )
    route = models.CharField(max_length=40)
    key = models.CharField(max_length=200)
    body_sha256 = models.CharField(max_length=64)
    # Null only inside the database transaction that handles the request.
    status = models.SmallIntegerField(null=True)
    answer = models.TextField(default="", blank=True)
    created_at = CreatedAtField()

    objects = IdempotentRequestQuerySet.as_manager()

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["player", "route", "key"], name="wallet_idempotentrequest_once"
            ),
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["created_at"], name="wallet_request_by_age"),
        ]

    def __str__(self) -> str:
        return f"{self.route} {self.key}"
