"""The rows that prove a deal fair: the players' client seeds and the revealed seed."""

from __future__ import annotations

from typing import Any, ClassVar

from django.db import models

from tables.models.deals import Deal
from tables.models.seats import Seat
from tables.models.tables import OfTable
from tables.state.same_table import SameTableKey, SameTableOneToOne


class ClientSeed(OfTable):
    """A text that a seat added to the shuffle of one deal before it was dealt (RB 12.1)."""

    LONGEST: ClassVar[int] = 64

    deal = SameTableKey(
        Deal,
        on_delete=models.PROTECT,
        related_name="client_seeds",
        db_constraint=False,
        db_index=False,
    )
    seat = SameTableKey(
        Seat, on_delete=models.PROTECT, related_name="client_seeds", db_constraint=False
    )
    # As sent; its UTF-8 bytes go into the random stream.
    text = models.CharField(max_length=LONGEST)
    given_at = models.DateTimeField()

    class Meta:
        # Their order in the stream: the order in which players sat down.
        ordering: ClassVar[list[str]] = ["deal", "seat"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["deal", "seat"], name="tables_clientseed_once_per_deal"
            ),
            models.CheckConstraint(
                condition=~models.Q(text=""), name="tables_clientseed_says_something"
            ),
        ]

    def __str__(self) -> str:
        return f"client seed of seat {self.seat_id} for deal {self.deal_id}"


class Reveal(OfTable):
    """The revealed seed of a finished deal; the database accepts only the committed one."""

    deal = SameTableOneToOne(
        Deal, on_delete=models.PROTECT, primary_key=True, related_name="reveal", db_constraint=False
    )
    # 32 bytes in hex.
    server_seed = models.CharField(max_length=64)
    # The hash that binds the deal's moves and result; empty if it was never dealt.
    head = models.CharField(max_length=64, default="", blank=True)
    revealed_at = models.DateTimeField()

    class Meta:
        permissions: ClassVar[list[tuple[str, Any]]] = [
            ("replay_any_deal", "Can replay finished deals of others"),
        ]

    def __str__(self) -> str:
        return f"seed of deal {self.deal_id}"
