"""Players' ratings by game and pace, and their change by each rated game.

Both tables are computed from finished games alone (`manage.py recompute_ratings`). They belong to
players, not to tables, and are not distributed (docs/adr/0009).
"""

from __future__ import annotations

from typing import ClassVar, Self

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from tables.models.tables import Table
from tables.ratings import rating as formula


class Pace(models.TextChoices):
    """How much time a turn has, before extra time."""

    FAST = "fast", _("fast")
    STANDARD = "standard", _("standard")


class Skilled(models.Model):
    """A rating after a number of games."""

    # In millionths of the model's unit.
    mu = models.BigIntegerField(default=formula.NEWCOMER.mu)
    sigma = models.BigIntegerField(default=formula.NEWCOMER.sigma)
    games = models.PositiveIntegerField(default=0)

    class Meta:
        abstract = True

    @property
    def skill(self) -> formula.Skill:
        return formula.Skill(self.mu, self.sigma)

    @property
    def shown(self) -> int:
        return formula.shown_rating(self.mu)

    @property
    def margin(self) -> int:
        return formula.shown_margin(self.sigma)

    @property
    def is_provisional(self) -> bool:
        return self.games < formula.PROVISIONAL_GAMES


class RatingQuerySet(models.QuerySet["Rating"]):
    def among_people(self) -> Self:
        return self.filter(with_bots=False)


class Rating(Skilled):
    """A player's rating in one game at one pace; games with bots have ratings of their own."""

    player = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="ratings", db_index=False
    )
    # A name in `tables.games.GAMES`.
    game = models.CharField(max_length=10)
    pace = models.CharField(max_length=8, choices=Pace)
    with_bots = models.BooleanField()

    objects = RatingQuerySet.as_manager()

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["player", "game", "pace", "with_bots"], name="tables_rating_once"
            ),
            models.CheckConstraint(
                condition=models.Q(sigma__gt=0, games__gt=0), name="tables_rating_of_games"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.shown} ± {self.margin} ({self.game}, {self.pace})"


class RatingChange(Skilled):
    """One player's rating after one rated game; `games` numbers the player's changes from 1."""

    rating = models.ForeignKey(
        Rating, on_delete=models.CASCADE, related_name="changes", db_index=False
    )
    # Tables may be on another server, so the database has no foreign key to them.
    table = models.ForeignKey(
        Table, on_delete=models.PROTECT, related_name="+", db_index=False, db_constraint=False
    )
    # At points tables each deal is a game (RB 8.1); 0 for a game of a whole table.
    deal_no = models.PositiveIntegerField(default=0)
    place = models.PositiveSmallIntegerField()
    # The player's points: of the deal, or in total.
    points = models.IntegerField()
    ended_at = models.DateTimeField(db_index=True)

    class Meta:
        ordering: ClassVar[list[str]] = ["ended_at", "table_id", "deal_no", "rating_id"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["table", "deal_no", "rating"], name="tables_ratingchange_once"
            ),
            models.UniqueConstraint(
                fields=["rating", "games"], name="tables_ratingchange_numbered"
            ),
            models.CheckConstraint(
                condition=models.Q(place__gte=1, sigma__gt=0),
                name="tables_ratingchange_places",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.shown} ± {self.margin} after table {self.table_id}, deal {self.deal_no}"
