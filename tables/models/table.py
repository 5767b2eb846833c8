"""A table is a state machine with a clock; a seat is one sitting at it (ARCHITECTURE 6)."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar, Self

from django.conf import settings
from django.db import models
from django.db.models.functions import Coalesce
from django.utils import timezone
from moneyed import Money

from players.identifiers import new_public_id
from tables.models.profile import BotStrength, RuleProfile, StakeMode, TableTemplate
from wallet.models import Account, Stake
from wallet.money import as_money


class TableQuerySet(models.QuerySet["Table"]):
    def locked(self, *, skip_locked: bool = False) -> Self:
        query = self.select_for_update(no_key=True, of=("self",), skip_locked=skip_locked)
        return query.select_related("profile").order_by("pk")

    def waiting(self) -> Self:
        return self.filter(phase=Table.Phase.WAITING)

    def joinable(self) -> Self:
        """Tables one may still sit down at: waiting ones, and points tables at any time."""
        taken = models.Count("seats", filter=models.Q(seats__left_at__isnull=True))
        # Each half is a walk of its own short index; finished tables are never read.
        waiting = Table.objects.waiting().values("pk")
        open_ended = Table.objects.open_ended().values("pk")
        public = self.filter(pk__in=waiting.union(open_ended), invite_code="")
        free = public.annotate(taken=taken)
        return free.filter(taken__lt=models.F("seats_max"))

    def open_ended(self) -> Self:
        """Points tables that are still there (RB 8.1)."""
        return self.live().filter(point_value_minor__gt=0)

    def live(self) -> Self:
        return self.exclude(phase__in=Table.OVER)

    def clock_due(self, now: datetime) -> Self:
        """Tables whose own time may be over: extra time and outages are still to be added."""
        return self.filter(due_at__lte=now).order_by("due_at")

    def bots_due(self, now: datetime) -> Self:
        return self.filter(bot_due_at__lte=now).order_by("bot_due_at")


class Table(models.Model):
    class Phase(models.TextChoices):
        WAITING = "waiting", "Waiting for players"
        TOSS = "toss", "Toss"
        PLAYING = "playing", "Playing"
        SHOWING = "showing", "Meld window"
        SETTLING = "settling", "Being scored"
        REJOIN = "rejoin", "Rejoin window"
        SPLIT = "split", "Split offer"
        BETWEEN = "between", "Between deals"
        FINISHED = "finished", "Finished"
        CANCELLED = "cancelled", "Cancelled"

    OVER: ClassVar[tuple[str, ...]] = ("finished", "cancelled")

    public_id = models.UUIDField(default=new_public_id, unique=True, editable=False)
    template = models.ForeignKey(
        TableTemplate, on_delete=models.PROTECT, null=True, blank=True, related_name="tables"
    )
    profile = models.ForeignKey(RuleProfile, on_delete=models.PROTECT, related_name="tables")
    name = models.CharField(max_length=60)
    stake_mode = models.CharField(max_length=5, choices=StakeMode, default=StakeMode.CASH)
    currency = models.CharField(max_length=3)
    entry_minor = models.BigIntegerField()
    # What one point is worth at a points table (RB 8.1); 0 in every other game.
    point_value_minor = models.BigIntegerField(default=0)
    rake_bps = models.PositiveIntegerField(default=0)
    seats_min = models.PositiveSmallIntegerField(default=2)
    seats_max = models.PositiveSmallIntegerField(default=6)
    bots_fill = models.BooleanField(default=False)
    bot_strength = models.CharField(max_length=6, choices=BotStrength, default=BotStrength.GREEDY)
    escrow_account = models.OneToOneField(
        Account, on_delete=models.PROTECT, null=True, blank=True, related_name="table"
    )
    # Private: only who has the code of its link can sit down; "" for the lobby's tables.
    invite_code = models.CharField(max_length=24, default="", blank=True, db_index=True)
    opened_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    # Opaque: whose table it is ("" for the lobby's own, a tournament's reference otherwise).
    owner_ref = models.CharField(max_length=80, default="", blank=True)
    # Play stops when this many are left: 1, or a tournament's number of qualifiers.
    stop_at_survivors = models.PositiveSmallIntegerField(default=1)
    rejoins_open = models.BooleanField(default=True)
    # Where rejoins are paid at a table for chips: its tournament's escrow; else its own.
    rejoin_account = models.ForeignKey(
        Account, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    # The deal on the table is its last: a round's time is over (RB 10.4).
    is_last_deal = models.BooleanField(default=False)

    phase = models.CharField(max_length=10, choices=Phase, default=Phase.WAITING)
    version = models.PositiveBigIntegerField(default=0)
    # The only timer: when the phase or the turn runs out; outages since `armed_at` are added.
    due_at = models.DateTimeField(null=True, blank=True)
    armed_at = models.DateTimeField(null=True, blank=True)
    bot_due_at = models.DateTimeField(null=True, blank=True)
    # Names the open window (groups after a show, rejoin, split) its answers belong to.
    window_id = models.UUIDField(null=True, blank=True)
    deal_no = models.PositiveIntegerField(default=0)
    # Seats dealt into deal 1: what split and rejoin rules count from (RB 7.4).
    starters = models.PositiveSmallIntegerField(default=0)
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    # How the game ended, in one word ("won", "split", "auto_split", …); empty while it is on.
    ending = models.CharField(max_length=12, default="", blank=True)

    objects = TableQuerySet.as_manager()

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(
                condition=models.Q(phase__in=["finished", "cancelled"], finished_at__isnull=False)
                | (
                    ~models.Q(phase__in=["finished", "cancelled"])
                    & models.Q(finished_at__isnull=True)
                ),
                name="tables_table_over_has_a_time",
            ),
            models.CheckConstraint(
                condition=models.Q(stake_mode="cash", escrow_account__isnull=False)
                | models.Q(stake_mode="chips", escrow_account__isnull=True),
                name="tables_table_escrow_for_cash",
            ),
            models.CheckConstraint(
                condition=models.Q(due_at__isnull=True) | models.Q(armed_at__isnull=False),
                name="tables_table_clock_armed",
            ),
            models.CheckConstraint(
                condition=~models.Q(phase__in=["finished", "cancelled"])
                | models.Q(due_at__isnull=True, bot_due_at__isnull=True),
                name="tables_table_over_has_no_clock",
            ),
            models.CheckConstraint(
                condition=models.Q(bot_strength__in=BotStrength.values),
                name="tables_table_bot_strength_known",
            ),
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(
                fields=["due_at"],
                condition=models.Q(due_at__isnull=False),
                name="tables_table_due",
            ),
            models.Index(
                fields=["bot_due_at"],
                condition=models.Q(bot_due_at__isnull=False),
                name="tables_table_bot_due",
            ),
            models.Index(
                fields=["template", "id"],
                condition=models.Q(phase="waiting"),
                name="tables_table_waiting",
            ),
            models.Index(
                fields=["template", "id"],
                condition=models.Q(point_value_minor__gt=0)
                & ~models.Q(phase__in=["finished", "cancelled"]),
                name="tables_table_open_ended",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} {str(self.public_id)[-6:]}"

    @property
    def entry(self) -> Money:
        return as_money(self.entry_minor, self.currency)

    @property
    def escrow(self) -> Account:
        if self.escrow_account is None:
            raise ValueError("a table for chips has no escrow")
        return self.escrow_account

    @property
    def is_open_ended(self) -> bool:
        """A points table: people come and go, and it has no last deal (RB 8.1)."""
        return self.point_value_minor > 0

    @property
    def is_over(self) -> bool:
        return self.phase in self.OVER

    def has_scored(self) -> bool:
        """Say whether a deal has counted: until then no entry is lost (RB 7.7)."""
        return self.deals.settled().exists()


class SeatQuerySet(models.QuerySet["Seat"]):
    def active(self) -> Self:
        """Seats that are still in the game: not left, and not eliminated for good."""
        from tables.models.result import Elimination

        standing = Elimination.objects.standing().filter(seat=models.OuterRef("pk"))
        return self.filter(~models.Exists(standing), left_at__isnull=True)

    def present(self) -> Self:
        return self.filter(left_at__isnull=True)

    def of_player(self, player: models.Model) -> Self:
        return self.filter(player=player)

    def not_heard_of_since(self, since: datetime) -> Self:
        """Seats of people at waiting tables whose clients were last heard of before this time."""
        people = self.present().filter(player__is_bot=False, seen_at__lt=since)
        return people.filter(table__phase=Table.Phase.WAITING)

    def in_seat_order(self) -> Self:
        return self.order_by("number", "pk")

    def totals(self) -> dict[int, int]:
        """Return each seat's running points by its key: 0 before the first settled deal.

        Who rejoined after his last deal goes on with the total he bought in at (RB 7.3).
        """
        from tables.models.result import Elimination, Score

        rejoined = Elimination.objects.filter(
            seat=models.OuterRef("seat"), deal=models.OuterRef("deal"), rejoined_at__isnull=False
        )
        latest = (
            Score.objects.filter(seat=models.OuterRef("pk"))
            .annotate(bought_in_at=models.Subquery(rejoined.values("rejoined_total")[:1]))
            .annotate(stands_at=Coalesce("bought_in_at", "total_after"))
            .order_by("-deal__no")
        )
        total = Coalesce(models.Subquery(latest.values("stands_at")[:1]), 0)
        return dict(self.annotate(total=total).values_list("pk", "total"))


class Seat(models.Model):
    table = models.ForeignKey(Table, on_delete=models.PROTECT, related_name="seats")
    player = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="seats"
    )
    # 1-based, by the toss, highest first (RB 5.1); null until the toss. "Earlier seat" = lower.
    number = models.PositiveSmallIntegerField(null=True, blank=True)
    joined_at = models.DateTimeField(auto_now_add=True)
    left_at = models.DateTimeField(null=True, blank=True)
    # Points tables only: not dealt in since, by wish or for want of a stack; the seat is kept for
    # three deals (RB 8.1).
    sits_out_since = models.DateTimeField(null=True, blank=True)
    deals_missed = models.PositiveSmallIntegerField(default=0)
    # When its player was last heard of while the table waited: by a request, or an open socket.
    seen_at = models.DateTimeField(default=timezone.now)
    # Its player has not come to a tournament: its turns are dropped at once (RB 10.4).
    is_absent = models.BooleanField(default=False)

    objects = SeatQuerySet.as_manager()

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
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
        ]

    def __str__(self) -> str:
        return f"seat {self.number or '?'} at table {self.table_id}"


class BuyIn(models.Model):
    """One entry a seat has paid: the first by sitting down, later ones by rejoining (RB 7.3)."""

    seat = models.ForeignKey(Seat, on_delete=models.PROTECT, related_name="buy_ins")
    # Counts the seat's entries from 1; the transfer's key is `buyin:{seat}:{no}`.
    no = models.PositiveSmallIntegerField(default=1)
    stake = models.OneToOneField(Stake, on_delete=models.PROTECT, related_name="buy_in")

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["seat", "no"], name="tables_buyin_number_once"),
        ]

    def __str__(self) -> str:
        return f"buy-in {self.no} of seat {self.seat_id}"
