"""Practice opponents: labelled, paid in play points, and seeing only what their seat may see."""

from __future__ import annotations

from typing import Final
from uuid import uuid5

import structlog
from django.conf import settings
from django.contrib.auth.hashers import make_password
from django.utils import timezone

import rummy
from players.models import User
from tables import tasks
from tables.exceptions import TableError
from tables.models import Table
from tables.rules import family_of
from tables.services import phases, play, seating
from tables.state import fold_of
from wallet.services import play_points

NAMES: Final = (
    *("asha", "bela", "charu", "dev", "esha", "farid", "gita", "hari"),
    *("indu", "jai", "kiran", "lata", "mohan", "nila", "omkar", "priya"),
)
LABEL: Final = "bot_"
# A task lets others have the worker after so many moves, and asks for another turn.
MOVES_AT_ONCE: Final = 25

log = structlog.get_logger(__name__)


def play_bots(*, table_id: int) -> None:
    """Let the table's bots act while they are due; two workers at once do no harm.

    A bot's move id comes from its deal and ply: the slower of two finds its move made and stops.
    """
    for _ in range(MOVES_AT_ONCE):
        now = timezone.now()
        table = Table.objects.bots_due(now).select_related("profile").filter(pk=table_id).first()
        if table is None:
            return
        try:
            goes_on = _sit_or_get_up(table) if _is_waiting(table) else _make_move(table)
        except TableError as refusal:  # Somebody was faster; who is still due is asked again.
            log.debug("bot_late", table=table_id, code=refusal.code)
            return
        except rummy.RummyError as refusal:  # The bot errs; its clock will play for it.
            log.error("bot_erred", table=table_id, code=refusal.code)
            return
        if not goes_on:
            return
    if settings.BOT_THINK_SECONDS == 0:
        tasks.play_bots.delay(table_id)


def bots_for(table: Table, number: int) -> list[User]:
    """Return so many bots with funds that do not sit here yet, made where they are missing."""
    handles = [f"{LABEL}{name}" for name in NAMES]
    taken = set(User.objects.filter(handle__in=handles).values_list("handle", flat=True))
    for handle in handles:
        if handle not in taken:
            _make_bot(handle)
    seated = table.seats.present().values("player")
    free = User.objects.bots().filter(handle__in=handles).exclude(pk__in=seated).order_by("pk")
    chosen = list(free[:number])
    for bot in chosen:
        play_points.ensure_points(player=bot, at_least=table.entry)
    return chosen


def _make_bot(handle: str) -> User:
    nobody_signs_in = make_password(None)
    bot, _ = User.objects.get_or_create(
        handle=handle, is_bot=True, defaults={"password": nobody_signs_in}
    )
    return bot


def _is_waiting(table: Table) -> bool:
    return table.phase == Table.Phase.WAITING


def _sit_or_get_up(table: Table) -> bool:
    """Take one free seat beside a person, or give one back where no person is left."""
    seated = table.seats.present().order_by("pk")
    if seated.filter(player__is_bot=False).exists():
        seating.join(table_id=table.pk, player=bots_for(table, 1)[0])
        return True
    bot_seat = seated.filter(player__is_bot=True).first()
    if bot_seat is None:
        return False
    seating.leave(seat_id=bot_seat.pk)
    return True


def _make_move(table: Table) -> bool:
    deal = table.deals.get(no=table.deal_no)
    fold = fold_of(deal, version=table.version)
    family = family_of(table.profile)
    awaited = phases.awaited(table, fold.state)
    place = (
        deal.deal_seats.filter(position__in=awaited, seat__player__is_bot=True)
        .order_by("position")
        .first()
    )
    if place is None:
        return False
    view = family.view(fold.state, place.position)
    accepted = play.play(
        seat_id=place.seat_id,
        move_id=uuid5(deal.public_id, f"bot ply {fold.ply}"),
        text=rummy.bots.choose(view, family.legal_moves(fold.state, place.position)),
        expected_version=table.version,
        window_id=table.window_id,
    )
    return not accepted.is_repeat
