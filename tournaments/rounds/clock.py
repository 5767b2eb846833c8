"""The clock of tournaments: state changes, tables to open, results to record.

All due work is found from the rows, so every step can be repeated after a crash.
"""

from __future__ import annotations

from datetime import datetime

import structlog
from django.db import transaction
from django.db.models import Exists, OuterRef

from core.clock import DatabaseNow, database_now
from core.tasks import enqueue
from tables.play import drains
from tournaments.entries.models import RoundTable
from tournaments.planning import timing
from tournaments.planning.locks import LockedTournament, lock_if_free, lock_tournament
from tournaments.planning.models import Tournament
from tournaments.rounds import reseating, rounds, staff_actions, starting, stopping

log = structlog.get_logger(__name__)

State = Tournament.State


def sweep(*, now: datetime) -> None:
    """Do all due work; an error of one tournament does not stop the others."""
    for pk in Tournament.objects.clock_due(now).values_list("pk", flat=True):
        try:
            apply_overdue(tournament_id=pk, now=now, skip_locked=True)
        except Exception:  # An error of one tournament must not stop the others.
            log.exception("tournament_clock_failed", tournament=pk)
    for pk in stopping.actions_due().values_list("pk", flat=True):
        _try(stopping.carry_out, action_id=pk)
    _continue_rounds(now)


def catch_up(*, tournament_id: int) -> None:
    """Apply an overdue state change in its own transaction, before a command.

    A start or cancellation, which posts to the ledger, is left to the sweep.
    """
    due = Tournament.objects.clock_due(DatabaseNow()).filter(pk=tournament_id).first()
    if due is None:
        return
    opens_check_in = due.state == State.REGISTERING and due.has_check_in
    if opens_check_in or due.state in (State.DRAFT, State.ANNOUNCED):
        apply_overdue(tournament_id=tournament_id, now=database_now())


@transaction.atomic(durable=True)
def apply_overdue(*, tournament_id: int, now: datetime, skip_locked: bool = False) -> None:
    """Change the tournament's state if its timer has passed; otherwise do nothing."""
    if skip_locked:
        tournament = lock_if_free(Tournament.objects.filter(pk=tournament_id))
    else:
        tournament = lock_tournament(pk=tournament_id)
    if tournament is None:
        return
    due = timing.deadline(tournament, now)
    if due is None or now < due:
        return
    if tournament.state == State.DRAFT:
        _pass_to(tournament, State.ANNOUNCED, tournament.registers_at, now)
    elif tournament.state == State.ANNOUNCED:
        _pass_to(tournament, State.REGISTERING, timing.registration_ends(tournament), now)
    elif tournament.state == State.REGISTERING and tournament.has_check_in:
        _pass_to(tournament, State.CHECK_IN, tournament.starts_at, now)
    elif tournament.state in (State.REGISTERING, State.CHECK_IN):
        starting.start(tournament, now)
    elif tournament.state == State.RUNNING:
        _round_time_over(tournament, now)
    timing.save(tournament)


def _pass_to(
    tournament: LockedTournament, state: Tournament.State, due_at: datetime | None, now: datetime
) -> None:
    tournament.state = state
    timing.arm(tournament, due_at, now)


def _round_time_over(tournament: LockedTournament, now: datetime) -> None:
    this = tournament.rounds.get(no=tournament.round_no)
    if this.ends_at is not None and timing.has_passed(tournament, this.ends_at, now):
        rounds.stop_new_deals(tournament, now)
    else:
        rounds.wait_on(tournament, now)


def _continue_rounds(now: datetime) -> None:
    """Open tables, record results of finished tables, and close finished rounds."""
    for pk in reseating.tournaments_to_reseat().values_list("pk", flat=True):
        _try(reseating.reseat, tournament_id=pk, now=now)
    running = RoundTable.objects.unfinished().filter(round__tournament__state=State.RUNNING)
    to_open = running.none() if drains.is_on() else running.filter(table=None)
    for pk in to_open.values_list("pk", flat=True):
        _try(rounds.open_table, round_table_id=pk, now=now)
    for pk in staff_actions.seats_of_the_removed().values_list("pk", flat=True):
        _try(_let_leave, seat_id=pk)
    for pk in running.filter(table__finished_at__isnull=False).values_list("pk", flat=True):
        _try(rounds.take_result, round_table_id=pk)
    open_tables = RoundTable.objects.unfinished().filter(
        round__tournament=OuterRef("pk"), round__no=OuterRef("round_no")
    )
    through = Tournament.objects.filter(~Exists(open_tables), state=State.RUNNING)
    for pk in through.values_list("pk", flat=True):
        _try(rounds.close_round, tournament_id=pk, now=now)


def _let_leave(*, seat_id: int) -> None:
    """Queue the leaving of a seat: it makes a move, which the settlement worker must not."""
    enqueue("tables.leave_seat", seat_id)


def _try(step: object, **arguments: object) -> None:
    try:
        step(**arguments)  # type: ignore[operator]
    except Exception:  # An error of one tournament must not stop the others.
        log.exception("tournament_step_failed", step=getattr(step, "__name__", ""), **arguments)
