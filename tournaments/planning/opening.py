"""Open tournaments: by staff, by a template's calendar, and sit-and-gos one after the other."""

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
from tournaments.kinds import kind_of
from tournaments.planning.models import Tournament
from tournaments.planning.plan import plan
from tournaments.planning.prize_table import check_rows
from tournaments.planning.template_models import TournamentTemplate, steps_up
from tournaments.planning.terms_models import StartRule, Terms
from tournaments.rounds import draw
from wallet.ledger import accounts

log = structlog.get_logger(__name__)

TERMS: Final = tuple(field.name for field in Terms._meta.fields)


def keep_scheduled(now: datetime) -> list[Tournament]:
    """Open the tournaments that offered templates announce by now, each once.

    An error of a template is logged and does not stop the others.
    """
    opened: list[Tournament] = []
    for template in TournamentTemplate.objects.offered().select_related("profile"):
        try:
            opened += _opened_by(template, now)
        except Exception:  # An error of one template must not stop the others.
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
    """Open a tournament with a template's terms, and publish the commitment to its draw seed.

    `starts_at` is None for a sit-and-go, which opens registration at once. `slot_at` is the start
    in the template's calendar, if any. `changes` replace terms.
    """
    terms = {name: getattr(template, name) for name in TERMS} | changes
    public_id = new_public_id()
    seed = draw.new_seed(terms["name"])
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
        raise BadTerms("Set a start for a scheduled tournament, and none for a sit-and-go.")
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
    draw.seal(tournament, seed)
    return tournament


@transaction.atomic
def open_by_hand(
    *, template: TournamentTemplate, starts_at: datetime | None, by: User, now: datetime
) -> Tournament:
    """Open a tournament outside the template's calendar; `by` cannot enter it."""
    refuse_own_interest(template, by=by)
    opened = open_tournament(template=template, starts_at=starts_at, now=now)
    audit_log.record(by=by, act="open", row=opened)
    return opened


@transaction.atomic
def change_template(*, template: TournamentTemplate, by: User) -> TournamentTemplate:
    """Save a new or changed template.

    Raise `SharedInterest` if `by` takes part in one of its tournaments; afterwards they cannot
    enter one.
    """
    stored = TournamentTemplate.objects.locked().filter(pk=template.pk).first()
    refuse_own_interest(stored, by=by)
    before = None if stored is None else audit_log.facts(stored)
    template.save()
    audit_log.record_saved(by=by, row=template, before=before)
    if template.password_hash != (stored.password_hash if stored else ""):
        has_one = {"has_password": str(bool(template.password_hash))}
        audit_log.record(by=by, act="set_password", row=template, before={}, after=has_one)
    return template


def check_terms(terms: Terms) -> None:
    """Raise `BadTerms`, `BadPlan` or `BadPrizes` for invalid terms (RB 10.1 to 10.4)."""
    rules = rules_of(terms.profile)
    plan(terms.entrants_max, seats=terms.seats, qualify=terms.qualify, final=terms.final_seats)
    if terms.prize_bps:
        check_rows(terms.prize_bps)
    game = game_of(rules)
    if not game.has_end:
        raise BadTerms(f"{rules.name} has no end. Choose rules with a fixed number of deals.")
    if not rules.players_min <= 2 <= terms.seats <= rules.players_max:
        raise BadTerms(f"{rules.name} does not seat {terms.seats} players.")
    if terms.rejoins and not game.figures(rules).rejoin:
        raise BadTerms(f"{rules.name} has no rejoins.")
    _check_more_payments(terms)
    kind_of(terms).check(terms, rules)
    is_sold = bool(terms.rejoins or terms.addon_minor)
    if not terms.entry_minor and (is_sold or not terms.guarantee_minor):
        raise BadTerms("Set a guarantee, and no rejoins or add-on, for a free tournament.")
    if terms.entrants_min is not None and not 2 <= terms.entrants_min <= terms.entrants_max:
        raise BadTerms("Set a minimum of entrants from 2 to the maximum.")
    if terms.round_minutes is not None and terms.late_minutes >= max(terms.round_minutes, 1):
        raise BadTerms("Late entry must end before the time limit of a round.")
    is_sit_and_go = terms.start_rule == StartRule.WHEN_FULL
    if is_sit_and_go and (terms.check_in_minutes or terms.late_minutes or terms.extend_minutes):
        raise BadTerms("Set check-in, late entry and extension to 0 for a sit-and-go.")


def _check_more_payments(terms: Terms) -> None:
    """Raise `BadTerms` for rejoins, re-entries or an add-on that cannot be sold (RB 10.6)."""
    rules = rules_of(terms.profile)
    if terms.rejoins and terms.reentries_max:
        raise BadTerms("Choose rejoins or re-entries, not both.")
    if terms.reentries_max and not terms.late_minutes:
        raise BadTerms("Re-entry is open as long as late entry: set its minutes.")
    if terms.rejoin_minutes is not None and not terms.rejoins:
        raise BadTerms("Minutes of rejoins need rejoins.")
    if terms.rejoin_minutes is not None and terms.rejoin_minutes <= terms.late_minutes:
        raise BadTerms("Rejoins must end after late entry.")
    is_whole = [bool(part) for part in (terms.addon_minor, terms.addon_chips, terms.addon_minutes)]
    if len(set(is_whole)) > 1:
        raise BadTerms("An add-on needs a price, chips and the minutes of its break.")
    if terms.addon_minor and game_of(rules).figures(rules).chips is None:
        raise BadTerms(f"{rules.name} is not played with chips, so there is no add-on.")


def check_awards(
    awards: TournamentTemplate | None, *, currency: str, own: TournamentTemplate | None = None
) -> None:
    """Raise `BadTerms` unless tickets to a kind of tournament can be prizes (RB 10.5, 10.12).

    Satellite and target have one currency, and a target is not free. `own` is the satellite's
    template, to which its tickets must not lead back.
    """
    if awards is None:
        return
    if awards.currency != currency:
        raise BadTerms(f"Satellites of {awards} must be in {awards.currency}.")
    if not awards.entry_minor:
        raise BadTerms(f"{awards} is free: no ticket is needed.")
    if own is not None and own.pk in {step.pk for step in steps_up(awards)}:
        raise BadTerms(f"The tickets of {awards} lead back to {own}.")


def check_calendar(template: TournamentTemplate) -> None:
    """Raise `BadTerms` for invalid weekdays or an unknown time zone."""
    if not set(template.weekdays) <= set(range(7)):
        raise BadTerms("Weekdays must be from 0 (Monday) to 6 (Sunday).")
    if template.time_zone not in available_timezones():
        raise BadTerms(f"{template.time_zone} is not a time zone.")


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
    """Yield the starts to announce by now; for a sit-and-go, yield None once."""
    if template.start_rule == StartRule.WHEN_FULL:
        yield None
        return
    horizon = now + timedelta(hours=template.announce_hours)
    yield from calendar_starts(template, after=now, until=horizon)


def calendar_starts(
    template: TournamentTemplate, *, after: datetime, until: datetime
) -> Iterator[datetime]:
    """Yield the starts in a template's calendar between two times; none without a calendar."""
    if template.start_time is None:
        return
    zone = ZoneInfo(template.time_zone)
    day = after.astimezone(zone).date()
    while (start := datetime.combine(day, template.start_time, zone)) <= until:
        if start > after and day.weekday() in template.weekdays:
            yield start
        day += timedelta(days=1)
