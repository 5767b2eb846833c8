"""Trees of balances: of each closed day and currency one, and its leaves in parts."""

from __future__ import annotations

from typing import ClassVar

from django.db import models

from core.db.identifiers import ProtectedForeignKey
from finance.reports.frame.models import DailyClose
from wallet.ledger.money import MoneyProperty


class BalanceTree(models.Model):
    """A day's published total of the balances in a currency, and its root. Append-only."""

    close = ProtectedForeignKey(DailyClose, related_name="balance_trees", db_index=False)
    currency = models.CharField(max_length=3)
    total_minor = models.BigIntegerField()
    root = models.CharField(max_length=64)
    # The leaves' nonces are derived from it.
    secret = models.BinaryField(editable=False)
    # The nodes at the tops of the parts.
    tops = models.BinaryField(editable=False)

    class Meta:
        ordering: ClassVar[list[str]] = ["-close_id", "currency"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["close", "currency"], name="finance_balancetree_once"),
            models.CheckConstraint(
                condition=models.Q(total_minor__gt=0), name="finance_balancetree_is_owed"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.currency} {self.close_id}"

    total = MoneyProperty("total_minor")


class BalanceTreePart(models.Model):
    """Leaves of a tree in the order of their hashes; all parts have the same number of them."""

    tree = ProtectedForeignKey(BalanceTree, related_name="parts", db_index=False)
    no = models.IntegerField()
    # The hash of its first leaf.
    first = models.BinaryField(editable=False)
    leaves = models.BinaryField(editable=False)

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["tree", "first"], name="finance_balancetreepart_once"),
        ]

    def __str__(self) -> str:
        return f"{self.tree_id}, {self.no}"
