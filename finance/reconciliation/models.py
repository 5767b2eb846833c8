"""What a gateway says it took and gave back: its own files, line by line. Append-only."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models

from core.clock import CreatedAtField
from finance.tokens.models import FinanceToken
from players.accounts.models import User


def providers() -> list[tuple[str, str]]:
    """Return the gateways of this house; a callable, so that a new one needs no migration."""
    return [(name, name.capitalize()) for name in settings.GATEWAYS]


class GatewayFile(models.Model):
    """One file of a gateway; the same bytes uploaded again are the same file.

    Its lines are kept and not its text, which names payers and their cards.
    """

    provider = models.CharField(max_length=20, choices=providers)
    # Which of the gateway's files it is: "payments", "settlements".
    shape = models.CharField(max_length=20)
    name = models.CharField(max_length=200)
    sha256 = models.CharField(max_length=64, unique=True)
    line_count = models.IntegerField()
    # The number of lines that move no money, such as failed attempts.
    passed_over = models.IntegerField()
    # The house's days its lines lie in; both empty in a file without lines.
    first_day = models.DateField(null=True)
    last_day = models.DateField(null=True)
    # A machine's token, or the member of staff who uploaded it in the admin.
    uploaded_by = models.ForeignKey(
        FinanceToken, on_delete=models.PROTECT, related_name="gateway_files", null=True
    )
    staff = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+", null=True)
    uploaded_at = CreatedAtField()

    class Meta:
        ordering: ClassVar[list[str]] = ["-pk"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(
                condition=models.Q(line_count=0, first_day=None, last_day=None)
                | models.Q(line_count__gt=0, first_day__lte=models.F("last_day")),
                name="finance_gatewayfile_lines_have_days",
            ),
            models.CheckConstraint(
                condition=models.Q(uploaded_by=None) ^ models.Q(staff=None),
                name="finance_gatewayfile_one_uploader",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.provider} {self.name}"

    @property
    def uploader(self) -> str:
        """Return the uploader: the name of a token, or of a member of staff."""
        return str(self.uploaded_by.name if self.uploaded_by else self.staff)


class GatewayLine(models.Model):
    """One movement in a gateway's file: what came in is positive, in minor units."""

    class What(models.TextChoices):
        PAYMENT = "payment", "Payment"
        REFUND = "refund", "Refund"
        # What the gateway booked for itself: a chargeback, a correction.
        OTHER = "other", "Other"

    file = models.ForeignKey(
        GatewayFile, on_delete=models.PROTECT, related_name="lines", db_index=False
    )
    # Of the file, its header being line 1.
    number = models.IntegerField()
    what = models.CharField(max_length=8, choices=What)
    reference = models.CharField(max_length=80)
    # The payment it is about: its own reference, if it is one.
    payment_reference = models.CharField(max_length=80, blank=True, default="")
    currency = models.CharField(max_length=3)
    amount_minor = models.BigIntegerField()
    at = models.DateTimeField()
    day = models.DateField()
    # The gateway's payment to the bank that it was part of, and the bank's reference of that one;
    # empty where the file does not say.
    settlement = models.CharField(max_length=80, blank=True, default="")
    bank_reference = models.CharField(max_length=80, blank=True, default="")
    settled_on = models.DateField(null=True)
    # What the gateway kept of it: its fee, and the tax on that.
    fee_minor = models.BigIntegerField(default=0)
    tax_minor = models.BigIntegerField(default=0)

    class Meta:
        ordering: ClassVar[list[str]] = ["file", "number"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["file", "what", "reference"], name="finance_gatewayline_told_once"
            ),
            models.CheckConstraint(
                condition=~models.Q(amount_minor=0), name="finance_gatewayline_of_something"
            ),
            models.CheckConstraint(
                condition=models.Q(fee_minor__gte=0, tax_minor__gte=0),
                name="finance_gatewayline_keeps_no_less_than_nothing",
            ),
            models.CheckConstraint(
                condition=models.Q(settlement="", settled_on=None, fee_minor=0, tax_minor=0)
                | ~models.Q(settlement="") & models.Q(settled_on__isnull=False),
                name="finance_gatewayline_settled_on_a_day",
            ),
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["reference"], name="finance_gatewayline_ref"),
            models.Index(fields=["payment_reference"], name="finance_gatewayline_payment"),
        ]

    def __str__(self) -> str:
        return f"{self.what} {self.reference}"
