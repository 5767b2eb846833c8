"""The tournaments of a series: a season that counts only those of its templates."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from django.db.models.functions import Coalesce

from core.clock import database_now
from tournaments.leagues.models import Season
from tournaments.planning.models import Tournament
from tournaments.planning.opening import calendar_starts
from tournaments.planning.template_models import TournamentTemplate

LISTED_MAX: Final = 200
# The next dates that are not announced yet.
DATES_MAX: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesTournament:
    """A tournament of a series, or a date in the calendar of one of its templates."""

    name: str
    id: UUID | None
    """None before it is announced."""
    state: str
    """Of the tournament; "draft" before it is announced."""
    starts_at: datetime | None
    """None for a sit-and-go that has not started."""
    finished_at: datetime | None


def tournaments_of(season: Season) -> list[SeriesTournament]:
    """Return the latest tournaments of a series and the next dates, the first one first."""
    if not season.is_series:
        return []
    now = database_now()
    # A tournament counts by its end, and until then is expected to end after its start.
    at = Coalesce("finished_at", "started_at", "starts_at", now)
    shown = Tournament.objects.shown().filter(template__in=season.templates).alias(at=at)
    opened = shown.filter(at__gte=season.starts_at, at__lt=season.ends_at).order_by("-at", "-pk")
    return [
        *(_of(each) for each in reversed(list(opened[:LISTED_MAX]))),
        *_dates(season, after=max(now, season.starts_at)),
    ]


def template_names(season: Season) -> list[str]:
    found = TournamentTemplate.objects.filter(pk__in=season.templates)
    return list(found.order_by("name").values_list("name", flat=True))


def series_of(tournament: Tournament) -> list[Season]:
    """Return the series that count a tournament, or will unless it ends outside their period."""
    at = tournament.finished_at or tournament.starts_at or database_now()
    if tournament.template_id is None:
        return []
    seasons = Season.objects.shown().filter(templates__contains=[tournament.template_id])
    return list(seasons.filter(starts_at__lte=at, ends_at__gt=at))


def _of(tournament: Tournament) -> SeriesTournament:
    return SeriesTournament(
        name=tournament.name,
        id=tournament.public_id,
        state=tournament.state,
        starts_at=tournament.started_at or tournament.starts_at,
        finished_at=tournament.finished_at,
    )


def _dates(season: Season, *, after: datetime) -> list[SeriesTournament]:
    """Return the next dates of the templates' calendars without a tournament that is shown."""
    templates = TournamentTemplate.objects.offered().filter(pk__in=season.templates)
    ahead = Tournament.objects.shown().filter(template__in=season.templates, slot_at__gt=after)
    opened = set(ahead.values_list("template", "slot_at"))
    dates = [
        (start, template.name)
        for template in templates
        for start in calendar_starts(template, after=after, until=season.ends_at)
        if (template.pk, start) not in opened
    ]
    return [
        SeriesTournament(name=name, id=None, state="draft", starts_at=start, finished_at=None)
        for start, name in sorted(dates)[:DATES_MAX]
    ]
