"""The append-only audit log of staff actions, and leases of work done by one process at a time."""

from __future__ import annotations

from typing import ClassVar, Self

from django.conf import settings
from django.db import models
from django.utils.translation import pgettext

from core.clock import CreatedAtField
from core.events import Event
from core.labels import ACTION, english
from core.partitions.models import ArchivedMonth

__all__ = ["ArchivedMonth", "AuditEntry", "AuditEntryQuerySet", "Event", "Lease"]


class AuditEntryQuerySet(models.QuerySet["AuditEntry"]):
    def about(self, player: models.Model) -> Self:
        return self.filter(about=player)


class AuditEntry(models.Model):
    """An action of staff or an outside service's answer, committed with the change it describes.

    `before` and `after` hold the changed columns, one `name=value` a line; all columns of a new
    row.
    """

    by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="audit_entries",
    )
    # The outside service whose answer this is, if no member of staff acted.
    service = models.CharField(max_length=20, blank=True, default="")
    at = CreatedAtField()
    # A verb: "approve", "cancel".
    act = models.CharField(max_length=40)
    # The row acted on: its model ("wallet.withdrawal"), its key, and its name at the time.
    kind = models.CharField(max_length=60)
    row = models.CharField(max_length=40)
    name = models.CharField(max_length=200)
    # The player whose money, games or account it was, if it was one player's.
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
        verbose_name = "staff action"
        verbose_name_plural = "staff actions"
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
        """Return the name of the member of staff or the service that acted."""
        return str(self.by or self.service)


def action_label(act: str) -> str:
    """Return an action as text for staff: `note_paid` as "note paid"."""
    return pgettext(ACTION, english(act)) if act else ""


class Lease(models.Model):
    """A lease, held by the process that renewed it last until its term has passed."""

    name = models.CharField(max_length=20, primary_key=True)
    renewed_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.name} renewed at {self.renewed_at}"
