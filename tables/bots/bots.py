"""Practice bots: labelled, paid in play points, and limited to the view of their seat."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import lru_cache
from random import Random
from typing import Final, cast
from uuid import uuid5

import structlog
from django.conf import settings
from django.contrib.auth.hashers import make_password

import rummy
from core.tasks import enqueue
from players.accounts.models import User
from tables.bots import answers as bot_answers
from tables.exceptions import TableError
from tables.games import game_of
from tables.games.stacks import short_seats
from tables.models.deals import Deal
from tables.models.seats import Seat
from tables.models.tables import Table
from tables.play.actions import make_move
from tables.seats import seating, stacks
from tables.state import phases
from tables.state.fold import Fold, fold_of_latest
from tables.state.rules import family_of
from tables.state.snapshot import Place, TableSnapshot, read_snapshot
from wallet.bonuses import play_points
from wallet.exceptions import InsufficientFunds
from wallet.stakes import stacks as wallet_stacks

NAMES: Final = (
    "asha",
    "bela",
    "charu",
    "dev",
    "esha",
    "farid",
    "gita",
    "hari",
    "indu",
    "jai",
    "kiran",
    "lata",
    "mohan",
    "nila",
    "omkar",
    "priya",
)
LABEL: Final = "bot_"
# After this many moves a task ends and enqueues itself again, to free the worker for others.
MOVES_AT_ONCE: Final = 25

log = structlog.get_logger(__name__)


def play_all(*, table_ids: Sequence[int]) -> None:
    """Let the bots of these tables act, one table after the other."""
    for table_id in table_ids:
        with structlog.contextvars.bound_contextvars(table=table_id):
            try:
                play_bots(table_id=table_id)
            except Exception:  # A sweep: one bad row must not stop the bots of the others.
                log.exception("bots_failed")


def play_bots(*, table_id: int) -> None:
    """Let the table's due bots act; safe to run concurrently.

    A bot's move id derives from its deal and ply, so the slower of two workers finds the move made.
    """
    for _ in range(MOVES_AT_ONCE):
        try:
            goes_on = _act(read_snapshot(table_id))
        except Table.DoesNotExist:  # A message from before a restore.
            return
        except (
            TableError
        ) as refusal:  # Another request was faster; the sweep wakes bots that are still due.
            log.debug("bot_late", table=table_id, code=refusal.code)
            return
        except InsufficientFunds:  # Spent at another table; the next sweep retries.
            log.debug("bot_short", table=table_id)
            return
        except rummy.RummyError as refusal:  # A bug in the bot; the clock will play for it.
            log.error("bot_erred", table=table_id, code=refusal.code)
            return
        if not goes_on:
            return
    if settings.BOT_THINK_SECONDS == 0:
        enqueue("tables.play_bots", table_id)


def _act(snapshot: TableSnapshot) -> bool:
    """Let one bot act; return whether another may be due."""
    table = snapshot.table
    if table.bot_due_at is None or table.bot_due_at > snapshot.now:
        return False
    if game_of(table).seats_bots(table):
        return _tend_seats(table)
    if bot_answers.is_asked(table):
        return bot_answers.answer_or_propose(snapshot)
    return _make_move(snapshot)


def bots_for(table: Table, number: int) -> list[User]:
    """Return this many bots with funds that are not seated here; create missing ones."""
    handles = [f"{LABEL}{name}" for name in NAMES]
    taken = set(User.objects.filter(handle__in=handles).values_list("handle", flat=True))
    for handle in handles:
        if handle not in taken:
            _make_bot(handle)
    seated = table.seats.present().values("player")
    free = User.objects.bots().filter(handle__in=handles).exclude(pk__in=seated).order_by("pk")
    chosen = list(free[:number])
    for bot in chosen:
        play_points.ensure_points(player=bot, at_least=game_of(table).bot_stack(table))
    return chosen


def _make_bot(handle: str) -> User:
    nobody_signs_in = make_password(None)
    bot, _ = User.objects.get_or_create(
        handle=handle, is_bot=True, defaults={"password": nobody_signs_in}
    )
    return bot


def _tend_seats(table: Table) -> bool:
    """Take a free seat at a person's table, top up a stack, or leave if no person is left."""
    seated = table.seats.present().order_by("pk").select_related("player")
    bot_seats = seated.of_site_bots()
    people = seated.exclude(pk__in=bot_seats.values("pk")).exists()
    if not people and table.bots_fill:
        if bot_seat := bot_seats.first():
            seating.leave(seat_id=bot_seat.pk)
        return bot_seat is not None
    short = short_seats(table, list(bot_seats)) if game_of(table).has_stacks else []
    if short:
        _fill_up(table, short[0])
        return True
    if not people or not table.bots_fill:
        return False
    seating.join(
        table_id=table.pk, player=bots_for(table, 1)[0], stack=game_of(table).bot_stack(table)
    )
    return True


def _fill_up(table: Table, seat: Seat) -> None:
    missing = game_of(table).bot_stack(table) - wallet_stacks.stack_of(table.escrow, seat.player)
    play_points.ensure_points(player=seat.player, at_least=missing)
    stacks.top_up(seat_id=seat.pk, no=seat.buy_ins.count() + 1, amount=missing)


def _make_move(snapshot: TableSnapshot) -> bool:
    table, deal = snapshot.table, snapshot.deal
    if deal is None:
        return False
    fold = fold_of_latest(deal, snapshot.latest)
    awaited = phases.awaited_bots(snapshot, deal, fold.state)
    if not awaited:
        return False
    place = awaited[0]
    accepted = make_move(
        seat=place.seat_id,
        move_id=uuid5(deal.public_id, f"bot ply {fold.ply}"),
        text=_choice(deal, fold, snapshot.places_in(deal), place.position).text,
        expected_version=table.version,
        window_id=table.window_id,
    )
    return not accepted.is_repeat


def _choice(deal: Deal, fold: Fold, places: Sequence[Place], position: int) -> rummy.Move:
    """Return the bot's move; its randomness derives from its own cards and the ply.

    So concurrent workers agree, simulations are reproducible, and others cannot predict the move.
    """
    table = deal.table
    family = family_of(table.profile)
    legal = family.legal_moves(fold.state, position)
    totals: list[int] = []
    if rummy.Drop(position) in legal:  # The value of a drop depends on the whole pool.
        by_seat = _totals(table.pk, deal.pk, deal.started_at)
        totals = [by_seat[place.seat_id] for place in places]
    view = family.view(fold.state, position)
    return rummy.bots.choose(
        view,
        legal,
        Random(f"{rummy.format_cards(view.hand)} {fold.ply}"),  # noqa: S311
        strength=cast(rummy.bots.Strength, table.bot_strength),
        totals=totals,
    )


@lru_cache(maxsize=1024)
def _totals(table_pk: int, deal_pk: int, started_at: datetime) -> dict[int, int]:
    """Return each seat's points when a deal begins, by its key; they do not change during it.

    The cache key includes the start time, because a rolled-back dealing may have used the same key.
    """
    return Seat.objects.filter(table=table_pk).totals()
