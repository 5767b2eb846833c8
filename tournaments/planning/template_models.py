"""Tournament templates: the terms and the calendar of tournaments."""

from __future__ import annotations

from typing import Final, Self

from django.contrib.postgres.fields import ArrayField
from django.db import models

from core.db.row_locks import LockableQuerySet
from tournaments.planning.terms_models import Terms


class TournamentTemplateQuerySet(LockableQuerySet["TournamentTemplate"]):
    def offered(self) -> Self:
        return self.filter(is_offered=True)


class TournamentTemplate(Terms):
    """A kind of tournament, opened by its calendar; a sit-and-go always has one open."""

    slug = models.SlugField(max_length=60, unique=True)
    is_offered = models.BooleanField(default=True)
    # Days of the week, from 0 for Monday; empty if staff open its tournaments. The start time is in
    # `time_zone`.
    weekdays = ArrayField(models.PositiveSmallIntegerField(), default=list, blank=True)
    start_time = models.TimeField(null=True, blank=True)
    time_zone = models.CharField(max_length=40, default="Asia/Kolkata")
    announce_hours = models.PositiveSmallIntegerField(default=48)
    register_hours = models.PositiveSmallIntegerField(default=24)
    # A satellite's prizes are tickets to this kind of tournament (RB 10.5).
    awards = models.ForeignKey(
        "self", on_delete=models.PROTECT, null=True, blank=True, related_name="satellites"
    )

    objects = TournamentTemplateQuerySet.as_manager()

    class Meta(Terms.Meta):
        pass

    def __str__(self) -> str:
        return self.name


# Steps of a ladder that are read; staff cannot plan a circle.
STEPS_MAX: Final = 8


def steps_up(template: TournamentTemplate | None) -> list[TournamentTemplate]:
    """Return the steps of a ticket ladder from a template on: itself, its target, and so on."""
    steps: list[TournamentTemplate] = []
    while template is not None and template not in steps and len(steps) < STEPS_MAX:
        steps.append(template)
        template = template.awards
    return steps
