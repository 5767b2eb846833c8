"""Months that have left the database for a file."""

from __future__ import annotations

from datetime import date
from typing import ClassVar, Self

from django.apps import apps
from django.db import models


class ArchivedMonthQuerySet(models.QuerySet["ArchivedMonth"]):
    def away(self) -> Self:
        """Months whose rows lie in their files alone."""
        return self.filter(restored_at=None)


class ArchivedMonth(models.Model):
    """One month of a partitioned table, in a file of this hash; written by the owner's commands.

    The audit takes its number of rows for what the month held: it is sealed with its version.
    """

    relation = models.CharField(max_length=63)
    # Its first day.
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
        """Return what its rows are, in the words of their model."""
        named = {model._meta.db_table: model for model in apps.get_models()}
        return str(named[self.relation]._meta.verbose_name_plural).capitalize()


def is_archived(relation: str, day: date) -> bool:
    """Return whether the rows of this day have left the database."""
    return ArchivedMonth.objects.away().filter(relation=relation, month=day.replace(day=1)).exists()
