"""Uploaded files of gateways and banks, with their lines. Append-only."""

from __future__ import annotations

import hashlib
import re
from decimal import Decimal
from typing import ClassVar, Final

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import models
from django.db.models.functions import Upper
from django.utils.translation import gettext_lazy

from core.clock import CreatedAtField
from core.db.identifiers import ProtectedForeignKey
from finance.tokens.models import FinanceToken
from players.accounts.models import User
from wallet.ledger.money import as_money

# The digits of an account that are shown.
SHOWN: Final = 4
# The characters in which two notations of an account agree: an IBAN ends with the number.
COMPARED: Final = 10
HIDDEN: Final = re.compile(r"[*\u2022]|XX", re.IGNORECASE)


def providers() -> list[tuple[str, str]]:
    """Return the installed gateways; a callable, so that a new one needs no migration."""
    return [(name, name.capitalize()) for name in settings.GATEWAYS]


def masked(account: str) -> str:
    """Return an account with its last four characters only.

    >>> masked("50200000000001"), masked("")
    ('••••0001', '')
    """
    return f"••••{account[-SHOWN:]}" if len(account) > SHOWN else account


def plain_account(account: str, currency: str) -> str:
    """Return an account without the bank and the currency that some banks write with it.

    >>> plain_account("HDFC/001234567890", "INR"), plain_account("001234567890INR", "INR")
    ('001234567890', '001234567890')
    """
    return account.removesuffix(currency).rstrip("/").rpartition("/")[2]


def account_key(account: str) -> str:
    """Return what tells accounts with the same last characters apart, or "" if it is masked.

    >>> account_key("DE89370400440532013000") == account_key("0532013000")
    True
    >>> account_key("XXXXXXXX3000")
    ''
    """
    if len(account) <= SHOWN or HIDDEN.search(account):
        return ""
    compared = account[-COMPARED:].lstrip("0").upper()
    return hashlib.sha256(compared.encode()).hexdigest()[:16]


class Upload(models.Model):
    """A file, identified by the SHA-256 of its bytes, or one of its statements.

    Only its parsed lines are stored: the text contains names and cards of payers.
    """

    name = models.CharField(max_length=200)
    line_count = models.IntegerField()
    # The token of an upload by API; `staff` for one in the admin.
    uploaded_by = ProtectedForeignKey(FinanceToken, related_name="%(class)ss", null=True)
    staff = ProtectedForeignKey(User, related_name="+", null=True)
    uploaded_at = CreatedAtField()

    class Meta:
        abstract = True
        ordering: ClassVar[list[str]] = ["-pk"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(
                condition=models.Q(uploaded_by=None) ^ models.Q(staff=None),
                name="%(app_label)s_%(class)s_one_uploader",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def uploader(self) -> str:
        """Return the uploader: the name of a token, or of a member of staff."""
        return str(self.uploaded_by.name if self.uploaded_by else self.staff)


class GatewayFile(Upload):
    """A gateway's file."""

    sha256 = models.CharField(max_length=64, unique=True)

    class Shape(models.TextChoices):
        """The kinds of files that `finance.matching.gateways.lines` reads."""

        PAYMENTS = "payments", gettext_lazy("Payments")
        SETTLEMENTS = "settlements", gettext_lazy("Settlements")
        RECON = "recon", gettext_lazy("Settlements with every transaction")

    provider = models.CharField(max_length=20, choices=providers)
    shape = models.CharField(gettext_lazy("kind of file"), max_length=20, choices=Shape)
    # The number of lines that move no money, such as failed attempts.
    passed_over = models.IntegerField()
    # Days of its lines in the site's time zone; null for a file without lines.
    first_day = models.DateField(null=True)
    last_day = models.DateField(null=True)

    class Meta(Upload.Meta):
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(
                condition=models.Q(line_count=0, first_day=None, last_day=None)
                | models.Q(line_count__gt=0, first_day__lte=models.F("last_day")),
                name="finance_gatewayfile_lines_have_days",
            ),
            *Upload.Meta.constraints,
        ]

    def __str__(self) -> str:
        return f"{self.provider} {self.name}"


class GatewayLine(models.Model):
    """A movement in a gateway file; money received is positive, in minor units."""

    class What(models.TextChoices):
        PAYMENT = "payment", gettext_lazy("Payment")
        REFUND = "refund", gettext_lazy("Refund")
        # A correction by the gateway.
        OTHER = "other", gettext_lazy("Other")

    file = ProtectedForeignKey(GatewayFile, related_name="lines", db_index=False)
    # The line's number in the file; the header is line 1.
    number = models.IntegerField()
    what = models.CharField(max_length=8, choices=What)
    reference = models.CharField(max_length=80)
    # The reference of its payment; of a payment, its own reference.
    payment_reference = models.CharField(max_length=80, blank=True, default="")
    currency = models.CharField(max_length=3)
    amount_minor = models.BigIntegerField()
    at = models.DateTimeField()
    day = models.DateField()
    # The settlement (the gateway's payment to the bank) and the bank's reference of it; empty if
    # the file has none.
    settlement = models.CharField(max_length=80, blank=True, default="")
    bank_reference = models.CharField(max_length=80, blank=True, default="")
    settled_on = models.DateField(null=True)
    # The gateway's fee, and the tax on the fee.
    fee_minor = models.BigIntegerField(default=0)
    tax_minor = models.BigIntegerField(default=0)

    class Meta:
        ordering: ClassVar[list[str]] = ["file", "number"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["file", "what", "reference"], name="finance_gatewayline_reported_once"
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
            models.Index(
                fields=["settlement", "bank_reference"], name="finance_gatewayline_settlement"
            ),
            # A statement's line names a settlement by any of its bank references.
            models.Index(Upper("bank_reference"), name="finance_gatewayline_bank"),
        ]

    def __str__(self) -> str:
        return f"{self.what} {self.reference}"


class BankStatement(Upload):
    """A bank's statement of one account; a file has one for each account and unbroken period."""

    # Of the file, and the statement's place in it.
    sha256 = models.CharField(max_length=64)
    number = models.IntegerField()
    format = models.CharField(max_length=40)
    # The end of the account's number; empty if the file does not name it.
    account = models.CharField(max_length=40, blank=True, default="")
    # `account_key` of the number; empty if the file has no full number.
    account_key = models.CharField(max_length=16, blank=True, default="")
    currency = models.CharField(max_length=3)
    # From its first line to its last, or to the day of its closing balance if that is later.
    first_day = models.DateField()
    last_day = models.DateField()
    # Null if the file does not have them, as in CSV.
    opening_minor = models.BigIntegerField(null=True)
    closing_minor = models.BigIntegerField(null=True)

    class Meta(Upload.Meta):
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["sha256", "number"], name="finance_bankstatement_once"),
            models.CheckConstraint(
                condition=models.Q(first_day__lte=models.F("last_day"), line_count__gte=0),
                name="finance_bankstatement_has_days",
            ),
            *Upload.Meta.constraints,
        ]


class BankLine(models.Model):
    """A line of a statement, in minor units; debits are negative."""

    statement = ProtectedForeignKey(BankStatement, related_name="lines", db_index=False)
    number = models.IntegerField()
    # Where it is in the file, as "statement 1, block :61: number 3".
    position = models.CharField(max_length=80)
    # The booking day, and the value day.
    day = models.DateField()
    valued_on = models.DateField()
    amount_minor = models.BigIntegerField()
    # The words that may name a payout or settlement, in capitals (`references.may_name`).
    references = ArrayField(models.TextField())
    text = models.TextField()

    class Meta:
        ordering: ClassVar[list[str]] = ["statement", "number"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["statement", "number"], name="finance_bankline_numbered_once"
            ),
        ]
        indexes: ClassVar[list[models.Index]] = [
            # Without a pending list, which every look-up would read.
            GinIndex(fields=["references"], fastupdate=False, name="finance_bankline_references"),
        ]

    def __str__(self) -> str:
        return f"{self.statement} {self.number}"

    @property
    def amount(self) -> Decimal:
        return as_money(self.amount_minor, self.statement.currency).amount


class BankExplanation(models.Model):
    """Why a row of a statement's reconciliation matches nothing; it moves no money."""

    statement = ProtectedForeignKey(BankStatement, related_name="explanations", db_index=False)
    # The row's outcome with its line, payout or settlement (`report.row_key`).
    row = models.CharField(max_length=150)
    reason = models.CharField(max_length=200)
    staff = ProtectedForeignKey(User, related_name="+")
    at = CreatedAtField()

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["statement", "row"], name="finance_bankexplanation_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.reason} ({self.staff})"
