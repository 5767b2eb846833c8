"""The log of staff acts, one append-only entry for each, and leases of what one process does."""

from __future__ import annotations

from typing import ClassVar, Self

from django.conf import settings
from django.db import models

from core.clock import CreatedAtField
from core.events import Event
from core.partitions.models import ArchivedMonth

__all__ = ["ArchivedMonth", "AuditEntry", "AuditEntryQuerySet", "Event", "Lease"]


class AuditEntryQuerySet(models.QuerySet["AuditEntry"]):
    def about(self, player: models.Model) -> Self:
        return self.filter(about=player)


class AuditEntry(models.Model):
    """One act of staff, or a service's answer, in the same commit as what it changed.

    `before` and `after` hold what differs, one `name=value` a line; of a new row, all it holds.
    """

    by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="audit_entries",
    )
    # A service outside the house whose answer is the act, where nobody of staff did it.
    service = models.CharField(max_length=20, blank=True, default="")
    at = CreatedAtField()
    # A verb: "approve", "cancel".
    act = models.CharField(max_length=40)
    # What was acted on: its model ("wallet.withdrawal"), its key, and what it was called then.
    kind = models.CharField(max_length=60)
    row = models.CharField(max_length=40)
    name = models.CharField(max_length=200)
    # Whose money, games or account it was, where it was one player's.
    about = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="audit_entries_about",
    )
    reason = models.CharField(max_length=500, blank=True, default="")
    before = models.TextField(blank=True, default="")
    after = models.TextField(blank=True, default="")

    objects = AuditEntryQuerySet.as_manager()

    class Meta:
        verbose_name = "act of staff"
        verbose_name_plural = "acts of staff"
        ordering: ClassVar[list[str]] = ["-pk"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(
                condition=~models.Q(act="") & ~models.Q(kind="") & ~models.Q(row=""),
                name="core_auditentry_says_what_was_done",
            ),
            models.CheckConstraint(
                condition=models.Q(by__isnull=False, service="")
                | models.Q(by=None) & ~models.Q(service=""),
                name="core_auditentry_has_one_actor",
            ),
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["kind", "row"], name="core_auditentry_of_a_row"),
            models.Index(fields=["at"], name="core_auditentry_by_time"),
        ]

    def __str__(self) -> str:
        return f"{self.act} {self.name}"

    @property
    def actor(self) -> str:
        """Return who did it: a member of staff, or a service by its name."""
        return str(self.by or self.service)


def act_words(act: str) -> str:
    """Return an act as staff read it: `note_paid` as "note paid"."""
    return act.replace("_", " ")


class Lease(models.Model):
    """Held by the process that renewed it last, until that is longer ago than its term."""

    name = models.CharField(max_length=20, primary_key=True)
    renewed_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.name} renewed at {self.renewed_at}"
