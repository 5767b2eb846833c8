"""Deposits through payment gateways, and the tasks that need a person to decide.

These rows record orders and their progress; the money itself is in the ledger.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import ClassVar, Self

from django.conf import settings
from django.db import models
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from core.clock import CreatedAtField, database_now
from core.db.identifiers import ProtectedForeignKey, ProtectedOneToOneField, new_public_id
from core.db.row_locks import LockableQuerySet, OfPlayerQuerySet
from wallet.ledger.models import Transfer
from wallet.ledger.money import MoneyProperty, as_text, percent

# How long an order can be paid; a later payment reported by the gateway is accepted.
PAYABLE_FOR = timedelta(hours=1)


# What the player pays: the amount and the tax.
PAID_MINOR = models.F("amount_minor") + models.F("gst_minor")


class DepositQuerySet(OfPlayerQuerySet["Deposit"]):
    def counted(self, now: datetime) -> Self:
        """Return deposits that count for limits: received money and orders that can still be
        paid."""
        is_open = models.Q(status__in=Deposit.OPEN, created_at__gt=now - PAYABLE_FOR)
        return self.filter(models.Q(status__in=Deposit.ARRIVED) | is_open)

    def of_amount(self, minor: int) -> Self:
        """Return deposits that credited an amount, or for which it was paid with the tax."""
        paid = self.alias(paid_minor=PAID_MINOR)
        return paid.filter(models.Q(amount_minor=minor) | models.Q(paid_minor=minor))

    def unpaid(self, now: datetime) -> Self:
        """Return pending orders that can no longer be paid."""
        return self.filter(status__in=Deposit.OPEN, created_at__lte=now - PAYABLE_FOR)


class Deposit(models.Model):
    """An order at a gateway and its outcome; credited at most once."""

    class Status(models.TextChoices):
        CREATED = "created", _("Waiting for the payment")
        PAID = "paid", _("Paid")
        FAILED = "failed", _("Not paid")
        # The amount received differs from the order; it is in suspense until staff decide.
        CHECKING = "checking", _("Being checked by staff")
        PLACED = "placed", _("Credited after a check")
        RETURNED = "returned", _("Sent back")
        # No longer pending; a payment reported later is credited all the same.
        CANCELLED = "cancelled", _("Cancelled by you")
        CLOSED = "closed", _("Closed without a payment")

    # After a failed attempt the order can still be paid.
    OPEN = ("created", "failed")
    ARRIVED = ("paid", "checking", "placed")
    GIVEN_UP = ("cancelled", "closed")

    public_id = models.UUIDField(default=new_public_id, unique=True, editable=False)
    player = ProtectedForeignKey(settings.AUTH_USER_MODEL, related_name="deposits")
    provider = models.CharField(max_length=20)
    # The gateway's reference of the order, and the page where the player pays it.
    order_reference = models.CharField(max_length=80)
    pay_url = models.CharField(max_length=500)
    currency = models.CharField(max_length=3)
    # The amount credited to the wallet; the order adds the tax (RB 11.5).
    amount_minor = models.BigIntegerField()
    gst_minor = models.BigIntegerField("GST", default=0)
    gst_bps = models.IntegerField("GST in basis points", default=0)
    gst_treatment = models.CharField("GST treatment", max_length=9, default="none")
    status = models.CharField(max_length=9, choices=Status, default=Status.CREATED)
    transfer = ProtectedOneToOneField(Transfer, null=True, blank=True, related_name="deposit")
    created_at = CreatedAtField()

    objects = DepositQuerySet.as_manager()

    class Meta:
        ordering: ClassVar[list[str]] = ["-id"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["provider", "order_reference"], name="wallet_deposit_order_once"
            ),
            models.CheckConstraint(
                condition=models.Q(amount_minor__gt=0), name="wallet_deposit_of_something"
            ),
            models.CheckConstraint(
                condition=models.Q(status="paid", transfer__isnull=False)
                | ~models.Q(status="paid") & models.Q(transfer__isnull=True),
                name="wallet_deposit_paid_is_credited",
            ),
            models.CheckConstraint(
                condition=~models.Q(currency="PTS"), name="wallet_deposit_never_of_play_points"
            ),
            models.CheckConstraint(
                condition=models.Q(gst_treatment="none", gst_minor=0, gst_bps=0)
                | models.Q(
                    gst_treatment__in=["exclusive", "inclusive"], gst_minor__gte=0, gst_bps__gt=0
                ),
                name="wallet_deposit_gst_by_a_rate",
            ),
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(
                fields=["created_at"],
                condition=models.Q(status__in=["created", "failed"]),
                name="wallet_deposit_unpaid",
            ),
            models.Index(fields=["amount_minor"], name="wallet_deposit_by_amount"),
            models.Index(PAID_MINOR, name="wallet_deposit_by_paid"),
        ]

    def __str__(self) -> str:
        names = {"amount": as_text(self.amount), "player": self.player}
        return gettext("%(amount)s by %(player)s") % names

    amount = MoneyProperty("amount_minor")
    gst = MoneyProperty("gst_minor")

    @property
    def gst_percent(self) -> str:
        return percent(self.gst_bps)

    @property
    def to_pay_minor(self) -> int:
        return self.amount_minor + self.gst_minor

    to_pay = MoneyProperty("to_pay_minor")

    @property
    def payable_until(self) -> datetime:
        return self.created_at + PAYABLE_FOR

    @property
    def is_payable(self) -> bool:
        """Return whether the order can still be paid, by the database's clock."""
        return self.status in self.OPEN and database_now() < self.payable_until


class GatewayEvent(models.Model):
    """A gateway's report about a payment, with its raw record and outcome.

    Append-only. Only signed events credit payments; the audit verifies each signature again
    (`wallet.audit.gateway_events`).
    """

    class Kind(models.TextChoices):
        PAID = "paid", _("Paid")
        FAILED = "failed", _("Failed")
        CLOSED = "closed", _("Closed unpaid")
        REFUND_BEGUN = "refund_begun", _("Refund begun")
        REFUND_DONE = "refund_done", _("Refund paid out")
        REFUND_FAILED = "refund_failed", _("Refund failed")
        DISPUTE_OPEN = "dispute_open", _("Dispute open")
        DISPUTE_WON = "dispute_won", _("Dispute won")
        DISPUTE_LOST = "dispute_lost", _("Dispute lost")

    # Reversals: the event names a refund or dispute besides the payment.
    RETURNS = (
        "refund_begun",
        "refund_done",
        "refund_failed",
        "dispute_open",
        "dispute_won",
        "dispute_lost",
    )

    class Outcome(models.TextChoices):
        RECEIVED = "received", _("Not applied yet")
        CREDITED = "credited", _("Credited")
        FAILED = "failed", _("Noted as failed")
        CLOSED = "closed", _("Order closed")
        IGNORED = "ignored", _("Changed nothing")
        SUSPENSE = "suspense", _("Money in suspense")
        OPENED = "opened", _("Withdrawals stopped")
        TAKEN = "taken", _("Taken back")
        DROPPED = "dropped", _("Nothing taken back")
        CHECKING = "checking", _("Left to staff")

    class Source(models.TextChoices):
        SIGNED = "signed", _("Signed message of the gateway")
        # Found in a settlement file, and not reported by a message.
        FILE = "file", _("Line of a settlement file")
        STAFF = "staff", _("Entered by staff")

    provider = models.CharField(max_length=20)
    event_reference = models.CharField(max_length=80)
    kind = models.CharField(max_length=16, choices=Kind)
    # Empty if a refund or dispute names only the payment.
    order_reference = models.CharField(max_length=80, blank=True)
    payment_reference = models.CharField(max_length=80)
    # The gateway's reference of a refund or dispute.
    case_reference = models.CharField(max_length=80, default="", blank=True)
    currency = models.CharField(max_length=3)
    amount_minor = models.BigIntegerField()
    # Parts of the amount that the payer paid for the gateway: its fee, and the tax on it.
    fee_minor = models.BigIntegerField(default=0)
    tax_minor = models.BigIntegerField(default=0)
    # What a lost dispute moved; null if the gateway reports only the disputed amount.
    moved_minor = models.BigIntegerField(null=True)
    outcome = models.CharField(max_length=8, choices=Outcome)
    source = models.CharField(max_length=6, choices=Source)
    # The bytes as received, over which the signature is computed.
    body = models.BinaryField()
    # The signature, and what else the gateway needs to verify it.
    headers = models.JSONField(default=dict)
    received_at = models.DateTimeField()

    class Meta:
        ordering: ClassVar[list[str]] = ["-id"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["provider", "event_reference"], name="wallet_gatewayevent_once"
            ),
            # Only signed events credit money.
            models.CheckConstraint(
                condition=models.Q(source="signed")
                | models.Q(source="file", kind__in=["refund_done", "dispute_lost"])
                | models.Q(source="staff", kind="dispute_open"),
                name="wallet_gatewayevent_credits_are_signed",
            ),
            models.CheckConstraint(
                condition=models.Q(fee_minor=0, tax_minor=0)
                | models.Q(
                    kind="paid",
                    fee_minor__gte=0,
                    tax_minor__gte=0,
                    amount_minor__gt=models.F("fee_minor") + models.F("tax_minor"),
                ),
                name="wallet_gatewayevent_fee_is_part_of_a_payment",
            ),
            models.CheckConstraint(
                condition=models.Q(moved_minor=None)
                | models.Q(kind="dispute_lost", moved_minor__gte=0),
                name="wallet_gatewayevent_only_lost_disputes_moved",
            ),
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(
                fields=["provider", "payment_reference"], name="wallet_gatewayevent_payment"
            ),
            # Partial: the sweep reads only pending events, and they are few.
            models.Index(
                fields=["id"],
                name="wallet_gatewayevent_waiting",
                condition=models.Q(outcome="received"),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.provider} {self.event_reference}"

    amount = MoneyProperty("amount_minor")

    @property
    def borne_minor(self) -> int:
        """Return the part of a payment that its payer paid for the gateway, tax included."""
        return self.fee_minor + self.tax_minor

    @property
    def for_order_minor(self) -> int:
        """Return what a payment brought for its order."""
        return self.amount_minor - self.borne_minor


class StaffTaskQuerySet(LockableQuerySet["StaffTask"]):
    def undone(self) -> Self:
        return self.filter(done_at__isnull=True)


class StaffTask(models.Model):
    """A task for a member of staff: money in suspense, or a deadline that was missed."""

    class Kind(models.TextChoices):
        OTHER_AMOUNT = "other_amount", _("The amount paid differs from the order")
        PAID_TWICE = "paid_twice", _("An order was paid a second time")
        UNKNOWN_ORDER = "unknown_order", _("A payment for an unknown order")
        NO_ACCOUNT = "no_account", _("A payment by a player whose account is closed or blocked")
        LATE_DECISION = "late_decision", _("A withdrawal was not decided in time")
        LATE_PAYMENT = "late_payment", _("A withdrawal was not paid in time")
        SEAL_REFUSED = (
            "seal_refused",
            _("A transfer was changed after posting and cannot be sealed"),
        )
        SEALS_MISSING = "seals_missing", _("Seals are missing")
        SEAL_LATE = "seal_late", _("A transfer was not sealed in time")
        DISPUTE = "dispute", _("A payment is disputed: answer the gateway")
        OTHER_REPORT = "other_report", _("The gateway's reports of a payment differ")
        OTHER_RETURN = "other_return", _("A refund or dispute does not match its payment")
        SESSION_ENDED = "session_ended", _("A blocking database session was terminated")
        UNKNOWN_LINE = "unknown_line", _("A gateway's file has a line of an unknown kind")

    kind = models.CharField(max_length=16, choices=Kind)
    # What the task is about: a transfer or a gateway event.
    transfer = ProtectedForeignKey(
        Transfer, null=True, blank=True, related_name="staff_tasks", db_index=False
    )
    event = ProtectedForeignKey(
        GatewayEvent, null=True, blank=True, related_name="staff_tasks", db_index=False
    )
    deposit = ProtectedForeignKey(Deposit, null=True, blank=True, related_name="staff_tasks")
    details = models.CharField(max_length=300)
    created_at = CreatedAtField()
    done_at = models.DateTimeField(null=True, blank=True)
    done_by = ProtectedForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, related_name="+")

    objects = StaffTaskQuerySet.as_manager()

    class Meta:
        verbose_name = "task for staff"
        verbose_name_plural = "tasks for staff"
        ordering: ClassVar[list[str]] = ["-id"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["transfer", "kind"], name="wallet_stafftask_once"),
            models.UniqueConstraint(
                fields=["event", "kind"], name="wallet_stafftask_once_an_event"
            ),
            models.CheckConstraint(
                condition=models.Q(transfer__isnull=False)
                | models.Q(event__isnull=False)
                | models.Q(kind__in=["session_ended", "unknown_line"]),
                name="wallet_stafftask_about_something",
            ),
            models.CheckConstraint(
                condition=models.Q(done_at__isnull=True, done_by__isnull=True)
                | models.Q(done_at__isnull=False, done_by__isnull=False),
                name="wallet_stafftask_done_by_somebody",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()}: {self.details}"
