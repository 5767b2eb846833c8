"""Versions of the rows that say something about money or a result, as the database wrote them."""

from __future__ import annotations

from typing import ClassVar

from django.db import models


class RowVersion(models.Model):
    """A row as one database transaction left it. Append-only, written by triggers, sealed.

    The audit compares each watched row with its last version (wallet/sql/versions.sql).
    """

    class Act(models.TextChoices):
        INSERT = "insert", "Written"
        UPDATE = "update", "Changed"
        DELETE = "delete", "Deleted"
        # Recorded as it stood when its table was first watched, or after a migration.
        ADOPT = "adopt", "Taken over"

    xid = models.BigIntegerField(editable=False)
    # The table and the row's primary key.
    relation = models.CharField(max_length=63)
    row_key = models.CharField(max_length=64)
    act = models.CharField(max_length=6, choices=Act)
    # The row's columns as text, long values as their SHA-256. Tables differ, so it is no set of
    # columns: the one JSON of our own.
    facts = models.JSONField()

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(
                condition=models.Q(act__in=["insert", "update", "delete", "adopt"]),
                name="wallet_rowversion_act_known",
            ),
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["xid", "id"], name="wallet_rowversion_seal_order"),
            # A few among all the others: which seals there must be.
            models.Index(
                fields=["id"],
                condition=models.Q(relation="wallet_seal"),
                name="wallet_rowversion_of_seals",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.act} {self.relation} {self.row_key}"
