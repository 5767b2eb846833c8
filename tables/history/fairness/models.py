"""The rows that prove a deal fair: the players' client seeds and the revealed seed."""

from __future__ import annotations

from typing import Any, ClassVar

from django.db import models

from tables.models.deals import Deal
from tables.models.seats import Seat
from tables.models.tables import OfTable
from tables.state.same_table import SameTableKey, SameTableOneToOne


class ClientSeed(OfTable):
    """A text that a seat added to the shuffle of one deal before it was dealt (RB 12.1).

    A seat that committed to its text first reveals it when no seat can commit any more.
    """

    LONGEST: ClassVar[int] = 64
    # With the prefix of a commitment.
    LONGEST_SENT: ClassVar[int] = 71

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
    # The number of times that the deal was drawn again before.
    draw = models.PositiveSmallIntegerField(default=0)
    # SHA-256 of the text, hex; empty if the text was given openly.
    commitment = models.CharField(max_length=64, default="", blank=True)
    # As sent; its UTF-8 bytes go into the random stream. Empty until revealed.
    text = models.CharField(max_length=LONGEST, default="", blank=True)
    given_at = models.DateTimeField()

    class Meta:
        # Their order in the stream: the order in which players sat down.
        ordering: ClassVar[list[str]] = ["deal", "seat"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["deal", "seat", "draw"], name="tables_clientseed_once_per_draw"
            ),
            models.CheckConstraint(
                condition=~models.Q(text="", commitment=""), name="tables_clientseed_says_something"
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
