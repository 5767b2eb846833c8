"""Tables, as state machines with one timer each; the sweep's heartbeat, outages and drains."""

from __future__ import annotations

from typing import Any, ClassVar, Final, Self

from django.conf import settings
from django.db import models
from django.db.models.functions import Cast, Right
from django.utils.translation import gettext, gettext_lazy

from core.clock import CreatedAtField, Moment
from core.db.identifiers import new_public_id
from core.db.statements import model_from_row
from tables.models.templates import BotStrength, RuleProfile, TableTemplate
from tables.state.same_table import SavedInItsTable
from wallet.ledger.models import Account
from wallet.ledger.money import MoneyProperty

# The end of a table's name, by which staff search for it.
CODE_LENGTH: Final = 6
SHORT_CODE: Final = Right(Cast("public_id", models.TextField()), CODE_LENGTH)


def open_ended(table: str = "") -> models.Q:
    """Return the filter for tables at which players come and go between deals (RB 8.1).

    `table` is the lookup prefix from the filtered rows to their table, such as `"table__"`.
    """
    return models.Q(**{f"{table}point_value_minor__gt": 0})


# The same filter in SQL, for a table named `t`.
OPEN_ENDED_SQL: Final = "t.point_value_minor > 0"


class TableQuerySet(models.QuerySet["Table"]):
    def with_short_code(self, code: str) -> Self:
        return self.alias(code=SHORT_CODE).filter(code=code)

    def waiting(self) -> Self:
        return self.filter(phase=Table.Phase.WAITING)

    def joinable(self) -> Self:
        """Public tables with a free seat: waiting ones, and points tables at any time."""
        taken = models.Count("seats", filter=models.Q(seats__left_at__isnull=True))
        # Each half scans its own short index; finished tables are never read.
        waiting = Table.objects.waiting().values("pk")
        open_ended = Table.objects.open_ended().values("pk")
        public = self.filter(pk__in=waiting.union(open_ended), invite_code="")
        free = public.annotate(taken=taken)
        return free.filter(taken__lt=models.F("seats_max"))

    def open_ended(self) -> Self:
        """Points tables that are not over (RB 8.1)."""
        return self.live().filter(open_ended())

    def live(self) -> Self:
        return self.exclude(phase__in=Table.OVER)

    def running(self) -> Self:
        """Tables whose game has started and is not over."""
        return self.filter(started_at__isnull=False, finished_at__isnull=True)

    def clock_due(self, now: Moment) -> Self:
        """Tables whose timer may have run out, before extra time and outages are added."""
        return self.filter(due_at__lte=now).order_by("due_at")


class StakeMode(models.TextChoices):
    """What players stake at a table."""

    CASH = "cash", gettext_lazy("Paid entry")
    CHIPS = "chips", gettext_lazy("Chips of a tournament")


class Table(models.Model):
    class Phase(models.TextChoices):
        WAITING = "waiting", gettext_lazy("Waiting for players")
        TOSS = "toss", gettext_lazy("Toss")
        PLAYING = "playing", gettext_lazy("Playing")
        SHOWING = "showing", gettext_lazy("Meld window")
        SETTLING = "settling", gettext_lazy("Being scored")
        REJOIN = "rejoin", gettext_lazy("Rejoin window")
        SPLIT = "split", gettext_lazy("Split offer")
        BETWEEN = "between", gettext_lazy("Between deals")
        FINISHED = "finished", gettext_lazy("Finished")
        CANCELLED = "cancelled", gettext_lazy("Cancelled")

    OVER: ClassVar[tuple[str, ...]] = ("finished", "cancelled")

    # The rows of a locked table, for `tables.state.locks.snapshot_of` only.
    snapshot: Any

    public_id = models.UUIDField(default=new_public_id, unique=True, editable=False)
    template = models.ForeignKey(
        TableTemplate, on_delete=models.PROTECT, null=True, blank=True, related_name="tables"
    )
    profile = models.ForeignKey(RuleProfile, on_delete=models.PROTECT, related_name="tables")
    name = models.CharField(max_length=60)
    stake_mode = models.CharField(max_length=5, choices=StakeMode, default=StakeMode.CASH)
    currency = models.CharField(max_length=3)
    entry_minor = models.BigIntegerField()
    # Points tables: the value of one point (RB 8.1); 0 in every other game.
    point_value_minor = models.BigIntegerField(default=0)
    rake_bps = models.PositiveIntegerField(default=0)
    seats_min = models.PositiveSmallIntegerField(default=2)
    seats_max = models.PositiveSmallIntegerField(default=6)
    bots_fill = models.BooleanField(default=False)
    bot_strength = models.CharField(max_length=6, choices=BotStrength, default=BotStrength.GREEDY)
    escrow_account = models.OneToOneField(
        Account, on_delete=models.PROTECT, null=True, blank=True, related_name="table"
    )
    # Private tables: the code of the link that lets a player sit down; "" for public tables.
    invite_code = models.CharField(max_length=24, default="", blank=True)
    opened_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    # Private tables: the finished game whose players this table is for.
    rematch_of = models.ForeignKey(
        "self",
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="rematches",
        db_index=False,
    )
    # Opaque reference to the owner: "" for the lobby's tables, else a tournament's reference.
    owner_ref = models.CharField(max_length=80, default="", blank=True)
    # A tournament's tables: its prizes in total, in minor units, until the end of round 1 those for
    # the entrants so far; null at the lobby's tables.
    owner_prize_minor = models.BigIntegerField(null=True, blank=True)
    # Play stops when this many players are left: 1, or a tournament's number of qualifiers.
    stop_at_survivors = models.PositiveSmallIntegerField(default=1)
    rejoins_open = models.BooleanField(default=True)
    # Tables for chips: the tournament's escrow, to which rejoins are paid; null elsewhere.
    rejoin_account = models.ForeignKey(
        Account, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    # The deal on the table is the last one: the round's time is over (RB 10.4).
    is_last_deal = models.BooleanField(default=False)
    # A step between two deals, or a ruling, is left to a settlement worker (`phases.await_step`).
    settlement_due = models.BooleanField(default=False)

    phase = models.CharField(max_length=10, choices=Phase, default=Phase.WAITING)
    version = models.PositiveBigIntegerField(default=0)
    # The only timer: when the phase or turn runs out; outages since `armed_at` are added.
    due_at = models.DateTimeField(null=True, blank=True)
    armed_at = models.DateTimeField(null=True, blank=True)
    bot_due_at = models.DateTimeField(null=True, blank=True)
    # Identifies the open window (groups after a show, rejoin, split); answers must name it.
    window_id = models.UUIDField(null=True, blank=True)
    deal_no = models.PositiveIntegerField(default=0)
    # Number of seats dealt into deal 1, which split and rejoin rules use (RB 7.4).
    starters = models.PositiveSmallIntegerField(default=0)
    created_at = CreatedAtField()
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    # How the game ended ("won", "split", "auto_split", …); empty until then.
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
            models.UniqueConstraint(
                fields=["rematch_of"],
                condition=models.Q(phase="waiting"),
                name="tables_table_one_rematch_waits",
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
            models.Index(SHORT_CODE, name="tables_table_short_code"),
            models.Index(
                fields=["invite_code"],
                condition=~models.Q(invite_code=""),
                name="tables_table_invited",
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
            models.Index(
                fields=["started_at"],
                condition=models.Q(started_at__isnull=False, finished_at__isnull=True),
                name="tables_table_running",
            ),
            models.Index(
                fields=["started_at"],
                condition=models.Q(started_at__isnull=False, bots_fill=False, owner_ref=""),
                name="tables_table_started",
            ),
            models.Index(
                fields=["finished_at"],
                condition=models.Q(phase="finished", invite_code=""),
                name="tables_table_finished",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} {str(self.public_id)[-CODE_LENGTH:]}"

    entry = MoneyProperty("entry_minor")

    @property
    def escrow(self) -> Account:
        """The account that holds the table's money; its balance is read on its first use."""
        if self.escrow_account_id is None:
            raise ValueError("a table for chips has no escrow account")
        lasting = (self.escrow_account_id, Account.Kind.ESCROW, self.escrow_ref, self.currency)
        return model_from_row(Account, lasting, ("id", "kind", "ref", "currency"))

    @property
    def escrow_ref(self) -> str:
        return f"table:{self.public_id}"

    @property
    def is_lesson(self) -> bool:
        """Whether one player plays here alone with bots, as in a first game."""
        return self.bots_fill and bool(self.invite_code)

    @property
    def link_code(self) -> str:
        """The code of a private table's link; empty if no one can be invited."""
        return "" if self.bots_fill else self.invite_code

    @property
    def is_over(self) -> bool:
        return self.phase in self.OVER

    def has_scored(self) -> bool:
        """Return whether a deal has been settled: until then entries are refunded (RB 7.7)."""
        return self.deals.settled().exists()


class OfTable(SavedInItsTable):
    """A row that belongs to one table and stores the table's key, by which rows are distributed.

    `tables/models/sql/one_table.sql` enforces that the row and the rows it references belong to one
    table; foreign keys without the table's key could not do so.
    """

    table = models.ForeignKey(
        Table, on_delete=models.PROTECT, related_name="+", db_index=False, db_constraint=False
    )

    class Meta:
        abstract = True


class HeartbeatQuerySet(models.QuerySet["Heartbeat"]):
    def locked(self) -> Self:
        return self.select_for_update(no_key=True)


class Heartbeat(models.Model):
    """The time of the last run of the clock sweep."""

    name = models.CharField(max_length=20, primary_key=True)
    beat_at = models.DateTimeField()

    objects = HeartbeatQuerySet.as_manager()

    def __str__(self) -> str:
        return f"{self.name} at {self.beat_at:%H:%M:%S}"


class Outage(models.Model):
    """A gap of more than three seconds between two heartbeats."""

    started_at = models.DateTimeField()
    ended_at = models.DateTimeField(db_index=True)

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(
                condition=models.Q(ended_at__gt=models.F("started_at")),
                name="tables_outage_ends_after_it_starts",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.started_at:%Y-%m-%d %H:%M:%S} to {self.ended_at:%H:%M:%S}"


class DrainQuerySet(models.QuerySet["Drain"]):
    def on(self) -> Self:
        return self.filter(lifted_at__isnull=True)


class Drain(models.Model):
    """Maintenance mode: no deal begins, but deals in progress are finished and settled."""

    reason = models.CharField(max_length=120)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField()
    lifted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    lifted_at = models.DateTimeField(null=True, blank=True)

    objects = DrainQuerySet.as_manager()

    class Meta:
        ordering: ClassVar[list[str]] = ["-pk"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                models.F("lifted_at"),
                condition=models.Q(lifted_at__isnull=True),
                nulls_distinct=False,
                name="tables_drain_one_at_a_time",
            ),
        ]

    def __str__(self) -> str:
        return gettext("drain since %(time)s") % {"time": f"{self.at:%Y-%m-%d %H:%M}"}
