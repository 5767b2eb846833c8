"""Payments at gateways, and their refunds and disputes.

These rows record what gateways reported; the money itself is in the ledger.
"""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar, Self

from django.conf import settings
from django.db import models
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from core.clock import CreatedAtField
from core.db.identifiers import ProtectedForeignKey, ProtectedOneToOneField
from core.db.row_locks import OfPlayerQuerySet
from core.maker_checker import Checked
from wallet.deposits.models import Deposit
from wallet.ledger.models import Transfer
from wallet.ledger.money import MoneyProperty, as_text


class GatewayPayment(models.Model):
    """A payment under the gateway's reference. Every event about it locks this row first.

    A refund may be reported before its payment: then the other fields are unknown.
    """

    provider = models.CharField(max_length=20)
    reference = models.CharField(max_length=80)
    order_reference = models.CharField(max_length=80, default="", blank=True)
    currency = models.CharField(max_length=3, default="", blank=True)
    amount_minor = models.BigIntegerField(null=True)
    # The order it was credited to or is in suspense for.
    deposit = ProtectedForeignKey(Deposit, null=True, related_name="payments")
    # The transfer that booked it, to the player or into suspense.
    transfer = ProtectedOneToOneField(Transfer, null=True, related_name="gateway_payment")

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["provider", "reference"], name="wallet_gatewaypayment_once"
            ),
            models.CheckConstraint(
                condition=models.Q(transfer=None) | models.Q(amount_minor__gt=0),
                name="wallet_gatewaypayment_known_when_booked",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.provider} {self.reference}"


class PaymentReturnQuerySet(OfPlayerQuerySet["PaymentReturn"]):
    def unsettled(self) -> Self:
        """Return those that may still take back money from a player."""
        return self.filter(status__in=PaymentReturn.UNSETTLED)


class PaymentReturn(models.Model):
    """A refund or dispute: money that a gateway takes back, or may take back, of a payment."""

    class What(models.TextChoices):
        REFUND = "refund", _("Refund")
        DISPUTE = "dispute", _("Dispute")

    class Status(models.TextChoices):
        # Undecided: nothing has moved, and the player cannot withdraw.
        OPEN = "open", _("Open")
        # The report does not match the payment: staff must check it.
        CHECKING = "checking", _("Being checked by staff")
        TAKEN = "taken", _("Taken back")
        DROPPED = "dropped", _("Nothing taken back")

    UNSETTLED = ("open", "checking")

    payment = ProtectedForeignKey(GatewayPayment, related_name="returns")
    provider = models.CharField(max_length=20)
    # The gateway's reference of the refund or dispute.
    reference = models.CharField(max_length=80)
    what = models.CharField(max_length=7, choices=What)
    currency = models.CharField(max_length=3)
    # What was asked for, and what a lost dispute moved; null if that is not reported apart.
    amount_minor = models.BigIntegerField()
    moved_minor = models.BigIntegerField(null=True)
    status = models.CharField(max_length=8, choices=Status, default=Status.OPEN)
    # The gateway's latest status, applied once the payment is known.
    reported = models.CharField(max_length=8, choices=Status, default=Status.OPEN)
    # The player credited with the payment; null while it is unknown or in suspense.
    player = ProtectedForeignKey(settings.AUTH_USER_MODEL, null=True, related_name="returns")
    transfer = ProtectedOneToOneField(Transfer, null=True, related_name="payment_return")
    opened_at = CreatedAtField()
    closed_at = models.DateTimeField(null=True)
    # Who closed a checked case, and why; empty if the gateway's report closed it.
    closed_by = ProtectedForeignKey(settings.AUTH_USER_MODEL, null=True, related_name="+")
    remark = models.CharField(max_length=200, default="", blank=True)

    objects = PaymentReturnQuerySet.as_manager()

    class Meta:
        verbose_name = "refund or dispute"
        verbose_name_plural = "refunds and disputes"
        ordering: ClassVar[list[str]] = ["-id"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["provider", "reference"], name="wallet_paymentreturn_once"
            ),
            models.CheckConstraint(
                condition=models.Q(amount_minor__gt=0), name="wallet_paymentreturn_of_something"
            ),
            models.CheckConstraint(
                condition=models.Q(moved_minor=None)
                | models.Q(
                    what="dispute", moved_minor__gt=0, moved_minor__lte=models.F("amount_minor")
                ),
                name="wallet_paymentreturn_moved_at_most_what_was_asked",
            ),
            models.CheckConstraint(
                condition=models.Q(status="taken", transfer__isnull=False)
                | ~models.Q(status="taken") & models.Q(transfer__isnull=True),
                name="wallet_paymentreturn_taken_is_posted",
            ),
            models.CheckConstraint(
                condition=models.Q(status__in=["open", "checking"], closed_at__isnull=True)
                | models.Q(status__in=["taken", "dropped"], closed_at__isnull=False),
                name="wallet_paymentreturn_closed_has_a_time",
            ),
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(
                fields=["player"],
                condition=models.Q(status__in=["open", "checking"]),
                name="wallet_paymentreturn_unsettled",
            ),
        ]

    def __str__(self) -> str:
        names = {"kind": self.get_what_display(), "reference": self.reference}
        text = gettext("%(kind)s %(reference)s of %(amount)s")
        return text % {**names, "amount": as_text(self.amount)}

    amount = MoneyProperty("amount_minor")

    @property
    def taken_minor(self) -> int:
        """Return what it takes from the player: what was moved, else what was asked for."""
        return self.amount_minor if self.moved_minor is None else self.moved_minor

    taken = MoneyProperty("taken_minor")


class DepositTerm(Checked):
    """How long new deposits are held before withdrawal; needs a second person's approval."""

    hours = models.PositiveSmallIntegerField()
    reason = models.CharField(max_length=200)
    # Before the first approved term begins, `DEPOSIT_TERM_HOURS` applies.
    begins_at = models.DateTimeField()

    class Meta(Checked.Meta):
        ordering: ClassVar[list[str]] = ["-begins_at", "-id"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            *Checked.Meta.constraints,
            models.CheckConstraint(
                condition=models.Q(hours__lte=24 * 90), name="wallet_depositterm_within_90_days"
            ),
            models.CheckConstraint(
                condition=~models.Q(reason=""), name="wallet_depositterm_has_a_reason"
            ),
        ]

    def __str__(self) -> str:
        return gettext("%(hours)s hours") % {"hours": self.hours}

    @property
    def in_force_from(self) -> datetime | None:
        """Return when it begins, never before its approval; None until it is approved."""
        if self.status != self.Status.APPROVED or self.checked_at is None:
            return None
        return max(self.begins_at, self.checked_at)
