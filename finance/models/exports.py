"""Who was given which report, and to the byte."""

from __future__ import annotations

from typing import ClassVar

from django.db import models

from wallet.models import FinanceToken


class Export(models.Model):
    """Something finance's interface gave out: to whom, what, and the hash of every byte of it.

    While `finished_at` is empty the answer is on its way, or its reader went away in the middle.
    """

    token = models.ForeignKey(FinanceToken, on_delete=models.PROTECT, related_name="exports")
    report = models.CharField(max_length=40)
    format = models.CharField(max_length=10)
    # The question as it was asked, one `name=value` a line.
    filters = models.TextField(blank=True, default="")
    started_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True)
    rows = models.BigIntegerField(null=True)
    sha256 = models.CharField(max_length=64, blank=True, default="")

    class Meta:
        ordering: ClassVar[list[str]] = ["-pk"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(
                condition=models.Q(finished_at=None, rows=None, sha256="")
                | models.Q(finished_at__isnull=False, rows__gte=0) & ~models.Q(sha256=""),
                name="finance_export_finished_is_hashed",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.report} as {self.format} to {self.token_id}"
