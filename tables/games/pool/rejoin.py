"""Rejoining a pool after an elimination (RB 7.3)."""

from __future__ import annotations

from collections import Counter
from datetime import datetime

import rummy
from players.accounts.models import User
from players.eligibility.verdicts import require_may
from tables.exceptions import RejoinsClosed
from tables.games.pool import windows
from tables.games.sitting import buy_in
from tables.games.thirteen.cards import thirteen_rules
from tables.models.deals import Deal
from tables.models.seats import Elimination, Seat
from tables.models.tables import StakeMode, Table
from tables.responsible.verdicts import require_time
from tables.settlement.models import Answer, Window
from tables.state.locks import LockedTable, snapshot_of
from tables.state.rules import rules_of
from wallet.ledger.cash_offered import act_of


def offer(table: LockedTable, deal: Deal, now: datetime) -> bool:
    """Offer a rejoin to the players whom this deal eliminated and who have not left.

    The fee and the new total are fixed now. There is no offer once the game needs no more deals:
    one survivor is left, or few enough for a tournament's table to stop.
    """
    out = _just_out(table, deal) if _are_sold_at(table) and not table.is_last_deal else []
    if not out:
        return False
    snapshot = snapshot_of(table)
    all_totals = snapshot.totals()
    totals = [all_totals[seat.pk] for seat in snapshot.active()]
    if len(totals) <= table.stop_at_survivors:
        return False
    answers = []
    rules = thirteen_rules(rules_of(table.profile))
    for seat, rejoined in out:
        offered = rummy.pool.rejoin_offer(
            rules,
            totals,
            started=table.starters,
            rejoined=rejoined,
        )
        if offered.score is not None:
            answers.append(Answer(seat=seat, total=offered.score, amount_minor=table.entry_minor))
    if answers:
        phase = Table.Phase.REJOIN
        rejoin = Window(kind=Window.Kind.REJOIN)
        windows.ask(table, rejoin, answers, phase=phase, seconds=rules.rejoin_seconds, now=now)
    return bool(answers)


def accept(table: LockedTable, answer: Answer, now: datetime) -> None:
    """Pay the entry again and play on at the offered total; a refused payment changes nothing."""
    seat = snapshot_of(table).seat(answer.seat_id)
    seat.player = User.objects.get(pk=seat.player_id)  # The snapshot has some fields only.
    if not table.rejoins_open:
        raise RejoinsClosed("Rejoins at this table are closed.")
    require_may(seat.player, act_of(table.currency))
    require_time(seat.player)
    buy_in(
        table,
        seat,
        no=entries_of(seat) + 1,
        escrow=table.rejoin_account or table.escrow,
        amount=answer.amount,
        rake_bps=table.rake_bps,
    )
    undone = Elimination.objects.standing().filter(table=table, seat=seat)
    undone.update(rejoined_at=now, rejoined_total=answer.total)
    snapshot_of(table).undo_elimination(seat, answer.total, now)


def entries_of(seat: Seat) -> int:
    """Return the seat's number of entries: the first one, wherever it was paid, and rejoins."""
    return 1 + seat.eliminations.filter(rejoined_at__isnull=False).count()


def outcome_of(window: Window) -> Window.Outcome:
    """Return the outcome of a rejoin window."""
    said = set(window.answers.values_list("said", flat=True))
    if Answer.Said.YES in said:
        return Window.Outcome.ACCEPTED
    return Window.Outcome.EXPIRED if "" in said else Window.Outcome.REFUSED


def _are_sold_at(table: Table) -> bool:
    """At a table for chips only a host with an account for rejoins offers them."""
    has_place = table.stake_mode == StakeMode.CASH or table.rejoin_account_id is not None
    return table.rejoins_open and has_place


def _just_out(table: LockedTable, deal: Deal) -> list[tuple[Seat, int]]:
    """Return seats eliminated by this deal and not left, with their number of rejoins."""
    snapshot = snapshot_of(table)
    out = {
        each.seat_id
        for each in snapshot.eliminations
        if each.deal_id == deal.pk and each.rejoined_at is None
    }
    times = Counter(each.seat_id for each in snapshot.eliminations if each.rejoined_at is not None)
    return [(seat, times[seat.pk]) for seat in snapshot.present() if seat.pk in out]
