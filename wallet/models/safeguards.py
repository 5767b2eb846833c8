"""What stops money from leaving when the books do not agree."""

from __future__ import annotations

from typing import ClassVar, Self

from django.db import models


class WithdrawalFreezeQuerySet(models.QuerySet["WithdrawalFreeze"]):
    def standing(self) -> Self:
        return self.filter(lifted_at__isnull=True)

    def locked(self) -> Self:
        return self.select_for_update(no_key=True).order_by("pk")


class WithdrawalFreeze(models.Model):
    """While one stands, the ledger refuses every withdrawal."""

    reason = models.CharField(max_length=200)
    findings = models.TextField(blank=True, default="")
    frozen_at = models.DateTimeField(auto_now_add=True)
    lifted_at = models.DateTimeField(null=True, blank=True)
    lifted_by = models.CharField(max_length=80, blank=True, default="")

    objects = WithdrawalFreezeQuerySet.as_manager()

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                models.Value(1),
                condition=models.Q(lifted_at__isnull=True),
                name="wallet_withdrawalfreeze_one_standing",
            ),
            models.CheckConstraint(
                condition=models.Q(lifted_at__isnull=True, lifted_by="")
                | models.Q(lifted_at__isnull=False) & ~models.Q(lifted_by=""),
                name="wallet_withdrawalfreeze_lifted_by_somebody",
            ),
        ]

    def __str__(self) -> str:
        return self.reason
