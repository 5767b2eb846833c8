"""Cancel a tournament before the start or abort it later, with refunds or prizes (RB 10.4)."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from django.db import models, transaction
from django.db.models import QuerySet

from core import audit_log
from core.clock import database_now
from players.accounts.conflicts_of_interest import refuse_own_interest
from players.accounts.models import User
from tables.models.tables import Table
from tables.seats import hosted
from tables.state.locks import lock_tables
from tournaments.entries import notifications
from tournaments.entries.models import Entry, Ticket
from tournaments.exceptions import NotRunning, SamePerson, TournamentOver, TournamentRunning
from tournaments.planning import timing
from tournaments.planning.locks import (
    LockedTournament,
    lock_tournament,
)
from tournaments.planning.models import StaffAction, Tournament
from tournaments.prizes import prize_pool
from tournaments.rounds import results
from wallet.stakes import guarantees, stakes
from wallet.stakes.models import Stake

# A transfer has at most 1,000 entries, and a stake may return to three balances.
BACK_AT_ONCE: Final = 300


def call_off(tournament: LockedTournament, now: datetime) -> None:
    """Cancel the tournament and refund every entry to the balances that paid it."""
    notifications.notify_of_calling_off(tournament, now)
    _refund_all(tournament, key=f"cancel:{tournament.owner_ref}")
    tournament.state, tournament.finished_at = Tournament.State.CANCELLED, now
    timing.arm(tournament, None, now)


@transaction.atomic(durable=True)
def cancel(*, tournament_id: int, by: User, reason: str) -> Tournament:
    """Cancel a tournament before its start; the sweep refunds the entries."""
    tournament = lock_tournament(pk=tournament_id)
    if tournament.state == Tournament.State.CANCELLED:
        return tournament
    if tournament.is_over:
        raise TournamentOver("The tournament is over.")
    if tournament.state == Tournament.State.RUNNING:
        raise TournamentRunning(
            "The tournament has started. Abort it instead, with a second person."
        )
    refuse_own_interest(tournament, by=by)
    before, now = audit_log.facts(tournament), database_now()
    if tournament.staff_actions.filter(kind=StaffAction.Kind.CANCEL).exists():
        return tournament
    tournament.staff_actions.create(kind=StaffAction.Kind.CANCEL, asked_by=by, reason=reason)
    timing.arm(tournament, None, now)
    timing.save(tournament)
    audit_log.record(by=by, act="cancel", row=tournament, before=before, reason=reason)
    return tournament


@transaction.atomic(durable=True)
def ask_to_abort(*, tournament_id: int, by: User, reason: str) -> StaffAction:
    """Request to abort a running tournament; another person must agree."""
    tournament = lock_tournament(pk=tournament_id)
    _refuse_unless_running(tournament)
    refuse_own_interest(tournament, by=by)
    asked = tournament.staff_actions.filter(kind=StaffAction.Kind.ABORT, done_at=None).first()
    if asked is None:
        asked = tournament.staff_actions.create(
            kind=StaffAction.Kind.ABORT, asked_by=by, reason=reason
        )
        audit_log.record(by=by, act="ask_to_abort", row=asked, reason=reason)
    return asked


@transaction.atomic(durable=True)
def agree_to_abort(*, action_id: int, by: User) -> Tournament:
    """Agree to abort a running tournament; the sweep stops its tables and pays."""
    tournament = lock_tournament(staff_actions=action_id)
    act = tournament.staff_actions.get(pk=action_id)
    if act.agreed_by_id is not None:
        return tournament
    _refuse_unless_running(tournament)
    if act.asked_by_id == by.pk:
        raise SamePerson("Another person must agree to an abort.")
    refuse_own_interest(tournament, by=by)
    before = audit_log.facts(act)  # The tournament itself changes only when this is carried out.
    act.agreed_by = by
    act.save(update_fields=["agreed_by"])
    after = audit_log.facts(act)
    audit_log.record(
        by=by, act="abort", row=tournament, before=before, after=after, reason=act.reason
    )
    return tournament


def actions_due() -> QuerySet[StaffAction]:
    """Return the decided cancellations and aborts that are not carried out yet."""
    cancelled = models.Q(kind=StaffAction.Kind.CANCEL)
    aborted = models.Q(kind=StaffAction.Kind.ABORT, agreed_by__isnull=False)
    live = StaffAction.objects.exclude(tournament__state__in=Tournament.OVER)
    return live.filter(cancelled | aborted, done_at=None)


@transaction.atomic(durable=True)
def carry_out(*, action_id: int) -> None:
    """Carry out a decided cancellation or abort, once.

    An abort before the pool is frozen refunds every entry in full. Later, active entries share the
    best prizes equally, entries eliminated in the current round share the places behind them, and
    earlier places remain.
    """
    tournament = lock_tournament(staff_actions=action_id)
    act = tournament.staff_actions.get(pk=action_id)
    if act.done_at is not None or tournament.is_over:
        return
    now = database_now()
    if act.kind == StaffAction.Kind.CANCEL:
        call_off(tournament, now)
    else:
        _abort(tournament, now)
    act.done_at = now
    act.save(update_fields=["done_at"])
    timing.save(tournament)


def _abort(tournament: LockedTournament, now: datetime) -> None:
    notifications.notify_of_calling_off(tournament, now)
    _stop_tables(tournament, now)
    if tournament.frozen_at is None:
        _refund_all(tournament, key=f"abort:{tournament.owner_ref}")
    else:
        results.place_as_it_stands(tournament.rounds.get(no=tournament.round_no))
        prize_pool.pay(tournament)
    tournament.state, tournament.finished_at = Tournament.State.ABORTED, now
    timing.arm(tournament, None, now)


def _refund_all(tournament: LockedTournament, *, key: str) -> None:
    rows = Stake.objects.in_escrow().filter(escrow=tournament.escrow_account)
    held = list(rows.select_related("escrow").order_by("pk"))
    guarantee = guarantees.account(tournament.currency)
    stakes.lock_for_return(stakes=held, also=[guarantee] if tournament.overlay_minor else [])
    prize_pool.return_overlay(tournament)
    while len(held) > BACK_AT_ONCE:
        some, held = held[:BACK_AT_ONCE], held[BACK_AT_ONCE:]
        stakes.return_stakes(
            stakes=some, key=f"{key}:{some[0].pk}", actor="tournament", memo=tournament.name
        )
    if held:  # The last posting must leave the escrow empty, or all are rolled back.
        stakes.cancel_game(
            escrow=tournament.escrow_account,
            stakes=held,
            key=key,
            actor="tournament",
            memo=tournament.name,
        )
    paid_with = tournament.entries.standing().filter(stake__isnull=False)
    for ticket in Ticket.objects.filter(entries__in=paid_with, state=Ticket.State.USED):
        ticket.state = Ticket.State.ISSUED
        ticket.save(update_fields=["state"])
    tournament.entries.entered().update(state=Entry.State.RELEASED)


def _stop_tables(tournament: LockedTournament, now: datetime) -> None:
    live = Table.objects.live().filter(round_table__round__tournament=tournament).order_by("pk")
    for table in lock_tables(live):
        hosted.stop_table(table, now)


def _refuse_unless_running(tournament: Tournament) -> None:
    if tournament.is_over:
        raise TournamentOver("The tournament is over.")
    if tournament.state != Tournament.State.RUNNING:
        raise NotRunning("The tournament has not started. Cancel it instead.")
