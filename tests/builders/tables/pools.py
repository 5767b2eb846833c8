"""Pools with given scores, for tests of the steps after a deal."""

from __future__ import annotations

from typing import Any

from django.db import transaction

from core.clock import database_now
from players.accounts.models import User
from tables.games import game_of
from tables.models.deals import Deal
from tables.models.seats import Score, Seat
from tables.models.tables import Table
from tables.play import answering
from tables.seats import seating
from tables.settlement import scoring
from tables.settlement.models import Answer, Window
from tables.state import clock
from tables.state.fold import reveal_seed
from tables.state.locks import lock_table, snapshot_of
from tables.state.publishing import publish
from tests.builders.tables.invented import is_invented
from tests.builders.tables.making import make_player, make_rules, make_table
from tests.builders.tables.playing import reread, run_out
from wallet.bonuses import play_points
from wallet.ledger.money import as_money

YES, NO = Answer.Said.YES, Answer.Said.NO


def make_rich_player(minor: int, **fields: Any) -> User:
    player = make_player(**fields)
    play_points.ensure_points(player=player, at_least=as_money(minor, "PTS"))
    return player


def make_pool(*, players: int = 4, gap_seconds: int = 60, **overrides: Any) -> Table:
    """A pool in its first deal; everybody can pay a few entries more."""

    rules = overrides.pop("rules", None) or make_rules(gap_seconds=gap_seconds)
    table = make_table(rules=rules, seats_min=players, seats_max=players, **overrides)
    for _ in range(players):
        seating.join(table_id=table.pk, player=make_rich_player(5 * table.entry_minor))
    return reread(table)


def score(table: Table, *totals: int) -> Table:
    """Settle the deal on the table so that those dealt in stand at these totals, in seat order.

    It does what `settle_deal` does with the points of the cards; what follows is the game's own.
    """
    if reread(table).phase == Table.Phase.BETWEEN:
        let_time_pass(table)
    is_invented(table)
    now = database_now()
    with transaction.atomic():
        Table.objects.filter(pk=table.pk).update(phase=Table.Phase.SETTLING)
        table = lock_table(table.pk)
        snapshot = snapshot_of(table)
        deal, before = snapshot.deal, snapshot.totals()
        dealt_in = snapshot.seats_in(deal)
        seats = [seat for seat in snapshot.seats if seat in dealt_in]
        for seat, total in zip(seats, totals, strict=True):
            points, how = total - before[seat.pk], "lost" if total > before[seat.pk] else "won"
            score = Score(table=table, deal=deal, seat=seat, points=points, how=how)
            score.total_after, score.bought_in_at = total, None
            snapshot.scores.append(score)
        Score.objects.bulk_create(snapshot.scores[-len(seats) :])
        deal.status, deal.settled_at, deal.ended_at = Deal.Status.SETTLED, now, now
        deal.save(update_fields=["status", "settled_at", "ended_at"])
        reveal_seed(deal, now)
        table.version += 1
        game_of(table).go_on(table, deal, now)
        publish(table)
    return reread(table)


def one_out(players: int = 3, **overrides: Any) -> Table:
    """Deal 1 is scored: the last seat is out, the others stand at 0, 50, 50 …"""
    table = make_pool(players=players, **overrides)
    return score(table, 0, *[50] * (players - 2), 101)


def let_time_pass(table: Table) -> Table:
    """End the phase's time, run the sweep, and let a worker settle what is due."""
    run_out(table)
    clock.apply_overdue(table_id=table.pk, now=database_now())
    scoring.settle_table(table_id=table.pk)
    return reread(table)


def seat_no(table: Table, number: int) -> Seat:
    return table.seats.select_related("player").get(number=number)


def open_window(table: Table) -> Window:
    return Window.objects.open().get(table=table)


def say(table: Table, number: int, said: Answer.Said) -> Answer:
    """Answer the open window for the seat of this number."""
    window = open_window(table)
    answer = answering.answer(
        seat_id=seat_no(table, number).pk, window_id=window.public_id, said=said
    )
    scoring.settle_table(table_id=table.pk)
    return answer


def propose(table: Table, number: int) -> Window:
    return answering.propose_split(seat_id=seat_no(table, number).pk)


def prizes(table: Table) -> list[int]:
    """Every seat's prize in minor units, in seat order."""
    results = table.results.order_by("seat__number")
    return list(results.values_list("prize_minor", flat=True))


def totals(table: Table) -> list[int]:
    """Every seat's total, in seat order."""
    known = table.seats.totals()
    return [known[seat.pk] for seat in table.seats.in_seat_order()]


OUT = 101


def nobody_rejoins(table):
    """Players offered a rejoin decline; without an offer nothing happens."""
    if reread(table).phase == Table.Phase.REJOIN:
        for answer in open_window(table).answers.select_related("seat"):
            say(table, answer.seat.number, NO)
    return reread(table)


def agree(table, survivors):
    propose(table, 1)
    for number in range(2, survivors + 1):
        say(table, number, YES)
    return reread(table)


def finished_pool(players, winner, **overrides):
    """Play a pool that this player wins in its first deal, the others tied behind."""
    number = len(players)
    rules = overrides.pop("rules", None) or make_rules(gap_seconds=60)
    table = make_table(rules=rules, seats_min=number, seats_max=number, **overrides)
    for player in players:
        seating.join(table_id=table.pk, player=player)
    in_order = reread(table).seats.in_seat_order().values_list("player", flat=True)
    table = score(reread(table), *(0 if each == winner.pk else OUT for each in in_order))
    assert table.phase == Table.Phase.FINISHED
    return table
