"""Stacks: what a player has on the table of an open-ended game, and what each deal did to it."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from moneyed import Money

from wallet.models.stakes import Stake
from wallet.money import as_money


class StackChange(models.Model):
    """What one settled deal brought a player, net of rake, or cost him; append-only (RB 8.1).

    Stakes pass from loser to winner inside their game's escrow, so with no rake there is no
    transfer: these rows are what a statement's readers find each win and loss in. All changes of
    one key and the rake taken under it sum to nothing.
    """

    # One of the player's stakes that were live: it names player, escrow and currency.
    stake = models.ForeignKey(Stake, on_delete=models.PROTECT, related_name="changes")
    # The deal's own: `deal:{table}:{deal}`; the rake's transfer has the same.
    key = models.CharField(max_length=160)
    amount_minor = models.BigIntegerField()
    made_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar[list[str]] = ["pk"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["key", "stake"], name="wallet_stackchange_once_per_deal"
            ),
            models.CheckConstraint(
                condition=~models.Q(amount_minor=0), name="wallet_stackchange_moves_something"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.amount} by {self.key}"

    @property
    def amount(self) -> Money:
        return as_money(self.amount_minor, self.stake.currency)
