"""Seals: a chain of hashes over the ledger, and what each audit of it came to. Append-only."""

from __future__ import annotations

from typing import ClassVar, Self

from django.db import models


class SealQuerySet(models.QuerySet["Seal"]):
    def latest_first(self) -> Self:
        return self.order_by("-number")


class Seal(models.Model):
    """A block of finished database transactions, hashed together with the seal before it."""

    number = models.BigIntegerField(unique=True)
    # The transfers of database transactions from here on, up to but without `to_xid`.
    from_xid = models.BigIntegerField()
    to_xid = models.BigIntegerField()
    transfer_count = models.BigIntegerField()
    entry_count = models.BigIntegerField()
    previous = models.CharField(max_length=64)
    hash = models.CharField(max_length=64, unique=True)
    sealed_at = models.DateTimeField()

    objects = SealQuerySet.as_manager()

    class Meta:
        ordering: ClassVar[list[str]] = ["-number"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(
                condition=models.Q(to_xid__gt=models.F("from_xid"), transfer_count__gt=0),
                name="wallet_seal_holds_something",
            ),
        ]

    def __str__(self) -> str:
        return f"seal {self.number} {self.sealed_at.isoformat(timespec='seconds')} {self.hash}"


class AuditRun(models.Model):
    """One recomputation of the ledger: how much it read, and how many differences it found."""

    ran_at = models.DateTimeField(auto_now_add=True)
    differences = models.IntegerField()
    transfers = models.BigIntegerField()
    entries = models.BigIntegerField()
    seconds = models.FloatField()

    class Meta:
        ordering: ClassVar[list[str]] = ["-id"]

    def __str__(self) -> str:
        return f"{self.differences} differences in {self.entries} entries"
