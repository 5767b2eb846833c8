"""Corrections of balances: asked for by one person, decided by another, posted once."""

from __future__ import annotations

from typing import ClassVar, Self

from django.conf import settings
from django.db import models
from moneyed import Money

from wallet.models.accounts import Account
from wallet.models.transfers import Transfer
from wallet.money import as_money


class AdjustmentQuerySet(models.QuerySet["Adjustment"]):
    def undecided(self) -> Self:
        return self.filter(status=Adjustment.Status.REQUESTED)

    def locked(self) -> Self:
        return self.select_for_update(no_key=True, of=("self",)).order_by("pk")


class Adjustment(models.Model):
    """A request to move money between two accounts by hand."""

    class Status(models.TextChoices):
        REQUESTED = "requested", "Waiting for a second person"
        APPROVED = "approved", "Approved and posted"
        REJECTED = "rejected", "Rejected"

    source = models.ForeignKey(Account, on_delete=models.PROTECT, related_name="+")
    target = models.ForeignKey(Account, on_delete=models.PROTECT, related_name="+")
    amount_minor = models.BigIntegerField()
    reason = models.CharField(max_length=200)
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    made_at = models.DateTimeField(auto_now_add=True)
    status = models.CharField(max_length=9, choices=Status, default=Status.REQUESTED)
    checked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    checked_at = models.DateTimeField(null=True)
    transfer = models.OneToOneField(
        Transfer, on_delete=models.PROTECT, null=True, related_name="adjustment"
    )

    objects = AdjustmentQuerySet.as_manager()

    class Meta:
        ordering: ClassVar[list[str]] = ["-id"]
        permissions = (("check_adjustment", "Can approve and reject adjustments"),)
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(
                condition=models.Q(amount_minor__gt=0) & ~models.Q(source=models.F("target")),
                name="wallet_adjustment_moves_something",
            ),
            models.CheckConstraint(
                condition=~models.Q(reason=""), name="wallet_adjustment_has_a_reason"
            ),
            models.CheckConstraint(
                condition=models.Q(checked_by__isnull=True)
                | ~models.Q(checked_by=models.F("made_by")),
                name="wallet_adjustment_checked_by_another",
            ),
            models.CheckConstraint(
                condition=models.Q(status="requested", checked_by=None, checked_at=None)
                | models.Q(
                    status__in=["approved", "rejected"],
                    checked_by__isnull=False,
                    checked_at__isnull=False,
                ),
                name="wallet_adjustment_decided_by_somebody",
            ),
            models.CheckConstraint(
                condition=models.Q(status="approved", transfer__isnull=False)
                | ~models.Q(status="approved") & models.Q(transfer__isnull=True),
                name="wallet_adjustment_approved_is_posted",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.amount} from {self.source} to {self.target}"

    @property
    def amount(self) -> Money:
        return as_money(self.amount_minor, self.source.currency)
