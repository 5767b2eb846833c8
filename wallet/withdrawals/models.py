"""Withdrawals: money on its way to a player's bank (RB 11.2).

These rows record requests and their progress; the money itself is in the ledger.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, ClassVar, Self
from uuid import UUID

from django.conf import settings
from django.db import models
from django.db.models.functions import Cast, Concat, Replace, Right, Upper
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from core.clock import CreatedAtField
from core.db.identifiers import ProtectedForeignKey, ProtectedOneToOneField, new_public_id
from core.db.row_locks import OfPlayerQuerySet
from wallet.ledger.models import Transfer
from wallet.ledger.money import MoneyProperty, as_text
from wallet.withdrawals.payees.models import RegisteredPayee

# NEFT and IMPS carry sixteen characters of a customer reference.
REFERENCE_LETTER, REFERENCE_DIGITS = "W", 15


class PayoutBatch(models.Model):
    """Approved withdrawals sent to the bank in one file."""

    public_id = models.UUIDField(default=new_public_id, unique=True, editable=False)
    made_by = ProtectedForeignKey(settings.AUTH_USER_MODEL, related_name="+")
    made_at = CreatedAtField()

    class Meta:
        verbose_name_plural = "payout batches"
        ordering: ClassVar[list[str]] = ["-id"]

    def __str__(self) -> str:
        names = {"code": self.public_id.hex[-8:], "day": f"{self.made_at:%Y-%m-%d}"}
        return gettext("Batch %(code)s of %(day)s") % names


def _plain(column: str) -> Upper:
    """Return a reference as the unique index compares it."""
    return Upper(Replace(column, models.Value(" "), models.Value("")))


# The amount that leaves the wallet, and the one that the bank pays.
ASKED_MINOR = models.F("deposit_minor") + models.F("winnings_minor")
SENT_MINOR = ASKED_MINOR - models.F("tax_minor")


def short_reference_of(public_id: UUID) -> str:
    """Return a reference of sixteen characters for the bank's file.

    It has the last fifteen of the public id, in capitals, which hold 60 random bits, so collisions
    are negligible. The letter before them keeps a spreadsheet from reading a number.
    """
    return f"{REFERENCE_LETTER}{public_id.hex[-REFERENCE_DIGITS:]}".upper()


class WithdrawalQuerySet(OfPlayerQuerySet["Withdrawal"]):
    def pending(self) -> Self:
        return self.filter(status__in=Withdrawal.PENDING)

    def overdue(self, now: datetime) -> Self:
        return self.pending().filter(due_at__lt=now)

    def to_send(self) -> Self:
        """Return approved withdrawals that are not in a payout file yet."""
        return self.filter(status=Withdrawal.Status.APPROVED, batch__isnull=True)

    def paid_under(self, reference: str, *, currency: str) -> Self:
        """Return withdrawals paid under a normalised reference."""
        rows = self.filter(currency=currency).exclude(bank_reference="")
        return rows.alias(plain=_plain("bank_reference")).filter(plain=reference)

    def of_amount(self, minor: int) -> Self:
        """Return withdrawals of an amount, before or after the tax withheld from it."""
        known = self.alias(asked_minor=ASKED_MINOR, sent_minor=SENT_MINOR)
        return known.filter(models.Q(asked_minor=minor) | models.Q(sent_minor=minor))

    def with_short_reference(self) -> Self:
        """Annotate each with `reference`, its `short_reference`."""
        plain = Replace(Cast("public_id", models.TextField()), models.Value("-"), models.Value(""))
        letter, digits = models.Value(REFERENCE_LETTER), Right(plain, REFERENCE_DIGITS)
        return self.annotate(reference=Upper(Concat(letter, digits)))


class Withdrawal(models.Model):
    """A withdrawal (RB 11.2): requested, approved, paid; or rejected or failed.

    From the request until the end the money is in the player's withdrawal hold.
    """

    class Status(models.TextChoices):
        REQUESTED = "requested", _("Waiting for approval")
        APPROVED = "approved", _("Approved, waiting for the bank")
        PAID = "paid", _("Paid")
        REJECTED = "rejected", _("Rejected, the money is back in the wallet")
        FAILED = "failed", _("The bank refused, the money is back in the wallet")

    PENDING = ("requested", "approved")
    CLOSED = ("paid", "rejected", "failed")

    public_id = models.UUIDField(default=new_public_id, unique=True, editable=False)
    player = ProtectedForeignKey(settings.AUTH_USER_MODEL, related_name="withdrawals")
    currency = models.CharField(max_length=3)
    # The amounts by the bucket they came from and return to.
    deposit_minor = models.BigIntegerField()
    winnings_minor = models.BigIntegerField()
    # Withheld from both at the request (RB 11.4); a returned withdrawal returns it too.
    tax_minor = models.BigIntegerField(default=0)
    hold = ProtectedOneToOneField(Transfer, related_name="withdrawal")
    # A constraint requires the player's own account.
    payee = ProtectedForeignKey(RegisteredPayee, related_name="withdrawals", db_constraint=False)
    # Not approved before then: the bank account is new to the player, or their sign-in had just
    # changed at the request.
    account_new_until = models.DateTimeField(null=True)
    status = models.CharField(max_length=9, choices=Status, default=Status.REQUESTED)
    # The deadline of the current state, as promised to the player.
    due_at = models.DateTimeField(null=True)
    requested_by = ProtectedForeignKey(settings.AUTH_USER_MODEL, related_name="+")
    requested_at = CreatedAtField()
    decided_by = ProtectedForeignKey(settings.AUTH_USER_MODEL, null=True, related_name="+")
    decided_at = models.DateTimeField(null=True)
    batch = ProtectedForeignKey(PayoutBatch, null=True, related_name="withdrawals")
    closed_at = models.DateTimeField(null=True)
    # The bank's reference, unique to this payment; empty until it is paid.
    bank_reference = models.CharField(max_length=200, blank=True, default="")
    # The reason of a rejection or failure, shown to the player; or the bank's reference.
    remark = models.CharField(max_length=200, blank=True, default="")

    objects = WithdrawalQuerySet.as_manager()

    class Meta:
        ordering: ClassVar[list[str]] = ["-id"]
        permissions: ClassVar[list[tuple[str, Any]]] = [
            ("decide_withdrawal", "Can approve and reject withdrawals"),
            ("pay_withdrawal", "Can send withdrawals to the bank and record their results"),
        ]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(
                condition=models.Q(deposit_minor__gte=0, winnings_minor__gte=0)
                & (models.Q(deposit_minor__gt=0) | models.Q(winnings_minor__gt=0)),
                name="wallet_withdrawal_of_something",
            ),
            models.CheckConstraint(
                condition=models.Q(
                    tax_minor__gte=0,
                    tax_minor__lt=models.F("deposit_minor") + models.F("winnings_minor"),
                ),
                name="wallet_withdrawal_leaves_something",
            ),
            models.UniqueConstraint(
                "currency",
                _plain("bank_reference"),
                condition=~models.Q(bank_reference=""),
                name="wallet_withdrawal_bank_reference_once",
            ),
            models.CheckConstraint(
                condition=models.Q(bank_reference="") | models.Q(status="paid"),
                name="wallet_withdrawal_reference_when_paid",
            ),
            models.CheckConstraint(
                condition=~models.Q(currency="PTS"), name="wallet_withdrawal_never_of_play_points"
            ),
            # Two people decide, neither of them about their own money (RB 11.2).
            models.CheckConstraint(
                condition=models.Q(decided_by__isnull=True)
                | ~models.Q(decided_by=models.F("requested_by"))
                & ~models.Q(decided_by=models.F("player")),
                name="wallet_withdrawal_checked_by_another",
            ),
            models.CheckConstraint(
                condition=models.Q(status="requested", decided_by=None, decided_at=None)
                | ~models.Q(status="requested")
                & models.Q(decided_by__isnull=False, decided_at__isnull=False),
                name="wallet_withdrawal_decided_by_somebody",
            ),
            models.CheckConstraint(
                condition=models.Q(account_new_until=None)
                | models.Q(status__in=["requested", "rejected"])
                | models.Q(decided_at__gte=models.F("account_new_until")),
                name="wallet_withdrawal_to_a_new_account_waits",
            ),
            models.CheckConstraint(
                condition=models.Q(
                    status__in=["requested", "approved"],
                    due_at__isnull=False,
                    closed_at__isnull=True,
                )
                | models.Q(
                    status__in=["paid", "rejected", "failed"],
                    due_at__isnull=True,
                    closed_at__isnull=False,
                ),
                name="wallet_withdrawal_pending_has_a_due_time",
            ),
            models.CheckConstraint(
                condition=models.Q(status__in=["requested", "rejected"], batch=None)
                | models.Q(status="approved")
                | models.Q(status__in=["paid", "failed"], batch__isnull=False),
                name="wallet_withdrawal_paid_by_a_file",
            ),
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(ASKED_MINOR, name="wallet_withdrawal_by_asked"),
            models.Index(SENT_MINOR, name="wallet_withdrawal_by_sent"),
        ]

    def __str__(self) -> str:
        names = {"amount": as_text(self.amount), "player": self.player}
        return gettext("%(amount)s to %(player)s") % names

    @property
    def amount_minor(self) -> int:
        return self.deposit_minor + self.winnings_minor

    amount = MoneyProperty("amount_minor")
    deposit = MoneyProperty("deposit_minor")
    winnings = MoneyProperty("winnings_minor")
    tax = MoneyProperty("tax_minor")

    @property
    def account_end(self) -> str:
        """Return the last digits of the bank account."""
        return self.payee.account_end

    @property
    def takes_three(self) -> bool:
        """Return whether three people must approve, send and record it."""
        return bool(self.amount.amount > settings.THREE_PEOPLE_ABOVE)

    @property
    def short_reference(self) -> str:
        """Return the reference in the bank's file."""
        return short_reference_of(self.public_id)

    @property
    def payout_minor(self) -> int:
        """Return the amount the bank pays."""
        return self.amount_minor - self.tax_minor

    payout = MoneyProperty("payout_minor")
