"""Celery tasks. Due work is stored in the database, so a sweep makes up for lost messages."""

from __future__ import annotations

from celery import shared_task
from django.db import OperationalError

from core.clock import database_now


@shared_task(name="tables.sweep_clock", ignore_result=True)
def sweep_clock() -> None:
    """Apply overdue clocks; sent every second, and overdue messages expire."""
    from tables.state import clock

    clock.sweep()


@shared_task(name="tables.close_forgotten", ignore_result=True)
def close_forgotten() -> None:
    """Every minute, free seats of players who are away and close empty private tables."""
    from tables.lobby import invitations
    from tables.seats import presence

    now = database_now()
    presence.give_up_away_seats(now)
    invitations.close_forgotten(now)


@shared_task(name="tables.call_away_players", ignore_result=True)
def call_away_players() -> None:
    """Every few seconds, notify players who are away of games that await them."""
    from tables.lobby import calling

    calling.call_away_players(database_now())


@shared_task(name="tables.rate_games", ignore_result=True)
def rate_games() -> None:
    """Every few seconds, rate the games that have finished; needs no message of a game's end."""
    from tables.ratings import actions

    actions.rate_due_games()


@shared_task(name="tables.find_collusion", ignore_result=True)
def find_collusion() -> None:
    """Every night, search recent games for pairs of players who may collude."""
    from tables.integrity.collusion import actions

    actions.search_last_days(database_now())


@shared_task(name="tables.make_months", ignore_result=True)
def make_months() -> None:
    """Every night, create the partitions that future moves need, well in advance."""
    from core.partitions import partitions

    partitions.make_months()


@shared_task(
    name="tables.settle_deal",
    acks_late=True,
    autoretry_for=(OperationalError,),
    retry_backoff=True,
    max_retries=5,
)
def settle_deal(deal_id: int) -> None:
    from tables.settlement import scoring

    scoring.settle_deal(deal_id=deal_id)


@shared_task(
    name="tables.settle_table",
    acks_late=True,
    autoretry_for=(OperationalError,),
    retry_backoff=True,
    max_retries=5,
)
def settle_table(table_id: int) -> None:
    """Take a table's next step between two deals; enqueued when one is due."""
    from tables.settlement import scoring

    scoring.settle_table(table_id=table_id)


@shared_task(name="tables.leave_seat", ignore_result=True)
def leave_seat(seat_id: int) -> None:
    """Make a player removed by a tournament leave; its sweep retries until it is done."""
    from tables.seats import seating

    seating.leave(seat_id=seat_id)


@shared_task(name="tables.play_due_bots", ignore_result=True)
def play_due_bots(table_ids: list[int]) -> None:
    """Make the bots of many tables play; a failure at one does not stop the others."""
    from tables.bots import bots

    bots.play_all(table_ids=table_ids)


@shared_task(name="tables.play_bots", ignore_result=True)
def play_bots(table_id: int) -> None:
    from tables.bots import bots

    bots.play_bots(table_id=table_id)


@shared_task(name="tables.compute_chances", ignore_result=True)
def compute_chances(deal_id: int) -> None:
    """Compute the chances of winning that a replay shows; the page requests it again if lost."""
    from tables.history import chances
    from tables.models.deals import Deal

    chances.compute(Deal.objects.revealed().select_related("table__profile").get(pk=deal_id))
