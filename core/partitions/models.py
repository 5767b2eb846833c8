"""Months that were archived from the database to files."""

from __future__ import annotations

from datetime import date
from typing import ClassVar, Self

from django.apps import apps
from django.db import models


class ArchivedMonthQuerySet(models.QuerySet["ArchivedMonth"]):
    def away(self) -> Self:
        """Return months whose rows are only in their files."""
        return self.filter(restored_at=None)


class ArchivedMonth(models.Model):
    """An archived month of a partitioned table with its file's hash; the owner's commands write it.

    The audit trusts its number of rows, because the row is sealed with its version.
    """

    relation = models.CharField(max_length=63)
    # The first day of the month.
    month = models.DateField()
    row_count = models.BigIntegerField()
    file = models.CharField(max_length=200)
    sha256 = models.CharField(max_length=64)
    archived_at = models.DateTimeField()
    restored_at = models.DateTimeField(null=True, blank=True)

    objects = ArchivedMonthQuerySet.as_manager()

    class Meta:
        ordering: ClassVar[list[str]] = ["-pk"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["relation", "month"],
                condition=models.Q(restored_at__isnull=True),
                name="core_archivedmonth_once",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.relation} of {self.month:%Y-%m}"

    @property
    def label(self) -> str:
        """Return the plural name of the rows' model."""
        named = {model._meta.db_table: model for model in apps.get_models()}
        return str(named[self.relation]._meta.verbose_name_plural).capitalize()


def is_archived(relation: str, day: date) -> bool:
    """Return whether the rows of this day were archived from the database."""
    return ArchivedMonth.objects.away().filter(relation=relation, month=day.replace(day=1)).exists()
