"""Exports: a record of every report that was sent, and jobs of workers that write files.

A report is read with a finance token, or by a member of staff in their session.
"""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar, Self

from django.conf import settings
from django.db import models
from django.utils.translation import gettext, gettext_lazy

from core.clock import CreatedAtField
from core.db.identifiers import ProtectedForeignKey, new_public_id
from core.db.row_locks import LockableQuerySet
from finance.tokens.models import FinanceToken


class ReadByOne(models.Model):
    """Base of rows with a reader: a finance token, or a member of staff."""

    token = ProtectedForeignKey(FinanceToken, null=True, related_name="%(class)ss")
    staff = ProtectedForeignKey(settings.AUTH_USER_MODEL, null=True, related_name="+")

    class Meta:
        abstract = True
        ordering: ClassVar[list[str]] = ["-pk"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(
                condition=models.Q(token__isnull=False) & ~models.Q(staff__isnull=False)
                | ~models.Q(token__isnull=False) & models.Q(staff__isnull=False),
                name="%(app_label)s_%(class)s_has_one_reader",
            ),
        ]

    @property
    def reader(self) -> str:
        """Return the name of the token or the handle of the member of staff."""
        if self.staff:
            return self.staff.handle
        return self.token.name if self.token else ""


class Export(ReadByOne):
    """A report that was sent: its reader, its query and the SHA-256 of its bytes.

    While `finished_at` is null the response is being sent, or the client has disconnected.
    """

    report = models.CharField(max_length=40)
    format = models.CharField(max_length=10)
    # The query string, as `name=value&…`.
    filters = models.TextField(blank=True, default="")
    started_at = CreatedAtField()
    finished_at = models.DateTimeField(null=True)
    rows = models.BigIntegerField(null=True)
    sha256 = models.CharField(max_length=64, blank=True, default="")

    class Meta(ReadByOne.Meta):
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(
                condition=models.Q(finished_at=None, rows=None, sha256="")
                | models.Q(finished_at__isnull=False, rows__gte=0) & ~models.Q(sha256=""),
                name="finance_export_finished_is_hashed",
            ),
            *ReadByOne.Meta.constraints,
        ]

    def __str__(self) -> str:
        return gettext("%(report)s as %(format)s") % {"report": self.report, "format": self.format}


class ExportJobQuerySet(LockableQuerySet["ExportJob"]):
    def unfinished(self) -> Self:
        return self.filter(status__in=ExportJob.UNFINISHED)

    def unclaimed(self, since: datetime) -> Self:
        """Return unfinished jobs without a live worker: no `beat_at`, or one before `since`."""
        silent = models.Q(beat_at=None) | models.Q(beat_at__lt=since)
        return self.unfinished().filter(silent)

    def to_be_mailed(self) -> Self:
        """Return ended jobs whose member of staff has not got the e-mail about it."""
        return self.filter(is_mail_due=True).exclude(status__in=ExportJob.UNFINISHED)

    def bytes_since(self, since: datetime) -> int:
        """Return the size of the files finished since then, deleted ones included."""
        return (
            self.filter(finished_at__gte=since).aggregate(sum=models.Sum("size_bytes"))["sum"] or 0
        )

    def over(self, now: datetime) -> Self:
        return self.filter(status=ExportJob.Status.DONE, expires_at__lt=now)


class ExportJob(ReadByOne):
    """A report that a worker writes to a file for one reader; the row is the queue entry.

    The query is stored completely, with horizon and time: a worker that resumes a job writes the
    same bytes.
    """

    class Status(models.TextChoices):
        QUEUED = "queued", gettext_lazy("Queued")
        RUNNING = "running", gettext_lazy("Being written")
        DONE = "done", gettext_lazy("Ready")
        FAILED = "failed", gettext_lazy("Failed")
        CANCELLED = "cancelled", gettext_lazy("Cancelled")
        # Its file was deleted.
        GONE = "gone", gettext_lazy("Gone")

    UNFINISHED = ("queued", "running")

    public_id = models.UUIDField(default=new_public_id, unique=True, editable=False)
    # The member of staff gets an e-mail when the job has ended.
    is_mail_due = models.BooleanField(default=False)
    report = models.CharField(max_length=40)
    format = models.CharField(max_length=10)
    filters = models.TextField(blank=True, default="")
    first_day = models.DateField(null=True)
    last_day = models.DateField()
    tz = models.CharField(max_length=64)
    horizon = models.BigIntegerField(editable=False)
    generated_at = models.DateTimeField()
    file = models.CharField(max_length=64, blank=True, default="")
    money = models.CharField(max_length=6, blank=True, default="")
    by = models.CharField(max_length=36, blank=True, default="")
    about = models.CharField(max_length=36, blank=True, default="")

    status = models.CharField(max_length=9, choices=Status, default=Status.QUEUED)
    # How often a worker has claimed it; only the last claimant may update it.
    attempts = models.SmallIntegerField(default=0)
    beat_at = models.DateTimeField(null=True)
    rows_done = models.BigIntegerField(default=0)
    rows_total = models.BigIntegerField(null=True)
    created_at = CreatedAtField()
    finished_at = models.DateTimeField(null=True)
    expires_at = models.DateTimeField(null=True)
    size_bytes = models.BigIntegerField(null=True)
    sha256 = models.CharField(max_length=64, blank=True, default="")
    # Why it failed, as an error code of the API.
    code = models.CharField(max_length=40, blank=True, default="")

    objects = ExportJobQuerySet.as_manager()

    class Meta(ReadByOne.Meta):
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(
                condition=models.Q(status__in=["queued", "running"], finished_at=None, sha256="")
                | models.Q(
                    status__in=["done", "gone"],
                    finished_at__isnull=False,
                    expires_at__isnull=False,
                    size_bytes__gt=0,
                )
                & ~models.Q(sha256="")
                | models.Q(status="cancelled", finished_at__isnull=False, sha256="")
                | models.Q(status="failed", finished_at__isnull=False, sha256="")
                & ~models.Q(code=""),
                name="finance_exportjob_ends_one_way",
            ),
            *ReadByOne.Meta.constraints,
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(
                fields=["beat_at"],
                condition=models.Q(status__in=["queued", "running"]),
                name="finance_exportjob_unfinished",
            ),
            models.Index(
                fields=["id"],
                condition=models.Q(is_mail_due=True),
                name="finance_exportjob_mail_due",
            ),
        ]

    def __str__(self) -> str:
        return gettext("%(report)s as %(format)s") % {"report": self.report, "format": self.format}
