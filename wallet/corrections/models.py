"""Corrections of balances, and restitutions of prizes: one person requests, another decides."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.utils.translation import gettext

from core.db.identifiers import ProtectedForeignKey
from wallet.ledger.models import Account, PostedRequest
from wallet.ledger.money import MoneyProperty, as_text


class Adjustment(PostedRequest):
    """A request for a manual movement of money between two accounts."""

    source = ProtectedForeignKey(Account, related_name="+")
    target = ProtectedForeignKey(Account, related_name="+")

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
        names = {"amount": as_text(self.amount), "source": self.source, "target": self.target}
        return gettext("%(amount)s from %(source)s to %(target)s") % names

    amount = MoneyProperty("amount_minor", currency="source.currency")


class Restitution(PostedRequest):
    """A request for a restitution; its lines sum to zero."""

    # The decision it belongs to, such as "finding:41".
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
    """The amount one player gets, negative if they give."""

    restitution = ProtectedForeignKey(Restitution, related_name="lines", db_index=False)
    player = ProtectedForeignKey(settings.AUTH_USER_MODEL, related_name="+")
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
