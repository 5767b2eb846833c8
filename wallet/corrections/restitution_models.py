"""Prizes that are taken from some players and given to others, as two members of staff decided."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models

from wallet.ledger.checked_requests import PostedRequest
from wallet.ledger.money import MoneyProperty, as_text


class Restitution(PostedRequest):
    """What was asked for; its lines say who gives and who gets, and sum to nothing."""

    # Opaque to the wallet: what it follows from ("finding:41").
    ref = models.CharField(max_length=80)
    currency = models.CharField(max_length=3)

    class Meta(PostedRequest.Meta):
        constraints: ClassVar[list[models.BaseConstraint]] = [
            *PostedRequest.Meta.constraints,
            models.CheckConstraint(
                condition=models.Q(amount_minor__gt=0) & ~models.Q(ref=""),
                name="wallet_restitution_moves_something",
            ),
            models.UniqueConstraint(
                fields=["ref"],
                condition=~models.Q(status="rejected"),
                name="wallet_restitution_one_stands",
            ),
        ]

    def __str__(self) -> str:
        return f"restitution of {as_text(self.amount)}"

    amount = MoneyProperty("amount_minor")


class RestitutionLine(models.Model):
    """What one player gets; what they give is below zero."""

    restitution = models.ForeignKey(
        Restitution, on_delete=models.PROTECT, related_name="lines", db_index=False
    )
    player = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    amount_minor = models.BigIntegerField()

    class Meta:
        ordering: ClassVar[list[str]] = ["restitution", "amount_minor", "player"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["restitution", "player"], name="wallet_restitutionline_one_a_player"
            ),
            models.CheckConstraint(
                condition=~models.Q(amount_minor=0),
                name="wallet_restitutionline_moves_something",
            ),
        ]

    def __str__(self) -> str:
        return f"{as_text(self.amount)} to {self.player}"

    amount = MoneyProperty("amount_minor", currency="restitution.currency")
