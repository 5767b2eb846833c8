"""Private tables: opened by a player for guests, or for the players of a finished game."""

from __future__ import annotations

import secrets
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple, cast

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils.translation import gettext as _

from core.db.statements import compiled_by_key
from players.accounts.models import User
from players.eligibility.verdicts import require_may
from tables.exceptions import AlreadySeated, GameNotOffered, NoRematch, TooManyTables
from tables.games import game_of, opening
from tables.models.seats import Seat
from tables.models.tables import Table
from tables.models.templates import BotStrength, TableTemplate, TableTemplateQuerySet
from tables.seats import seating
from tables.seats.origins import Origin
from tables.settlement import finishing
from tables.state.locks import lock_if_free, lock_template, snapshot_of
from tables.state.publishing import publish
from tables.view.scored import LEAST_PEOPLE, may_play_again
from wallet.ledger.cash_offered import act_of

# Long enough not to be guessed, short enough for a message.
CODE_BYTES: Final = 12
OPEN_AT_ONCE: Final = 3
# An empty private table is closed after this time.
KEPT_EMPTY: Final = timedelta(hours=1)
# The game of the first lesson; a name in `tables.games.GAMES`.
FIRST_GAME: Final = "pool"
# Fields that a rematch must have in common with its game.
TERMS: Final = ("profile_id", "entry_minor", "rake_bps", "currency")


@transaction.atomic(durable=True)
def open_private_table(*, player: User, template_id: int) -> Table:
    """Open a private table of an offered template without bots; it is found only by its link."""
    # The lock serialises concurrent requests, so that the limit holds.
    User.objects.locked().get(pk=player.pk)
    template = lock_template(template_id)
    if not template.is_offered or template.bots_fill:
        raise GameNotOffered(_("This kind of table is not available. Choose another one."))
    require_may(player, act_of(template.currency))
    mine = Table.objects.live().filter(opened_by=player, bots_fill=False).exclude(invite_code="")
    if mine.count() >= OPEN_AT_ONCE:
        raise TooManyTables(_("You have reached the limit of private tables. Leave one first."))
    table = opening.open_of_kind(template)
    table.invite_code, table.opened_by = secrets.token_urlsafe(CODE_BYTES), player
    table.save(update_fields=["invite_code", "opened_by"])
    return table


def join_first_game(*, player: User, origin: Origin | None = None) -> Seat | None:
    """Seat the player alone with easy bots, at the offered practice pool with the fewest seats.

    Return the seat in a first game still in progress if there is one, and None if no practice
    pool is offered.
    """
    lessons = Table.objects.live().filter(opened_by=player, bots_fill=True).exclude(invite_code="")
    mine = Seat.objects.present().filter(player=player, table__in=lessons).select_related("table")
    if running := mine.first():
        return running
    practice = TableTemplate.objects.offered().filter(bots_fill=True)
    kinds = practice.select_related("profile").order_by("seats_max", "entry_minor", "pk")
    pool = next((kind for kind in kinds if game_of(kind.profile).name == FIRST_GAME), None)
    if pool is None:
        return None
    table = _own_lesson(player=player, template_id=pool.pk)
    try:
        return seating.join(table_id=table.pk, player=player, code=table.invite_code, origin=origin)
    except AlreadySeated:  # A concurrent request was faster.
        return mine.get(table=table)


@transaction.atomic(durable=True)
def _own_lesson(*, player: User, template_id: int) -> Table:
    """Return the table of the player's unfinished first game, or a new one."""
    # Concurrent requests share one table; a refused one leaves its table to the next.
    User.objects.locked().get(pk=player.pk)
    template = lock_template(template_id)
    seated = Seat.objects.present().filter(player=player, table=OuterRef("pk"))
    mine = Table.objects.live().filter(opened_by=player, bots_fill=True).exclude(invite_code="")
    free = Q(phase=Table.Phase.WAITING, template=template)
    if (kept := mine.filter(free | Exists(seated)).order_by("pk").first()) is not None:
        return kept
    table = opening.open_of_kind(template, bots_fill=True, bot_strength=BotStrength.RANDOM)
    table.invite_code, table.opened_by = secrets.token_urlsafe(CODE_BYTES), player
    table.save(update_fields=["invite_code", "opened_by"])
    return table


def join_rematch(*, seat_id: int, origin: Origin | None = None, client_seed: str = "") -> Seat:
    """Seat the player of a finished game at its rematch, opening it if needed.

    The entry is paid as at any table. Raise `NoRematch` if the game is not over, had no second
    person, or its template is no longer offered on the same terms.
    """
    seat = Seat.objects.select_related("player").get(pk=seat_id)
    again = _waiting_rematch(table_id=seat.table_id)
    return seating.join(
        table_id=again.pk,
        player=seat.player,
        code=again.invite_code,
        origin=origin,
        client_seed=client_seed,
    )


@transaction.atomic(durable=True)
def _waiting_rematch(*, table_id: int) -> Table:
    """Return the waiting rematch table, or a new one."""
    over = Table.objects.get(pk=table_id)
    people = over.seats.present().filter(player__is_bot=False).count()
    if over.phase != Table.Phase.FINISHED or not may_play_again(over) or people < LEAST_PEOPLE:
        raise NoRematch(_("This game has no rematch."))
    # The lock serialises concurrent requests.
    template = lock_template(cast(int, over.template_id))
    again = Table.objects.waiting().filter(rematch_of=over).first()
    if again is not None:
        return again
    is_same = all(getattr(template, term) == getattr(over, term) for term in TERMS)
    if not template.is_offered or not is_same:
        raise NoRematch(_("This kind of table is no longer available on the same terms."))
    again = opening.open_of_kind(template, rematch_of=over, people=people)
    again.invite_code = secrets.token_urlsafe(CODE_BYTES)
    again.save(update_fields=["invite_code"])
    return again


def private_kinds() -> TableTemplateQuerySet:
    """Return the offered templates of private tables: those that bots do not join."""
    return TableTemplate.objects.offered().without_bots().select_related("profile").order_by("name")


class PrivateTable(NamedTuple):
    """The name of a private table, and the code of its link."""

    name: str
    invite_code: str


def own_private_tables(player_id: int) -> list[PrivateTable]:
    """Return the private tables that are not over, opened by this player or with their seat."""
    return [PrivateTable(*row) for row in _OWN.rows(player_id)]


def _own_private(player_id: int) -> QuerySet[Table, tuple[Any, ...]]:
    seated = Seat.objects.present().filter(player=player_id, table=OuterRef("pk"))
    private = Table.objects.live().filter(bots_fill=False).exclude(invite_code="")
    own = private.filter(Q(opened_by=player_id) | Exists(seated))
    return own.order_by("pk").values_list("name", "invite_code")


_OWN: Final = compiled_by_key(_own_private)


def close_forgotten(now: datetime) -> int:
    """Close private tables that have been empty for an hour; return how many."""
    since = now - KEPT_EMPTY
    lately = Seat.objects.filter(table=OuterRef("pk")).exclude(left_at__lt=since)
    private = Table.objects.waiting().exclude(invite_code="").filter(created_at__lt=since)
    forgotten = private.exclude(Exists(lately))
    return sum(_close(pk, now) for pk in forgotten.values_list("pk", flat=True))


@transaction.atomic(durable=True)
def _close(table_id: int, now: datetime) -> bool:
    table = lock_if_free(table_id)
    if table is None or table.phase != Table.Phase.WAITING or snapshot_of(table).seats:
        return False
    finishing.close(table, Table.Phase.CANCELLED, now)
    publish(table)
    return True
