"""Players' answers: rejoin, split, ready, showing hands; overdue clocks are applied first."""

from __future__ import annotations

from uuid import UUID

from tables.exceptions import AnswerGiven, NoSplit, NotAsked, StaleVersion, WindowClosed
from tables.games import game_of
from tables.models.addresses import table_of_seat
from tables.models.tables import Table
from tables.settlement.models import Answer, Window
from tables.state import phases
from tables.state.clock import catch_up, caught_up
from tables.state.deadlines import is_late
from tables.state.locks import LockedTable, snapshot_of
from tables.state.publishing import publish
from tables.state.rules import rules_of


def answer(*, seat_id: int, window_id: UUID, said: Answer.Said) -> Answer:
    """Answer yes or no for a seat; repeating the answer returns the first one.

    A yes to a rejoin pays the entry in the same transaction; if it cannot be paid, no answer is
    saved and the question stays open (RB 7.3). Raise `AnswerGiven` if the other answer was given.
    """
    with caught_up(table_of_seat(seat_id)) as table:
        window = table.windows.filter(public_id=window_id).first()
        if window is None:
            raise WindowClosed("This table has no such window.")
        window.table = table
        answers = window.answers.select_related("seat").prefetch_related("seat__player")
        given = answers.filter(seat=seat_id).first()
        if given is None:
            raise NotAsked("This question is not for you.")
        given.window = window
        if given.said:
            if given.said != said:
                raise AnswerGiven("You have already given the other answer.")
            return given
        now = snapshot_of(table).now
        is_over = window.closed_at is not None or table.settlement_due or is_late(table, now)
        if is_over or given.seat.left_at is not None:
            raise WindowClosed("This window has closed.")

        questions = game_of(table).questions
        assert questions is not None, f"{window} is at a table whose game has no windows"
        questions.take_answer(table, window, given, said, now)
        publish(table)
        return given


def propose_split(*, seat_id: int, after_deal: int | None = None) -> Window:
    """Propose the split that the rules allow in this pause (RB 7.4).

    `after_deal` is the deal whose totals the player has seen, None for the last one. After another
    deal the shares are others, so the proposal is refused with `stale_version`.
    """
    with caught_up(table_of_seat(seat_id)) as table:
        if after_deal not in (None, table.deal_no):
            raise StaleVersion(f"Deal {table.deal_no} has been played since. See the new shares.")
        questions = game_of(table).questions
        if questions is None:
            raise NoSplit("This game cannot be split now: no_split.")
        snapshot = snapshot_of(table)
        window = questions.propose_split(table, snapshot.seat(seat_id), snapshot.now)
        publish(table)
        return window


def show_hands(*, seat_id: int, agrees: bool) -> None:
    """Record whether the player agrees that spectators see the hands of ended deals.

    Consent counts from the next deal on; a withdrawal hides the hands of earlier deals, too. Tables
    for play points need no consent.
    """
    with caught_up(table_of_seat(seat_id)) as table:
        snapshot = snapshot_of(table)
        seat = snapshot.present_seat(seat_id)
        if seat is None or (seat.shows_hands_from is not None) == agrees:
            return
        seat.shows_hands_from = table.deal_no + 1 if agrees else None
        seat.shows_hands_set_at = snapshot.now
        seat.save(update_fields=["shows_hands_from", "shows_hands_set_at"])
        table.version += 1
        publish(table)


def be_ready(*, seat_id: int) -> None:
    """Mark the seat as ready; the next deal begins once every person in the game is.

    Outside a pause, and where the rules let no pause end early, nothing changes.
    """
    table_id = table_of_seat(seat_id)
    with caught_up(table_id) as table:
        _be_ready(table, seat_id)
    catch_up(table_id=table_id)


def _be_ready(table: LockedTable, seat_id: int) -> None:
    in_gap = table.phase == Table.Phase.BETWEEN and not table.settlement_due
    if not in_gap or not rules_of(table.profile).gap_ready:
        return
    waiting = {
        seat.pk: seat
        for seat in snapshot_of(table).active()
        if not seat.player.is_bot
        and seat.sits_out_since is None
        and seat.ready_for != table.deal_no + 1
    }
    if seat_id not in waiting:
        return
    mine = waiting.pop(seat_id)
    mine.ready_for = table.deal_no + 1
    mine.save(update_fields=["ready_for"])
    table.version += 1
    if not waiting:
        phases.arm(table, 0, snapshot_of(table).now)
    publish(table)
