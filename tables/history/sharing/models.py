"""Deals that a player has made public by a link."""

from __future__ import annotations

import secrets
from typing import ClassVar, Final, Self

from django.db import models
from django.utils.translation import gettext

from core.clock import CreatedAtField
from tables.models.deals import Deal
from tables.models.seats import Seat

# 128 bits: nobody finds a link by trying.
CODE_BYTES: Final = 16


def new_code() -> str:
    return secrets.token_urlsafe(CODE_BYTES)


class SharedDealQuerySet(models.QuerySet["SharedDeal"]):
    def public(self) -> Self:
        return self.filter(withdrawn_at__isnull=True)

    def of_player(self, player: models.Model) -> Self:
        return self.filter(seat__player=player)


class SharedDeal(models.Model):
    """A public link to one deal, made by a seat that was dealt in, until it is withdrawn."""

    code = models.CharField(max_length=32, unique=True, default=new_code, editable=False)
    # Tables may be on another server, so the database has no foreign keys to their rows.
    seat = models.ForeignKey(
        Seat, on_delete=models.PROTECT, related_name="shared_deals", db_constraint=False
    )
    deal = models.ForeignKey(
        Deal, on_delete=models.PROTECT, related_name="shared", db_constraint=False
    )
    # Whether the page shows this player's name; those of the others are always hidden.
    shows_name = models.BooleanField(default=False)
    created_at = CreatedAtField()
    withdrawn_at = models.DateTimeField(null=True, blank=True)

    objects = SharedDealQuerySet.as_manager()

    class Meta:
        ordering: ClassVar[list[str]] = ["-pk"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["seat", "deal"],
                condition=models.Q(withdrawn_at__isnull=True),
                name="tables_shareddeal_one_link",
            ),
        ]

    def __str__(self) -> str:
        return gettext("shared deal %(no)s") % {"no": self.deal.no}
