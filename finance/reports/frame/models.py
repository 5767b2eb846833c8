"""Daily closes: the final totals of all accounts for each booking day."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.utils.translation import gettext

from core.db.identifiers import ProtectedForeignKey
from wallet.ledger.models import Account


class DailyClose(models.Model):
    """A closed booking day; no transfer can be booked on it any more. Append-only."""

    day = models.DateField(primary_key=True)
    closed_at = models.DateTimeField()
    # All transfers booked up to this day have a transaction id below this one.
    horizon = models.BigIntegerField(editable=False)
    transfers = models.BigIntegerField()
    entries = models.BigIntegerField()
    # Escrows that paid out and were closed on this day.
    games = models.IntegerField()
    # Hex SHA-256 over the previous close's hash, the day's entries and its totals.
    control_hash = models.CharField(max_length=64, unique=True)
    previous_hash = models.CharField(max_length=64, blank=True, default="")

    class Meta:
        ordering: ClassVar[list[str]] = ["-day"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(
                condition=models.Q(transfers__gte=0, entries__gte=2 * models.F("transfers")),
                name="finance_dailyclose_two_entries_a_transfer",
            ),
        ]

    def __str__(self) -> str:
        return self.day.isoformat()


class DailyTotal(models.Model):
    """Totals of all accounts of one kind and currency on a closed day, in minor units."""

    close = ProtectedForeignKey(DailyClose, related_name="totals", db_index=False)
    currency = models.CharField(max_length=3)
    account_kind = models.CharField(max_length=20, choices=Account.Kind)
    opening_minor = models.BigIntegerField()
    in_minor = models.BigIntegerField()
    out_minor = models.BigIntegerField()
    closing_minor = models.BigIntegerField()

    class Meta:
        ordering: ClassVar[list[str]] = ["close", "currency", "account_kind"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["close", "currency", "account_kind"], name="finance_dailytotal_once"
            ),
            models.CheckConstraint(
                condition=models.Q(in_minor__gte=0, out_minor__gte=0)
                & models.Q(
                    closing_minor=models.F("opening_minor")
                    + models.F("in_minor")
                    - models.F("out_minor")
                ),
                name="finance_dailytotal_adds_up",
            ),
        ]

    def __str__(self) -> str:
        names = {"kind": self.get_account_kind_display(), "currency": self.currency}
        return gettext("%(kind)s %(currency)s on %(day)s") % {**names, "day": self.close_id}
