"""The start of a tournament: no-shows, minimum, draw, guarantee, round 1 (RB 10.1 to 10.4)."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import transaction

from players.notifications.models import Notification
from tournaments.entries import admission, bots, notifications
from tournaments.entries.models import Entry
from tournaments.planning import timing
from tournaments.planning.locks import LockedTournament
from tournaments.planning.models import Tournament
from tournaments.planning.terms_models import NoShow, StartRule
from tournaments.prizes import prize_pool
from tournaments.rounds import rounds, stopping
from tournaments.rounds.draw import draw_order, seat_in_turn, unseal


def start(tournament: LockedTournament, now: datetime) -> None:
    """Start, delay once, or cancel the tournament; the caller saves it."""
    with transaction.atomic():
        entries = _gather(tournament, now)
        too_few = len(entries) < tournament.least_entrants
        is_delayed = too_few and tournament.extend_minutes > 0 and not tournament.was_extended
        # A delayed start has no no-shows: undo all releases and promotions.
        transaction.set_rollback(is_delayed)
    if is_delayed:
        _delay(tournament, now)
        return
    if tournament.start_rule == StartRule.WHEN_FULL and len(entries) < tournament.entrants_max:
        ends = timing.given_up_at(tournament)
        if ends is not None and ends <= now:
            stopping.call_off(tournament, now)
        else:  # An entrant has withdrawn meanwhile.
            timing.arm(tournament, ends, now)
        return
    if too_few:
        stopping.call_off(tournament, now)
        return
    tournament.state, tournament.started_at = Tournament.State.RUNNING, now
    _release_waiting_list(tournament, now)
    order = _draw(tournament, entries)
    prize_pool.post_overlay(tournament)
    by_id = {str(entry.public_id): entry for entry in entries}
    tables = seat_in_turn(order, tournament.seats)
    rounds.open_round(tournament, [[by_id[one] for one in table] for table in tables], now)


def _gather(tournament: LockedTournament, now: datetime) -> list[Entry]:
    """Release players who may not play and no-shows, fill free places, and return the entries."""
    admission.release_stopped(tournament, now)
    _apply_no_show_rule(tournament, now)
    admission.promote(tournament)
    if tournament.bots_fill:
        bots.fill(tournament)
    return list(tournament.entries.standing())


def _apply_no_show_rule(tournament: LockedTournament, now: datetime) -> None:
    """Release players without check-in, or mark them absent, by the terms (RB 10.4)."""
    if not tournament.check_in_minutes:
        return
    absent = tournament.entries.filter(state=Entry.State.REGISTERED)
    if tournament.no_show == NoShow.AUTO_DROP:
        absent.update(is_absent=True)
        return
    missing = list(absent.select_related("stake", "ticket", "player"))
    for entry in missing:
        admission.release(tournament, entry, Entry.State.RELEASED, reason="no-show")
    notifications.notify_left_out(tournament, missing, Notification.Kind.TOURNAMENT_MISSED, now)


def _release_waiting_list(tournament: LockedTournament, now: datetime) -> None:
    """Release the waiting list, which is unpaid; its players may use late entry."""
    waiting = list(tournament.entries.waiting().select_related("player"))
    notifications.notify_left_out(tournament, waiting, Notification.Kind.TOURNAMENT_NO_PLACE, now)
    tournament.entries.waiting().update(state=Entry.State.RELEASED)


def _delay(tournament: LockedTournament, now: datetime) -> None:
    assert tournament.starts_at is not None, "a sit-and-go starts when it is full"
    tournament.was_extended = True
    tournament.starts_at = now + timedelta(minutes=tournament.extend_minutes)
    timing.arm(tournament, tournament.starts_at, now)
    notifications.notify_of_delay(tournament, now)


def _draw(tournament: LockedTournament, entries: list[Entry]) -> tuple[str, ...]:
    """Draw the order of the entries, publish the seed, and return the order."""
    seed = unseal(tournament)
    order = draw_order(seed, [str(entry.public_id) for entry in entries])
    numbers = {public_id: number for number, public_id in enumerate(order, start=1)}
    for entry in entries:
        entry.draw_no = numbers[str(entry.public_id)]
    Entry.objects.bulk_update(entries, ["draw_no"], batch_size=1000)
    tournament.revealed_seed = seed.hex()
    return order
