"""Seasons, the contests they count, their leaderboards, and what their end decided.

Results and leaderboards are computed from finished games and tournaments alone
(`manage.py recompute_leagues`); they change until their season is closed.
"""

from __future__ import annotations

from typing import ClassVar, Final, Self

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.fields.tuple_lookups import Tuple, TupleLessThan
from django.utils.translation import gettext_lazy as _

from core.clock import CreatedAtField, Moment
from core.db.identifiers import new_public_id
from core.db.row_locks import LockableQuerySet
from tables.models.tables import Table
from tables.ratings.models import Pace
from tournaments.planning.models import Tournament
from wallet.ledger.models import Account
from wallet.ledger.money import MoneyProperty

# The points of a table of six, from the first place (RB 10.7).
DEFAULT_POINTS: Final = (100, 60, 40, 25, 15)


def default_points() -> list[int]:
    return list(DEFAULT_POINTS)


def no_prize() -> list[int]:
    return [0]


class SeasonQuerySet(LockableQuerySet["Season"]):
    def shown(self) -> Self:
        return self.exclude(state=Season.State.CANCELLED)

    def open(self) -> Self:
        return self.filter(state=Season.State.OPEN)

    def to_open(self, now: Moment) -> Self:
        """Return planned seasons whose start has come and whose former season has ended."""
        ended = models.Q(follows=None) | models.Q(follows__state__in=Season.OVER)
        return self.filter(ended, state=Season.State.PLANNED, starts_at__lte=now)


class Season(models.Model):
    """A period in which places of finished games and tournaments give points.

    Its terms, prizes included, cannot change after it opens.
    """

    class State(models.TextChoices):
        PLANNED = "planned", _("Planned")
        OPEN = "open", _("Open")
        CLOSED = "closed", _("Ended")
        CANCELLED = "cancelled", _("Cancelled")

    OVER: ClassVar[tuple[str, ...]] = ("closed", "cancelled")

    public_id = models.UUIDField(default=new_public_id, unique=True, editable=False)
    name = models.CharField(max_length=80)
    state = models.CharField(
        max_length=9, choices=State, default=State.PLANNED, editable=False, db_index=True
    )
    starts_at = models.DateTimeField()
    ends_at = models.DateTimeField()
    # The season whose divisions this one continues.
    follows = models.OneToOneField(
        "self", on_delete=models.PROTECT, null=True, blank=True, related_name="followed_by"
    )
    # Primary keys of tournament templates: a series counts only their tournaments, and no games.
    # Not a relation, so that the terms are one row: fixed, audited and versioned as a whole.
    templates = ArrayField(models.BigIntegerField(), default=list, blank=True)
    # A name in `tables.games.GAMES`, and a pace; empty for all.
    game = models.CharField(max_length=10, blank=True, default="")
    pace = models.CharField(max_length=8, choices=Pace, blank=True, default="")
    # Contests in this currency count, and prizes are in it.
    currency = models.CharField(max_length=3, default="PTS")
    with_bots = models.BooleanField(_("count games with bots"), default=False)
    # The formula: the points of the first, second, … place (RB 10.7).
    place_points = ArrayField(models.PositiveIntegerField(), default=default_points)
    is_weighted = models.BooleanField(_("more points for more opponents"), default=True)
    # The prize pool of each division in minor units, the highest division first.
    pools_minor = ArrayField(models.BigIntegerField(), default=no_prize)
    # Basis points of a division's pool by place; empty for the rulebook's rows (RB 10.3).
    prize_bps = ArrayField(models.PositiveIntegerField(), default=list, blank=True)
    # Players of each division who change it at the end.
    promoted = models.PositiveSmallIntegerField(default=0)
    relegated = models.PositiveSmallIntegerField(default=0)

    escrow_account = models.OneToOneField(
        Account,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        editable=False,
        related_name="season",
    )
    # What the operator has paid for the prizes, less returns.
    overlay_minor = models.BigIntegerField(default=0, editable=False)
    # The last `RatingChange` that was read.
    counted_change = models.BigIntegerField(default=0, editable=False)
    finished_at = models.DateTimeField(null=True, blank=True, editable=False)

    objects = SeasonQuerySet.as_manager()

    class Meta:
        ordering: ClassVar[list[str]] = ["-starts_at", "-pk"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(
                condition=models.Q(ends_at__gt=models.F("starts_at")),
                name="tournaments_season_ends_after_its_start",
            ),
            models.CheckConstraint(
                condition=models.Q(state__in=["closed", "cancelled"])
                ^ models.Q(finished_at__isnull=True),
                name="tournaments_season_over_has_a_time",
            ),
            models.CheckConstraint(
                condition=models.Q(with_bots=False) | models.Q(currency="PTS"),
                name="tournaments_season_bots_play_for_points",
            ),
            models.CheckConstraint(
                condition=models.Q(overlay_minor__gte=0),
                name="tournaments_season_overlay_not_negative",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def owner_ref(self) -> str:
        """Return the reference of this season in its escrow account."""
        return f"season:{self.public_id}"

    @property
    def is_series(self) -> bool:
        return bool(self.templates)

    @property
    def pool_minor(self) -> int:
        return sum(self.pools_minor)

    @property
    def lowest_division(self) -> int:
        return len(self.pools_minor)

    pool = MoneyProperty("pool_minor")


class LeagueResult(models.Model):
    """A player's place in a finished game or tournament, and its points in a season."""

    season = models.ForeignKey(
        Season, on_delete=models.PROTECT, related_name="results", db_index=False
    )
    player = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="league_results"
    )
    # Tables may be on another server, so the database has no foreign key to them.
    table = models.ForeignKey(
        Table,
        on_delete=models.PROTECT,
        null=True,
        related_name="+",
        db_index=False,
        db_constraint=False,
    )
    # At points tables each deal is a game (RB 8.1); 0 for a game of a whole table.
    deal_no = models.PositiveIntegerField(default=0)
    tournament = models.ForeignKey(
        Tournament, on_delete=models.PROTECT, null=True, related_name="+", db_index=False
    )
    place = models.PositiveIntegerField()
    finishers = models.PositiveIntegerField()
    points = models.PositiveIntegerField()
    ended_at = models.DateTimeField()
    # The day of the end, in the installation's time zone.
    day = models.DateField()

    class Meta:
        ordering: ClassVar[list[str]] = ["-ended_at", "-pk"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["season", "table", "deal_no", "tournament", "player"],
                nulls_distinct=False,
                name="tournaments_leagueresult_once",
            ),
            models.CheckConstraint(
                condition=models.Q(table__isnull=True) ^ models.Q(tournament__isnull=True),
                name="tournaments_leagueresult_of_one_contest",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.points} points for place {self.place} of {self.finishers}"


class Board(models.Model):
    """A leaderboard of a season: of a day, of a week, or of one division in the whole season."""

    class Span(models.TextChoices):
        DAY = "day", _("Day")
        WEEK = "week", _("Week")
        SEASON = "season", _("Season")

    season = models.ForeignKey(
        Season, on_delete=models.PROTECT, related_name="boards", db_index=False
    )
    span = models.CharField(max_length=6, choices=Span)
    # 1 is the highest; 0 for days and weeks, which rank all divisions together.
    division = models.PositiveSmallIntegerField(default=0)
    begins_on = models.DateField()

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["season", "span", "division", "begins_on"], name="tournaments_board_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.season}: {self.span} of {self.begins_on}, division {self.division}"


class StandingQuerySet(models.QuerySet["Standing"]):
    def best_first(self) -> Self:
        """Order by points, then first places, then fewer games, then the newer account."""
        return self.order_by(*(f"-{name}" for name in Standing.RANK))

    def after(self, rank: tuple[int, ...]) -> Self:
        """Return the rows behind this one; one index seek, however far down it is."""
        return self.filter(TupleLessThan(Tuple(*Standing.RANK), rank))


class Standing(models.Model):
    """A player's points on one leaderboard."""

    # Larger is better; the account decides last, so that the order is total.
    RANK: ClassVar[tuple[str, ...]] = ("points", "wins", "games_negated", "player_id")

    board = models.ForeignKey(
        Board, on_delete=models.PROTECT, related_name="standings", db_index=False
    )
    player = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="standings"
    )
    points = models.PositiveBigIntegerField(default=0)
    wins = models.PositiveIntegerField(default=0)
    games = models.PositiveIntegerField(default=0)
    # Generated, because an index read in one direction serves pages of any depth.
    games_negated = models.GeneratedField(
        expression=models.F("games") * -1, output_field=models.IntegerField(), db_persist=True
    )

    objects = StandingQuerySet.as_manager()

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["board", "player"], name="tournaments_standing_once"),
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(
                fields=["board", "points", "wins", "games_negated", "player"],
                name="tournaments_standing_rank",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.points} points of player {self.player_id}"

    @property
    def rank(self) -> tuple[int, ...]:
        return self.points, self.wins, -self.games, self.player_id


class PointsCountQuerySet(models.QuerySet["PointsCount"]):
    def above(self, points: int) -> Self:
        """Return counts that sum to the number of players with more points, at most 256 a step."""
        fine, middle, coarse = PointsCount.SHIFTS
        found = models.Q(shift=coarse, points__gt=points >> coarse)
        for shift, coarser in ((fine, middle), (middle, coarse)):
            end = ((points >> coarser) + 1) << (coarser - shift)
            found |= models.Q(shift=shift, points__gt=points >> shift, points__lt=end)
        return self.filter(found)

    def total(self) -> int:
        summed: int | None = self.aggregate(number=models.Sum("players"))["number"]
        return summed or 0


class PointsCount(models.Model):
    """The number of players of a leaderboard with the same points; places are sums of them.

    `points` is without its last `shift` bits, so that a place is a sum of few rows however many
    different points there are.
    """

    SHIFTS: ClassVar[tuple[int, ...]] = (0, 8, 16)

    board = models.ForeignKey(
        Board, on_delete=models.PROTECT, related_name="counts", db_index=False
    )
    shift = models.PositiveSmallIntegerField()
    points = models.PositiveBigIntegerField()
    players = models.PositiveIntegerField()

    objects = PointsCountQuerySet.as_manager()

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["board", "shift", "points"],
                include=["players"],
                name="tournaments_pointscount_once",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.players} players with {self.points} points, in steps of 2^{self.shift}"


class Outcome(models.Model):
    """What the end of a season gave a player: a prize, another division, or both."""

    season = models.ForeignKey(
        Season, on_delete=models.PROTECT, related_name="outcomes", db_index=False
    )
    player = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="league_outcomes"
    )
    division = models.PositiveSmallIntegerField()
    place = models.PositiveIntegerField()
    next_division = models.PositiveSmallIntegerField()
    prize_minor = models.BigIntegerField(default=0)
    # The account was closed or blocked at the end, so the next players moved up.
    is_passed_over = models.BooleanField(default=False)

    class Meta:
        ordering: ClassVar[list[str]] = ["season", "division", "place", "pk"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["season", "player"], name="tournaments_outcome_once"),
            models.CheckConstraint(
                condition=models.Q(prize_minor__gte=0), name="tournaments_outcome_prize"
            ),
        ]

    def __str__(self) -> str:
        return f"place {self.place} in division {self.division} of {self.season}"

    prize = MoneyProperty("prize_minor", currency="season.currency")


class Unlisted(models.Model):
    """A player who chose not to appear on leaderboards; their points and prizes still count."""

    player = models.OneToOneField(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        primary_key=True,
        related_name="unlisted",
    )
    since = CreatedAtField()

    class Meta:
        verbose_name_plural = "unlisted players"

    def __str__(self) -> str:
        return f"player {self.player_id} since {self.since}"
