"""Bearer tokens for finance's API: scoped, with an expiry date, stored as a hash."""

from __future__ import annotations

from typing import ClassVar, Self

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models

from core.clock import CreatedAtField, Moment


class FinanceTokenQuerySet(models.QuerySet["FinanceToken"]):
    def usable(self, now: Moment) -> Self:
        return self.filter(revoked_at__isnull=True, expires_at__gt=now)

    def locked(self) -> Self:
        return self.select_for_update(no_key=True, of=("self",)).order_by("pk")


class FinanceToken(models.Model):
    """A bearer token: shown once when created, stored as its SHA-256."""

    name = models.CharField(max_length=60)
    # The public part, used to look the token up.
    prefix = models.CharField(max_length=12, unique=True, editable=False)
    digest = models.CharField(max_length=64, editable=False)
    # Of `exports.catalogue.SCOPES`.
    scopes = ArrayField(models.CharField(max_length=30))
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="finance_tokens",
    )
    created_at = CreatedAtField()
    expires_at = models.DateTimeField()
    last_used_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    objects = FinanceTokenQuerySet.as_manager()

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(
                condition=models.Q(expires_at__gt=models.F("created_at")),
                name="finance_financetoken_expires_after_it_is_made",
            ),
            models.CheckConstraint(
                condition=~models.Q(scopes=[]), name="finance_financetoken_opens_something"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.prefix})"
