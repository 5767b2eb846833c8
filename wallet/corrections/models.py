"""Corrections of balances: requested by one person, decided by another, posted once."""

from __future__ import annotations

from typing import ClassVar

from django.db import models

from wallet.ledger.checked_requests import PostedRequest
from wallet.ledger.models import Account
from wallet.ledger.money import MoneyProperty, as_text


class Adjustment(PostedRequest):
    """A request for a manual movement of money between two accounts."""

    source = models.ForeignKey(Account, on_delete=models.PROTECT, related_name="+")
    target = models.ForeignKey(Account, on_delete=models.PROTECT, related_name="+")

    class Meta(PostedRequest.Meta):
        permissions = (("check_adjustment", "Can approve and reject adjustments"),)
        constraints: ClassVar[list[models.BaseConstraint]] = [
            *PostedRequest.Meta.constraints,
            models.CheckConstraint(
                condition=models.Q(amount_minor__gt=0) & ~models.Q(source=models.F("target")),
                name="wallet_adjustment_moves_something",
            ),
        ]

    def __str__(self) -> str:
        return f"{as_text(self.amount)} from {self.source} to {self.target}"

    amount = MoneyProperty("amount_minor", currency="source.currency")
