"""Staff actions on a tournament that continues: delay, extend a round, remove a player."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import F, QuerySet

from core import audit_log
from core.clock import database_now
from players.accounts.conflicts_of_interest import refuse_own_interest
from players.accounts.models import User
from tables.models.seats import Seat
from tournaments.entries import admission, late_entries, notifications
from tournaments.entries.models import Entry
from tournaments.exceptions import BadTerms, NotRegistered, NotRunning, TournamentRunning
from tournaments.planning import timing
from tournaments.planning.locks import lock_tournament
from tournaments.planning.models import StaffAction, Tournament

BEFORE = (
    Tournament.State.DRAFT,
    Tournament.State.ANNOUNCED,
    Tournament.State.REGISTERING,
    Tournament.State.CHECK_IN,
)


@transaction.atomic(durable=True)
def delay(*, tournament_id: int, starts_at: datetime, by: User, reason: str) -> Tournament:
    """Delay the start and reopen registration; entries remain."""
    tournament = lock_tournament(pk=tournament_id)
    refuse_own_interest(tournament, by=by)
    if tournament.state not in BEFORE:
        raise TournamentRunning("The tournament has already started or is over.")
    now = database_now()
    if tournament.starts_at is None or starts_at <= max(now, tournament.starts_at):
        raise BadTerms("Choose a later start. A sit-and-go cannot be delayed.")
    before = audit_log.facts(tournament)
    tournament.staff_actions.create(
        kind=StaffAction.Kind.DELAY,
        subject=f"{starts_at:%Y-%m-%d %H:%M %Z}",
        reason=reason,
        asked_by=by,
        done_at=now,
    )
    tournament.starts_at = starts_at
    if tournament.state in (Tournament.State.REGISTERING, Tournament.State.CHECK_IN):
        tournament.state = Tournament.State.REGISTERING
        timing.arm(tournament, timing.registration_ends(tournament), now)
    notifications.notify_of_delay(tournament, now, reason=reason)
    timing.save(tournament)
    audit_log.record(by=by, act="delay", row=tournament, before=before, reason=reason)
    return tournament


@transaction.atomic(durable=True)
def extend_round(*, tournament_id: int, minutes: int, by: User, reason: str) -> Tournament:
    """Extend the time limit of the current round."""
    tournament = lock_tournament(pk=tournament_id)
    refuse_own_interest(tournament, by=by)
    if tournament.state != Tournament.State.RUNNING:
        raise NotRunning("Only a running round can be extended.")
    this = tournament.rounds.get(no=tournament.round_no)
    now = database_now()
    if this.ends_at is None or minutes < 1 or timing.has_passed(tournament, this.ends_at, now):
        raise BadTerms("The round has no time limit, or it has already passed.")
    tournament.staff_actions.create(
        kind=StaffAction.Kind.EXTEND,
        subject=f"{minutes} minutes",
        reason=reason,
        asked_by=by,
        done_at=now,
    )
    before = audit_log.facts(this)
    was, this.ends_at = this.ends_at, this.ends_at + timedelta(minutes=minutes)
    this.save(update_fields=["ends_at"])
    if tournament.due_at == was:
        tournament.due_at = this.ends_at
    timing.save(tournament)
    audit_log.record(by=by, act="extend", row=this, before=before, reason=reason)
    return tournament


@transaction.atomic(durable=True)
def remove(*, entry_id: int, by: User, reason: str) -> Entry:
    """Remove a player, with a refund if they are not seated yet; they cannot register again.

    The sweep makes seated players leave their current or next table. They keep the place that they
    reach by it. Eliminated players can be removed while they may enter again.
    """
    # Before the tournament is locked, because it locks the games of both people.
    refuse_own_interest(User.objects.get(tournament_entries=entry_id), by=by)
    tournament = lock_tournament(entries=entry_id)
    refuse_own_interest(tournament, by=by)
    entry = tournament.entries.select_related("stake", "ticket", "player").get(pk=entry_id)
    before, now = audit_log.facts(entry), database_now()
    may_return = tournament.reentries_max > 0 and late_entries.are_open(tournament, now)
    is_out = entry.state == Entry.State.OUT and not may_return
    if tournament.is_over or entry.state in Entry.GONE or is_out or entry.is_removed:
        raise NotRegistered("This player is no longer in the tournament.")
    tournament.staff_actions.create(
        kind=StaffAction.Kind.REMOVE,
        subject=entry.player.handle,
        reason=reason,
        asked_by=by,
        done_at=now,
    )
    entry.is_removed = entry.is_absent = True
    entry.save(update_fields=["is_removed", "is_absent"])
    notifications.notify_of_removal(tournament, entry, now, reason=reason)
    if entry.draw_no is None:
        admission.release(tournament, entry, Entry.State.RELEASED, reason="remove")
        admission.promote(tournament)
    timing.save(tournament)
    audit_log.record(
        by=by, act="remove", row=entry, before=before, about=entry.player, reason=reason
    )
    return entry


def seats_of_the_removed() -> QuerySet[Seat]:
    """Return the seats of removed players at live tables of their tournament."""
    seated = "table__round_table__seatings__entry"
    present = Seat.objects.present().filter(table__finished_at__isnull=True)
    return present.filter(**{f"{seated}__is_removed": True, f"{seated}__player": F("player")})
