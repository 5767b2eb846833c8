"""Plan, open, count and close seasons; staff plan, the sweep does the rest."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Final

import structlog
from django.db import transaction

from core import audit_log
from core.clock import database_now
from players.accounts.conflicts_of_interest import refuse_own_interest
from players.accounts.models import User
from tournaments.exceptions import BadTerms, SeasonHasOpened
from tournaments.leagues.closing import close_season
from tournaments.leagues.counting import count_next
from tournaments.leagues.models import Season, Unlisted
from tournaments.planning.prize_table import check_rows
from tournaments.planning.template_models import TournamentTemplate
from wallet.ledger import accounts
from wallet.ledger.money import as_money
from wallet.stakes import guarantees

log = structlog.get_logger(__name__)

# The columns that staff plan; the others are written when the season opens and ends.
EDITABLE: Final = [
    field.name for field in Season._meta.fields if field.editable and not field.primary_key
]


@transaction.atomic
def plan_season(*, season: Season, by: User) -> Season:
    """Save a new season, or change one that has not opened; `by` gets no points in it.

    Codes: `bad_terms`, `bad_prizes`, `season_has_opened`, `shared_interest`.
    """
    stored = None if season.pk is None else _planned(season.pk, by)
    check_season(season)
    before = None if stored is None else audit_log.facts(stored)
    season.save(update_fields=None if stored is None else EDITABLE)
    audit_log.record_saved(by=by, row=season, before=before)
    return season


@transaction.atomic
def cancel_season(*, season_id: int, by: User, reason: str) -> Season:
    """Cancel a season that has not opened; cancelling it again changes nothing."""
    season = Season.objects.locked().get(pk=season_id)
    if season.state == Season.State.CANCELLED:
        return season
    season = _planned(season_id, by)
    before = audit_log.facts(season)
    season.state, season.finished_at = Season.State.CANCELLED, database_now()
    season.save(update_fields=["state", "finished_at"])
    audit_log.record(by=by, act="cancel", row=season, before=before, reason=reason)
    return season


def check_season(season: Season) -> None:
    """Raise `BadTerms` or `BadPrizes` for terms that contradict each other (RB 10.7)."""
    if season.ends_at <= season.starts_at:
        raise BadTerms("The end must be after the start.")
    if season.follows is not None and season.follows.ends_at > season.starts_at:
        raise BadTerms("The start must not be before the end of the season that it follows.")
    points = list(season.place_points)
    if not points or points[0] == 0 or points != sorted(points, reverse=True):
        raise BadTerms("A place must not have more points than a better one.")
    if not season.pools_minor or min(season.pools_minor) < 0:
        raise BadTerms("Set a prize pool for each division, or 0.")
    if season.lowest_division == 1 and season.promoted + season.relegated:
        raise BadTerms("Promotion and relegation need two divisions.")
    if season.with_bots and season.currency != "PTS":
        raise BadTerms("Games with bots are played for play points only.")
    if season.prize_bps:
        check_rows(season.prize_bps)
    if season.is_series:
        _check_series(season)


@transaction.atomic(durable=True)
def open_season(*, season_id: int, now: datetime) -> Season:
    """Open a season whose start has come, and fund its prizes; repeating it changes nothing."""
    season = Season.objects.locked().to_open(now).filter(pk=season_id).first()
    if season is None:
        return Season.objects.get(pk=season_id)
    season.escrow_account = accounts.open_escrow(ref=season.owner_ref, currency=season.currency)
    season.overlay_minor, season.state = season.pool_minor, Season.State.OPEN
    season.save(update_fields=["escrow_account", "overlay_minor", "state"])
    if season.pool_minor:
        guarantees.add_overlay(
            escrow=season.escrow_account,
            amount=as_money(season.pool_minor, season.currency),
            key=f"overlay:{season.owner_ref}",
            memo=season.name,
        )
    return season


def sweep() -> None:
    """Close, open and count all seasons that are due; an error of one does not stop the others."""
    for season in Season.objects.open().order_by("starts_at"):
        with _logged(season):
            while count_next(season_id=season.pk):
                pass
            close_season(season_id=season.pk, now=database_now())
    for season in Season.objects.to_open(database_now()):
        with _logged(season):
            open_season(season_id=season.pk, now=database_now())


@transaction.atomic
def set_listed(*, player: User, is_listed: bool) -> None:
    """Show a player on leaderboards, or hide them; points and prizes stay the same."""
    if is_listed:
        Unlisted.objects.filter(player=player).delete()
    else:
        Unlisted.objects.get_or_create(player=player)


def _check_series(season: Season) -> None:
    if season.game or season.pace:
        raise BadTerms("Leave game and pace empty: the tournaments of a series decide them.")
    found = TournamentTemplate.objects.filter(pk__in=season.templates, currency=season.currency)
    if len(found) < len(season.templates):
        raise BadTerms(f"Choose only tournaments in {season.currency}, each once.")


def _planned(season_id: int, by: User) -> Season:
    season = Season.objects.locked().get(pk=season_id)
    if season.state != Season.State.PLANNED:
        raise SeasonHasOpened("This season has opened or was cancelled. Plan another one.")
    refuse_own_interest(season, by=by)
    return season


@contextmanager
def _logged(season: Season) -> Iterator[None]:
    try:
        yield
    except Exception:  # An error of one season must not stop the others.
        log.exception("season_failed", season=season.pk)
