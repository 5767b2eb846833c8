"""Bearer tokens for finance's API: scoped, with an expiry date, stored as a hash."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, ClassVar, Final, Self

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models

from core.clock import CreatedAtField, Moment
from core.db.identifiers import ProtectedForeignKey
from core.db.row_locks import LockableQuerySet

LIFETIME: Final = timedelta(days=365)
# Scopes of reports with personal data: names, addresses, tax numbers, or free text.
PERSONAL_SCOPES: Final = frozenset(
    {"bank-reconciliation", "staff-actions", "tax-numbers", "tds-certificates", "tds-deductions"}
)


class FinanceTokenQuerySet(LockableQuerySet["FinanceToken"]):
    def usable(self, now: Moment) -> Self:
        """Return the valid tokens: not expired or revoked, approved if required."""
        dated = self.filter(expires_at__gt=now, created_at__gt=now - LIFETIME)
        waiting = models.Q(scopes__overlap=sorted(PERSONAL_SCOPES), approved_at=None)
        return dated.filter(~waiting, revoked_at__isnull=True)


class FinanceToken(models.Model):
    """A bearer token: shown once when created, stored as its SHA-256.

    With a scope of `PERSONAL_SCOPES` it is invalid until another person approves it.
    """

    name = models.CharField(max_length=60)
    # The public part, by which a token is found.
    prefix = models.CharField(max_length=12, unique=True, editable=False)
    digest = models.CharField(max_length=64, editable=False)
    # Of `finance.reports.catalogue.SCOPES`.
    scopes = ArrayField(models.CharField(max_length=30))
    created_by = ProtectedForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, related_name="finance_tokens"
    )
    created_at = CreatedAtField()
    approved_by = ProtectedForeignKey(
        settings.AUTH_USER_MODEL, null=True, editable=False, related_name="+"
    )
    approved_at = models.DateTimeField(null=True, editable=False)
    expires_at = models.DateTimeField()
    last_used_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    objects = FinanceTokenQuerySet.as_manager()

    class Meta:
        permissions: ClassVar[list[tuple[str, Any]]] = [
            ("check_financetoken", "Can approve finance tokens")
        ]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(
                condition=models.Q(expires_at__gt=models.F("created_at")),
                name="finance_financetoken_expires_after_it_is_made",
            ),
            models.CheckConstraint(
                condition=~models.Q(scopes=[]), name="finance_financetoken_opens_something"
            ),
            models.CheckConstraint(
                condition=models.Q(expires_at__lte=models.F("created_at") + LIFETIME),
                name="finance_financetoken_year_at_most",
            ),
            models.CheckConstraint(
                condition=models.Q(approved_by=None, approved_at=None)
                | models.Q(
                    approved_by__isnull=False, approved_at__isnull=False, created_by__isnull=False
                )
                & ~models.Q(approved_by=models.F("created_by")),
                name="finance_financetoken_approved_by_another",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.prefix})"

    @property
    def needs_approval(self) -> bool:
        """Return whether the token still needs the approval of a second person."""
        return self.approved_at is None and not PERSONAL_SCOPES.isdisjoint(self.scopes)
