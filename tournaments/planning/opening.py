"""Opening tournaments: by hand, by a template's calendar, and sit-and-gos one after the other."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any, Final
from zoneinfo import ZoneInfo, available_timezones

import structlog
from django.db import transaction

import rummy
from core import audit_log
from core.db.identifiers import new_public_id
from players.accounts.conflicts_of_interest import refuse_own_interest
from players.accounts.models import User
from tables.games import game_of
from tables.state.rules import rules_of
from tournaments.exceptions import BadTerms
from tournaments.planning import draw_seeds
from tournaments.planning.models import Tournament
from tournaments.planning.plan import plan
from tournaments.planning.prize_table import check_rows
from tournaments.planning.template_models import TournamentTemplate
from tournaments.planning.terms_models import StartRule, Terms
from wallet.ledger import accounts

log = structlog.get_logger(__name__)

TERMS: Final = tuple(field.name for field in Terms._meta.fields)


def keep_scheduled(now: datetime) -> list[Tournament]:
    """Open what the offered templates announce by now, each tournament once.

    A template that makes no tournament is logged, and never stops the others.
    """
    opened: list[Tournament] = []
    for template in TournamentTemplate.objects.offered().select_related("profile"):
        try:
            opened += _opened_by(template, now)
        except Exception:  # One that fails must not keep the others from being opened.
            log.exception("tournament_template_failed", template=template.pk)
    return opened


def _opened_by(template: TournamentTemplate, now: datetime) -> list[Tournament]:
    tournaments = (
        _open_unless_there(template_id=template.pk, starts_at=starts_at, now=now)
        for starts_at in _wanted_starts(template, now)
    )
    return [tournament for tournament in tournaments if tournament is not None]


@transaction.atomic
def open_tournament(
    *,
    template: TournamentTemplate,
    starts_at: datetime | None,
    now: datetime,
    slot_at: datetime | None = None,
    **changes: Any,
) -> Tournament:
    """Open a tournament by a template's terms, the draw's seed committed to from the first moment.

    `starts_at` is null for a sit-and-go, which registers at once; `slot_at` is the hour of the
    template's calendar it is for, if it is for one. `changes` replace terms.
    """
    terms = {name: getattr(template, name) for name in TERMS} | changes
    public_id = new_public_id()
    seed = draw_seeds.new_seed(terms["name"])
    tournament = Tournament(
        public_id=public_id,
        template=template,
        awards=template.awards,
        starts_at=starts_at,
        slot_at=slot_at,
        commitment=rummy.commitment(seed),
        **terms,
    )
    check_terms(tournament)
    check_awards(tournament.awards, currency=tournament.currency)
    if (starts_at is None) != (tournament.start_rule == StartRule.WHEN_FULL):
        raise BadTerms("A scheduled tournament has a start, a sit-and-go has none.")
    if starts_at is None:
        tournament.state = Tournament.State.REGISTERING
    else:
        tournament.announces_at = starts_at - timedelta(hours=template.announce_hours)
        tournament.registers_at = starts_at - timedelta(hours=template.register_hours)
        tournament.due_at, tournament.armed_at = tournament.announces_at, now
    tournament.escrow_account = accounts.open_escrow(
        ref=tournament.owner_ref, currency=tournament.currency
    )
    tournament.save()
    draw_seeds.seal(tournament, seed)
    return tournament


@transaction.atomic
def open_by_hand(
    *, template: TournamentTemplate, starts_at: datetime | None, by: User, now: datetime
) -> Tournament:
    """Open one beside the template's own hours, by a member of staff, who does not enter it."""
    refuse_own_interest(template, by=by)
    opened = open_tournament(template=template, starts_at=starts_at, now=now)
    audit_log.record(by=by, act="open", row=opened)
    return opened


@transaction.atomic
def change_template(*, template: TournamentTemplate, by: User) -> TournamentTemplate:
    """Save a template that a member of staff made or changed, who plays in no tournament of it.

    Afterwards they cannot enter one.
    """
    stored = TournamentTemplate.objects.locked().filter(pk=template.pk).first()
    refuse_own_interest(stored, by=by)
    before = None if stored is None else audit_log.facts(stored)
    template.save()
    audit_log.record_saved(by=by, row=template, before=before)
    return template


def check_terms(terms: Terms) -> None:
    """Refuse terms that no tournament can be played by (RB 10.1 to 10.4)."""
    rules = rules_of(terms.profile)
    plan(terms.entrants_max, seats=terms.seats, qualify=terms.qualify, final=terms.final_seats)
    if terms.prize_bps:
        check_rows(terms.prize_bps)
    game = game_of(rules)
    if not game.has_end:
        raise BadTerms(f"{rules.name} has no end; points are played for chips in so many deals.")
    if not rules.players_min <= 2 <= terms.seats <= rules.players_max:
        raise BadTerms(f"{rules.name} does not seat {terms.seats} players.")
    if terms.rejoins and not game.figures(rules).rejoin:
        raise BadTerms(f"{rules.name} knows no rejoins.")
    if terms.entrants_min is not None and not 2 <= terms.entrants_min <= terms.entrants_max:
        raise BadTerms("The fewest entrants are 2 or more, and no more than the most.")
    if terms.round_minutes is not None and terms.late_minutes >= max(terms.round_minutes, 1):
        raise BadTerms("Late entry ends before the time of a round does.")
    sits_and_goes = terms.start_rule == StartRule.WHEN_FULL
    if sits_and_goes and (terms.check_in_minutes or terms.late_minutes or terms.extend_minutes):
        raise BadTerms("A sit-and-go has no check-in, no late entry and no extension.")


def check_awards(awards: TournamentTemplate | None, *, currency: str) -> None:
    """Refuse tickets to what is entered in another currency than their satellite (RB 10.5)."""
    if awards is not None and awards.currency != currency:
        raise BadTerms(f"{awards} is entered in {awards.currency}, its satellites in no other.")


def check_calendar(template: TournamentTemplate) -> None:
    """Refuse a calendar that names no days of a week, or a zone no clock goes by."""
    if not set(template.weekdays) <= set(range(7)):
        raise BadTerms("Days of the week are 0 for Monday to 6 for Sunday.")
    if template.time_zone not in available_timezones():
        raise BadTerms(f"{template.time_zone} is no time zone.")


@transaction.atomic(durable=True)
def _open_unless_there(
    *, template_id: int, starts_at: datetime | None, now: datetime
) -> Tournament | None:
    template = TournamentTemplate.objects.locked().get(pk=template_id)
    there = template.tournaments.filter(slot_at=starts_at)
    if starts_at is None:
        there = there.filter(starts_at=None, state=Tournament.State.REGISTERING)
    if not template.is_offered or there.exists():
        return None
    return open_tournament(template=template, starts_at=starts_at, now=now, slot_at=starts_at)


def _wanted_starts(template: TournamentTemplate, now: datetime) -> Iterator[datetime | None]:
    """Yield the starts to be announced by now; one of None for a sit-and-go."""
    if template.start_rule == StartRule.WHEN_FULL:
        yield None
        return
    if template.start_time is None:
        return
    horizon = now + timedelta(hours=template.announce_hours)
    day = now.astimezone(ZoneInfo(template.time_zone)).date()
    while True:
        start = datetime.combine(day, template.start_time, ZoneInfo(template.time_zone))
        if start > horizon:
            return
        if start > now and day.weekday() in template.weekdays:
            yield start
        day += timedelta(days=1)
