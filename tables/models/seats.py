"""Seats (one sitting at a table each), with their entries, scores and eliminations."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar, Self

from django.conf import settings
from django.db import models
from django.db.models.functions import Coalesce
from django.utils.translation import gettext, gettext_lazy

from core.clock import CreatedAtField
from tables.models.tables import OfTable, Table
from tables.state.same_table import SameTableKey, SavedInItsTable
from wallet.stakes.models import Stake


class SeatQuerySet(models.QuerySet["Seat"]):
    def active(self) -> Self:
        """Seats that are still in the game: not left, and not eliminated."""

        here = {"table": models.OuterRef("table"), "seat": models.OuterRef("pk")}
        standing = Elimination.objects.standing().filter(**here)
        return self.filter(~models.Exists(standing), left_at__isnull=True)

    def present(self) -> Self:
        return self.filter(left_at__isnull=True)

    def of_site_bots(self) -> Self:
        """Seats played by the site's bots; a bot declared by a player is run by that player."""
        return self.filter(player__is_bot=True, player__owner__isnull=True)

    def of_player(self, player: models.Model) -> Self:
        return self.filter(player=player)

    def not_seen_since(self, since: datetime) -> Self:
        """Seats of people at the lobby's waiting tables, last seen before this time."""
        players = self.present().exclude(player__is_bot=True, player__owner__isnull=True)
        return players.filter(
            seen_at__lt=since, table__phase=Table.Phase.WAITING, table__owner_ref=""
        )

    def in_seat_order(self) -> Self:
        return self.order_by("number", "pk")

    def totals(self) -> dict[int, int]:
        """Return each seat's running points by the seat's key: 0 before the first settled deal.

        A seat that rejoined after its last deal continues with its rejoin total (RB 7.3).
        """
        tables = dict(self.order_by().values_list("pk", "table"))
        totals = dict.fromkeys(tables, 0)
        for table in {*tables.values()}:
            # The key as a value: a subquery correlated by a column would be sent to every node.
            of_seat = {"table": table, "seat": models.OuterRef("seat")}
            rejoined = Elimination.objects.filter(
                **of_seat, deal=models.OuterRef("deal"), rejoined_at__isnull=False
            )
            bought_in_at = models.Subquery(rejoined.values("rejoined_total")[:1])
            scores = Score.objects.filter(table=table, seat__in=tables)
            latest = scores.order_by("seat_id", "-deal__no").distinct("seat_id")
            totals |= latest.values_list("seat", Coalesce(bought_in_at, "total_after"))
        return totals


class Seat(SavedInItsTable):
    # Read by `tables.state.snapshot`: whether the seat is eliminated, and the keys of the stakes of
    # its payments in order.
    is_out: bool
    stakes: list[int]

    table = models.ForeignKey(Table, on_delete=models.PROTECT, related_name="seats", db_index=False)
    player = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="seats"
    )
    # Order by the toss, from 1, highest card first (RB 5.1); null until the toss.
    number = models.PositiveSmallIntegerField(null=True, blank=True)
    joined_at = CreatedAtField()
    left_at = models.DateTimeField(null=True, blank=True)
    # Points tables only: since when the seat is not dealt in, by choice or because its stack is too
    # small; the seat is kept for three deals (RB 8.1).
    sits_out_since = models.DateTimeField(null=True, blank=True)
    deals_missed = models.PositiveSmallIntegerField(default=0)
    # How often the player committed to a client seed and did not reveal it (RB 12.1).
    seeds_withheld = models.PositiveSmallIntegerField(default=0)
    # When the player's client was last seen while the table waited: a request or an open socket.
    seen_at = CreatedAtField()
    # The player has not arrived at a tournament: their turns are dropped at once (RB 10.4).
    is_absent = models.BooleanField(default=False)
    # Games of chips: chips that this seat has more than the rules' at the start (RB 10.6).
    extra_chips = models.PositiveIntegerField(default=0)
    # The number of the deal before which this player asked to shorten the pause.
    ready_for = models.PositiveIntegerField(null=True, blank=True)
    # The last of the fixed phrases that the player sent; views include it for some seconds.
    said = models.CharField(max_length=16, default="", blank=True)
    said_at = models.DateTimeField(null=True, blank=True)
    # Tables for money: the number of the first deal whose hands this player agrees to show to
    # spectators, null without consent; and when the player last agreed or withdrew.
    shows_hands_from = models.PositiveIntegerField(null=True, blank=True)
    shows_hands_set_at = models.DateTimeField(null=True, blank=True)

    objects = SeatQuerySet.as_manager()

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["table", "id"], name="tables_seat_of_its_table"),
            models.UniqueConstraint(
                fields=["table", "player"],
                condition=models.Q(left_at__isnull=True),
                name="tables_seat_player_once",
            ),
            models.UniqueConstraint(
                fields=["table", "number"],
                condition=models.Q(left_at__isnull=True, number__isnull=False),
                name="tables_seat_number_once",
            ),
            models.CheckConstraint(
                condition=models.Q(said="", said_at__isnull=True)
                | (~models.Q(said="") & models.Q(said_at__isnull=False)),
                name="tables_seat_said_at_a_time",
            ),
            models.CheckConstraint(
                condition=models.Q(shows_hands_from__isnull=True)
                | models.Q(shows_hands_set_at__isnull=False),
                name="tables_seat_agreed_at_a_time",
            ),
        ]

    def __str__(self) -> str:
        names = {"no": self.number or "?", "table": self.table}
        return gettext("seat %(no)s at %(table)s") % names


class BuyIn(OfTable):
    """One entry paid by a seat: the first on sitting down, later ones on rejoining (RB 7.3)."""

    seat = SameTableKey(
        Seat, on_delete=models.PROTECT, related_name="buy_ins", db_constraint=False, db_index=False
    )
    # Numbers the seat's entries from 1; the transfer's key is `buyin:{seat}:{no}`.
    no = models.PositiveSmallIntegerField(default=1)
    stake = models.OneToOneField(Stake, on_delete=models.PROTECT, related_name="buy_in")

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["seat", "no"], name="tables_buyin_number_once"),
        ]

    def __str__(self) -> str:
        return f"buy-in {self.no} of {self.seat}"


class Score(OfTable):
    # Read by `tables.state.snapshot`: the total of a rejoin after the deal, if any.
    bought_in_at: int | None

    class How(models.TextChoices):
        WON = "won", gettext_lazy("Won the deal")
        LOST = "lost", gettext_lazy("Lost")
        FIRST_DROP = "first_drop", gettext_lazy("First drop")
        MIDDLE_DROP = "middle_drop", gettext_lazy("Middle drop")
        WRONG_SHOW = "wrong_show", gettext_lazy("Wrong show")
        LEFT = "left", gettext_lazy("Left")

    deal = SameTableKey(
        "tables.Deal",
        on_delete=models.PROTECT,
        related_name="scores",
        db_constraint=False,
        db_index=False,
    )
    seat = SameTableKey(Seat, on_delete=models.PROTECT, related_name="scores", db_constraint=False)
    # Negative for a bonus in straight rummy's penalty scoring; then a total may be negative too.
    points = models.SmallIntegerField()
    total_after = models.IntegerField()
    how = models.CharField(max_length=12, choices=How)
    # Deals rummy: the stack of chips after this deal; may be negative.
    chips_after = models.IntegerField(null=True, blank=True)
    # Points rummy: what the deal won (net of rake) or lost (negative), in minor units.
    won_minor = models.BigIntegerField(null=True, blank=True)
    # The arrangement that was scored ("5H 6H 7H | KD KS KC / 9C QD").
    arrangement = models.CharField(max_length=200, default="", blank=True)

    class Meta:
        ordering: ClassVar[list[str]] = ["deal", "seat__number"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["deal", "seat"], name="tables_score_once_per_deal"),
        ]

    def __str__(self) -> str:
        names = {"points": self.points, "seat": self.seat}
        return gettext("%(points)s points for %(seat)s") % names


class EliminationQuerySet(models.QuerySet["Elimination"]):
    def standing(self) -> Self:
        """Eliminations that were not undone by a rejoin."""
        return self.filter(rejoined_at__isnull=True)


class Elimination(OfTable):
    seat = SameTableKey(
        Seat, on_delete=models.PROTECT, related_name="eliminations", db_constraint=False
    )
    deal = SameTableKey(
        "tables.Deal", on_delete=models.PROTECT, related_name="eliminations", db_constraint=False
    )
    total = models.PositiveIntegerField()
    at = CreatedAtField()
    # Set when the seat rejoined: the elimination is then history only.
    rejoined_at = models.DateTimeField(null=True, blank=True)
    # The total with which the seat continued after the rejoin (RB 7.3).
    rejoined_total = models.PositiveIntegerField(null=True, blank=True)

    objects = EliminationQuerySet.as_manager()

    class Meta:
        ordering: ClassVar[list[str]] = ["pk"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["seat"],
                condition=models.Q(rejoined_at__isnull=True),
                name="tables_elimination_one_standing",
            ),
            models.CheckConstraint(
                condition=models.Q(rejoined_at__isnull=True, rejoined_total__isnull=True)
                | models.Q(rejoined_at__isnull=False, rejoined_total__isnull=False),
                name="tables_elimination_rejoined_at_a_total",
            ),
        ]

    def __str__(self) -> str:
        return gettext("%(seat)s out at %(total)s") % {"seat": self.seat, "total": self.total}
