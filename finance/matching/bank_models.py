"""Uploaded bank statements and their lines. Append-only."""

from __future__ import annotations

from decimal import Decimal
from typing import ClassVar

from django.db import models

from core.clock import CreatedAtField
from finance.tokens.models import FinanceToken
from players.accounts.models import User
from wallet.ledger.money import as_money


class BankStatement(models.Model):
    """A bank statement, identified by the SHA-256 of its file."""

    name = models.CharField(max_length=200)
    sha256 = models.CharField(max_length=64, unique=True)
    currency = models.CharField(max_length=3)
    line_count = models.IntegerField()
    first_day = models.DateField()
    last_day = models.DateField()
    # The closing balance; null for CSV, which has none.
    closing_minor = models.BigIntegerField(null=True)
    # The token of an upload by API; `staff` for one in the admin.
    uploaded_by = models.ForeignKey(
        FinanceToken, on_delete=models.PROTECT, related_name="bank_statements", null=True
    )
    staff = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+", null=True)
    uploaded_at = CreatedAtField()

    class Meta:
        ordering: ClassVar[list[str]] = ["-pk"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(
                condition=models.Q(first_day__lte=models.F("last_day"), line_count__gt=0),
                name="finance_bankstatement_lines_have_days",
            ),
            models.CheckConstraint(
                condition=models.Q(uploaded_by=None) ^ models.Q(staff=None),
                name="finance_bankstatement_one_uploader",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def uploader(self) -> str:
        """Return the uploader: the name of a token, or of a member of staff."""
        return str(self.uploaded_by.name if self.uploaded_by else self.staff)


class BankLine(models.Model):
    """A line of a statement, in minor units; debits are negative."""

    statement = models.ForeignKey(
        BankStatement, on_delete=models.PROTECT, related_name="lines", db_index=False
    )
    number = models.IntegerField()
    day = models.DateField()
    amount_minor = models.BigIntegerField()
    text = models.TextField()

    class Meta:
        ordering: ClassVar[list[str]] = ["statement", "number"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["statement", "number"], name="finance_bankline_numbered_once"
            ),
        ]
        indexes: ClassVar[list[models.Index]] = [
            # To find lines of other statements with the same amount.
            models.Index(fields=["amount_minor", "day"], name="finance_bankline_amount"),
        ]

    def __str__(self) -> str:
        return f"{self.statement} {self.number}"

    @property
    def amount(self) -> Decimal:
        return as_money(self.amount_minor, self.statement.currency).amount
