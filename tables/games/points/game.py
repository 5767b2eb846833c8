"""A points table: open-ended, with every deal settled in money at once (RB 8.1).

No one is eliminated and no game is won: players sit in, top up, sit out and leave. A seat is dealt
in if its stack covers the largest possible loss; a stack changes in a deal only by its settlement.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

from tables.games.game import Game
from tables.games.points import cashing_out, idle
from tables.games.points.sitting import BETWEEN_DEALS, PointsSitting
from tables.games.points.terms import PointsTerms
from tables.games.stacks import funded_seats, short_seats
from tables.games.thirteen.cards import ThirteenCards
from tables.models.deals import Deal
from tables.models.seats import Score, Seat
from tables.models.tables import Table
from tables.play import client_seeds, dealing, drains
from tables.settlement import finishing
from tables.settlement.game_record import GameRecord
from tables.state import phases
from tables.state.fold import reveal_seed
from tables.state.locks import LockedTable, snapshot_of
from tables.state.rules import rules_of


class Points(PointsTerms, PointsSitting, ThirteenCards, Game):
    """Points rummy: every deal is a separate game, with a price per point."""

    def is_void(self, table: LockedTable, deal: Deal, scores: Sequence[Score]) -> bool:
        """A deal at a points table always has a winner, even if the others just left."""
        return False

    def complete(
        self, table: Table, deal: Deal, scores: Sequence[Score], read: Callable[[], GameRecord]
    ) -> None:
        """Price the deal: losers pay their points, the winner receives them less rake (RB 8.1)."""
        payout = cashing_out.payout(table, scores)
        for score, loss in zip(scores, payout.losses, strict=True):
            score.won_minor = payout.net if score.how == Score.How.WON else -loss

    def go_on(self, table: LockedTable, deal: Deal, now: datetime) -> None:
        """Settle the deal in money, pay out players who left in it, and wait for the next one."""
        cashing_out.settle_money(table, deal)
        self.go_on_after_void(table, deal, now)

    def go_on_after_void(self, table: LockedTable, deal: Deal, now: datetime) -> None:
        """Pay out players who left in the deal, and wait for the next one; stacks are unchanged."""
        cashing_out.pay_leavers_of(table, deal)
        if not snapshot_of(table).present():
            self._empty(table, now)
        if table.is_over:
            return
        idle.sit_out_the_short(table, now)
        idle.sit_out_the_absent(table, deal, now)
        dealing.commit_deal(table)
        gap_seconds = rules_of(table.profile).gap_seconds
        if gap_seconds == 0 and not drains.is_on():
            self.deal_next(table, now)
            return
        table.phase, table.window_id = Table.Phase.BETWEEN, None
        phases.arm(table, gap_seconds, now)
        self._await_bots(table, now)

    def player_left(self, table: LockedTable, now: datetime) -> None:
        """Pay out the seat that was left, unless its cards are not settled yet."""
        cashing_out.pay_leavers(table)
        if not snapshot_of(table).present() and table.phase in BETWEEN_DEALS:
            self._empty(table, now)
        else:
            self.follow(table, now)

    def step_between(self, table: LockedTable, now: datetime) -> None:
        """Change nothing: a seat that is left is paid out at once."""

    def start(self, table: LockedTable, now: datetime) -> None:
        """Deal the first deal, or the next one after a wait for players."""
        self.deal_next(table, now)

    def deal_next(self, table: LockedTable, now: datetime) -> None:
        """Deal to every funded seat; the others miss this deal (RB 8.1).

        With other seats than in the last deal, toss again (RB 5.1). With fewer than two, wait.
        """
        idle.give_up_idle(table, now)
        idle.give_up_stopped(table, now)
        if table.deal_no and not snapshot_of(table).present():
            self._empty(table, now)
        if table.is_over:
            return
        playing = funded_seats(table)
        if len(playing) < _needed(table):
            self._wait(table, now)
            return
        _count_missed(table, playing)
        table.starters, table.started_at = table.starters or len(playing), table.started_at or now
        if _are_those_of_the_last_deal(table, playing):
            dealing.deal_to(table, playing, now)
        else:
            dealing.toss_and_deal(table, playing, now)

    def follow(self, table: LockedTable, now: datetime) -> None:
        """Update a waiting table's countdown after a seat has changed."""
        if table.phase == Table.Phase.WAITING:
            self._follow_waiting(table, now)
        if table.phase in BETWEEN_DEALS:
            self._await_bots(table, now)

    def end_here(self, table: LockedTable, now: datetime) -> None:
        """Close the table after the deal just scored and pay out every stack."""
        deal = snapshot_of(table).deal
        if deal is not None and deal.status == Deal.Status.SETTLED:
            cashing_out.settle_money(table, deal)
        cashing_out.close(table, Table.Phase.FINISHED, now)

    def call_off(self, table: LockedTable, deal: Deal, now: datetime) -> None:
        """Close the table at once: a deal in play is void, and every stack is paid out."""
        if deal.status in (Deal.Status.PLAYING, Deal.Status.ENDED):
            deal.status = Deal.Status.VOID
            deal.save(update_fields=["status"])
            reveal_seed(deal, now)
        cashing_out.close(table, Table.Phase.CANCELLED, now)

    def call_off_between(self, table: LockedTable, now: datetime) -> None:
        """Close the table and pay out every stack."""
        cashing_out.close(table, Table.Phase.CANCELLED, now)

    def final_order(self, record: GameRecord) -> finishing.Order:
        raise AssertionError(f"the points table {record.table} has no final order")

    def _empty(self, table: LockedTable, now: datetime) -> None:
        """The last player has left: close the table if the lobby has another, else wait."""
        if cashing_out.may_close(table):
            table.ending = "closed"
            finishing.close(table, Table.Phase.FINISHED, now)
        else:
            self._wait(table, now)

    def _wait(self, table: LockedTable, now: datetime) -> None:
        """Wait for players; a seat that sits out is kept only for a limited time."""
        table.phase, table.window_id = Table.Phase.WAITING, None
        phases.disarm(table)
        self.follow(table, now)

    def _follow_waiting(self, table: LockedTable, now: datetime) -> None:
        start_seconds = rules_of(table.profile).start_seconds
        able, needed = len(funded_seats(table)), _needed(table)
        starts_at_once = able == table.seats_max or (able >= needed and start_seconds == 0)
        if starts_at_once and not drains.is_on():
            if client_seeds.are_in(table, now):
                self.deal_next(table, now)
        elif able >= needed:
            begins = now + timedelta(seconds=start_seconds)
            if table.due_at is None or table.due_at > begins:
                phases.arm(table, start_seconds, now)
        else:
            idle.await_idle(table, now)

    def _await_bots(self, table: LockedTable, now: datetime) -> None:
        """Schedule a bot that has something to do between deals: sit in, top up, or leave."""
        table.bot_due_at = phases.thought_over(now) if _bots_are_wanted(table) else None


def _needed(table: Table) -> int:
    """The template's minimum for the first deal, then two (RB 8.1)."""
    return table.seats_min if table.deal_no == 0 else 2


def _count_missed(table: LockedTable, playing: Sequence[Seat]) -> None:
    """Count the deals that seats have missed in a row, up to the one that is dealt now."""
    changed = []
    for seat in snapshot_of(table).present():
        missed = 0 if seat in playing else seat.deals_missed + 1
        if missed != seat.deals_missed:
            seat.deals_missed = missed
            changed.append(seat)
    if changed:
        Seat.objects.filter(table=table).bulk_update(changed, ["deals_missed"])


def _are_those_of_the_last_deal(table: LockedTable, seats: Sequence[Seat]) -> bool:
    last = snapshot_of(table).deal
    if last is None:
        return False
    return {seat.pk for seat in snapshot_of(table).seats_in(last)} == {seat.pk for seat in seats}


def _bots_are_wanted(table: LockedTable) -> bool:
    seated = snapshot_of(table).present()
    bots = [seat for seat in seated if seat.player.is_site_bot]
    people = len(seated) > len(bots)
    if table.bots_fill and not people:
        return bool(bots)
    if table.bots_fill and len(seated) < table.seats_max:
        return True
    return bool(short_seats(table, bots))
