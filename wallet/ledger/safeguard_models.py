"""Freezes: of all withdrawals when the ledger audit fails, and of single accounts."""

from __future__ import annotations

from typing import ClassVar, Self

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy

from core.clock import CreatedAtField
from wallet.ledger.models import Account


class WithdrawalFreezeQuerySet(models.QuerySet["WithdrawalFreeze"]):
    def active(self) -> Self:
        return self.filter(lifted_at__isnull=True)

    def locked(self) -> Self:
        return self.select_for_update(no_key=True).order_by("pk")


class WithdrawalFreeze(models.Model):
    """A freeze of all withdrawals; while one is active, the ledger refuses them."""

    reason = models.CharField(max_length=200)
    findings = models.TextField(blank=True, default="")
    frozen_at = CreatedAtField()
    # Two people lift it: one confirms that the ledger is right, the other lifts.
    cleared_by = models.CharField(max_length=80, blank=True, default="")
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
            models.CheckConstraint(
                condition=models.Q(lifted_at__isnull=True)
                | ~models.Q(cleared_by="") & ~models.Q(lifted_by=models.F("cleared_by")),
                name="wallet_withdrawalfreeze_lifted_by_two_people",
            ),
        ]

    def __str__(self) -> str:
        return self.reason


class AccountFreeze(models.Model):
    """A staff action that freezes or thaws an account, with its reason. Append-only."""

    class Act(models.TextChoices):
        FREEZE = "freeze", gettext_lazy("Freeze: no money can leave")
        THAW = "thaw", gettext_lazy("Thaw: money can leave again")

    account = models.ForeignKey(Account, on_delete=models.PROTECT, related_name="freezes")
    act = models.CharField(max_length=6, choices=Act)
    reason = models.CharField(max_length=200)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = CreatedAtField()

    class Meta:
        verbose_name = "freeze or thaw of an account"
        verbose_name_plural = "freezes and thaws of accounts"
        ordering: ClassVar[list[str]] = ["-id"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(
                condition=~models.Q(reason=""), name="wallet_accountfreeze_has_a_reason"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.get_act_display()} {self.account}"
