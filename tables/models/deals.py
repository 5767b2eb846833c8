"""A deal: its secret seed and its append-only moves, from which its state is folded."""

from __future__ import annotations

from collections.abc import Collection
from datetime import UTC, date
from typing import Any, ClassVar, Self
from uuid import UUID, uuid5

from django.db import models
from django.utils.translation import gettext, gettext_lazy

from core.clock import CreatedAtField
from core.db.identifiers import new_public_id
from tables.models.seats import Seat
from tables.models.tables import OfTable, Table
from tables.state.same_table import SameTableKey, SameTableOneToOne, SavedInItsTable


class DealQuerySet(models.QuerySet["Deal"]):
    def settled(self) -> Self:
        return self.filter(status=Deal.Status.SETTLED)

    def revealed(self) -> Self:
        """Deals that were played and are over, settled or void: their seed is published."""
        return self.filter(reveal__isnull=False, started_at__isnull=False)


class Deal(SavedInItsTable):
    class Status(models.TextChoices):
        COMMITTED = "committed", gettext_lazy("Seed committed, cards not dealt")
        PLAYING = "playing", gettext_lazy("Being played")
        ENDED = "ended", gettext_lazy("Ended, to be scored")
        SETTLED = "settled", gettext_lazy("Settled")
        VOID = "void", gettext_lazy("Void")

    public_id = models.UUIDField(default=new_public_id, unique=True, editable=False)
    table = models.ForeignKey(Table, on_delete=models.PROTECT, related_name="deals", db_index=False)
    no = models.PositiveIntegerField()
    status = models.CharField(max_length=9, choices=Status, default=Status.COMMITTED)
    # SHA-256 of the seed, hex; published with this row, that is before the toss (RB 12.1).
    commitment = models.CharField(max_length=64)
    # Chains this commitment to the table's earlier ones: no deal can be replaced or removed.
    chain = models.CharField(max_length=64)
    # Commitments that were given up, because a seat withheld its seed; with blanks between them.
    redrawn = models.TextField(default="", blank=True)
    # Since when no seat adds a seed, and those committed to are revealed; null before.
    closed_at = models.DateTimeField(null=True, blank=True)
    # The toss cards of deal 1, in the order in which players sat down ("KS 9H 2D"); empty later.
    toss = models.CharField(max_length=40, default="", blank=True)
    # How the deal ended, as `rummy` names it ("show", "last_player", …); empty until settled.
    ending = models.CharField(max_length=20, default="", blank=True)
    committed_at = CreatedAtField()
    started_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    settled_at = models.DateTimeField(null=True, blank=True)

    objects = DealQuerySet.as_manager()

    class Meta:
        ordering: ClassVar[list[str]] = ["table", "no"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["table", "no"], name="tables_deal_number_once"),
            models.UniqueConstraint(fields=["table", "id"], name="tables_deal_of_its_table"),
            models.CheckConstraint(
                condition=~models.Q(status="settled") | models.Q(settled_at__isnull=False),
                name="tables_deal_settled_has_a_time",
            ),
            models.CheckConstraint(
                condition=models.Q(status__in=["committed", "void"])
                | models.Q(started_at__isnull=False),
                name="tables_deal_dealt_has_a_time",
            ),
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(
                fields=["settled_at"],
                condition=models.Q(status="settled"),
                name="tables_deal_settled",
            ),
        ]

    def __str__(self) -> str:
        return gettext("deal %(no)s of %(table)s") % {"no": self.no, "table": self.table}

    @property
    def dealt_on(self) -> date | None:
        """The UTC day under which its moves are stored; None before the deal begins."""
        return self.started_at.astimezone(UTC).date() if self.started_at else None

    @property
    def meld_window(self) -> UUID:
        """The id of the deal's only meld window, always the same for one deal."""
        return uuid5(self.public_id, "meld")

    @property
    def draw(self) -> int:
        """How often the deal was drawn again."""
        return len(self.redrawn.split())

    def texts_of(self, seats: Collection[int]) -> dict[int, str]:
        """Return the client seeds that these seats added to the deal, by seat.

        They are in the order of the stream, in which the seats sat down (RB 12.1).
        """
        given = {s.seat_id: s.text for s in self.client_seeds.all() if s.draw == self.draw}
        return {seat: given[seat] for seat in sorted(seats) if given.get(seat)}

    def was_acted_in(self) -> bool:
        """Return whether a player acted in this deal; leaving the table does not count (RB 7.6)."""
        made = self.moves.exclude(origin=Move.Origin.CLOCK).values_list("text", flat=True)
        return any(not text.endswith(" leave") for text in made)


class DealSecret(OfTable):
    """The encrypted 32-byte seed of a deal; never in the admin, exports, logs or a repr."""

    deal = SameTableOneToOne(
        Deal, on_delete=models.PROTECT, primary_key=True, related_name="secret", db_constraint=False
    )
    encrypted_seed = models.BinaryField(editable=False)

    def __str__(self) -> str:
        return f"secret of deal {self.deal_id}"

    __repr__ = __str__


class DealSeat(OfTable):
    """The position of a seat in one deal; position 1 leads."""

    deal = SameTableKey(
        Deal,
        on_delete=models.PROTECT,
        related_name="deal_seats",
        db_constraint=False,
        db_index=False,
    )
    seat = SameTableKey(
        Seat, on_delete=models.PROTECT, related_name="deal_seats", db_constraint=False
    )
    position = models.PositiveSmallIntegerField()
    # The player's own grouping in notation ("5H 6H 7H | KD KS"); shown to that player only.
    groups = models.CharField(max_length=200, default="", blank=True)

    class Meta:
        ordering: ClassVar[list[str]] = ["deal", "position"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["deal", "position"], name="tables_dealseat_position_once"
            ),
            models.UniqueConstraint(fields=["deal", "seat"], name="tables_dealseat_seat_once"),
        ]

    def __str__(self) -> str:
        return f"p{self.position} in deal {self.deal_id}"


class DealOfMoves(SameTableKey):
    """The deal of a move; queries name its day too, so that they read one monthly partition."""

    def named_besides(self, row: Any) -> dict[str, Any]:
        dealt_on = row.dealt_on
        return super().named_besides(row) | ({"dealt_on": dealt_on} if dealt_on else {})


class Move(OfTable):
    """One accepted move in notation ("p1 x 7H"); append-only, never a stock card."""

    class Origin(models.TextChoices):
        PLAYER = "player", gettext_lazy("Player")
        BOT = "bot", gettext_lazy("Bot")
        CLOCK = "clock", gettext_lazy("Clock")

    deal = DealOfMoves(
        Deal, on_delete=models.PROTECT, related_name="moves", db_constraint=False, db_index=False
    )
    ply = models.PositiveIntegerField()
    # When the move's deal began; the date that selects the monthly partition.
    dealt_on = models.DateField()
    seat = SameTableKey(
        Seat, on_delete=models.PROTECT, related_name="moves", db_constraint=False, db_index=False
    )
    text = models.CharField(max_length=200)
    origin = models.CharField(max_length=6, choices=Origin)
    # The move's id chosen by the client; null for moves made by the clock.
    move_id = models.UUIDField(null=True, blank=True)
    # The table's version after this move.
    version = models.PositiveBigIntegerField()
    # When the turn or window opened by this move runs out, as the player's response reported it.
    due_at = models.DateTimeField(null=True, blank=True)
    made_at = models.DateTimeField()

    class Meta:
        ordering: ClassVar[list[str]] = ["deal", "ply"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["deal", "ply", "dealt_on"], name="tables_move_ply_once"
            ),
            models.UniqueConstraint(
                fields=["seat", "move_id", "dealt_on"],
                condition=models.Q(move_id__isnull=False),
                name="tables_move_id_once_per_seat",
            ),
        ]

    def __str__(self) -> str:
        return self.text
