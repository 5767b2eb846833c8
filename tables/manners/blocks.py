"""Blocks between players, who are then not seated with each other.

They apply wherever players sit down by themselves: at private tables, by quick seat, and at the
public tables of the lobby. Tournaments draw their tables without them. The blocked player is not
notified: a table is full for them, and quick seat opens another one of the same kind.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from django.utils.translation import gettext as _

from core.db.statements import Statement, execute_pipeline
from players.accounts.models import User
from tables.exceptions import BlockBetween
from tables.manners.models import Block
from tables.models.seats import Seat

# Of a player: sitting down beside others holds it shared, a block of or by them exclusively.
BLOCKS_LOCK: Final = 5315
KEYS: Final = 2**31

_SHARED: Final = Statement("SELECT pg_advisory_xact_lock_shared(%s::int, %s::int)")
_EXCLUSIVE: Final = Statement("SELECT pg_advisory_xact_lock(%s::int, %s::int)")
_BETWEEN: Final = Statement(
    "SELECT player_id FROM tables_block"
    " WHERE player_id = %s AND blocked_id = ANY(%s) OR player_id = ANY(%s) AND blocked_id = %s"
)


def refuse_blocked(present: Sequence[Seat], player: User) -> None:
    """Raise `BlockBetween` if the player and one of those seated have blocked each other.

    The caller holds the table's lock. A block that is being saved is waited for, and waits for the
    transaction of this call, so that no two players are seated together after it.
    """
    others = [seat.player_id for seat in present]
    if player.is_bot or not others:
        return
    values = (player.pk, others, others, player.pk)
    shared = (_SHARED, (BLOCKS_LOCK, player.pk % KEYS))
    blockers = [pk for (pk,) in execute_pipeline(shared, (_BETWEEN, values))[-1]]
    if player.pk in blockers:
        raise BlockBetween(_("You have blocked a player at this table. Choose another table."))
    if blockers:  # The text of `TableFull`, so that a blocked player learns nothing.
        raise BlockBetween(_("This table is full. Choose another one."))


def lock_blocks(*players: User) -> None:
    """Wait until these players, who are sitting down, are seated; others wait for this caller."""
    keys = sorted({player.pk % KEYS for player in players})
    execute_pipeline(*((_EXCLUSIVE, (BLOCKS_LOCK, key)) for key in keys))


def are_apart(player_id: int, others: Iterable[int]) -> bool:
    """Return whether the player has blocked one of the others, or is blocked by one of them."""
    return Block.objects.between(player_id, others).exists()


def blocked_by(player_id: int, others: Iterable[int]) -> list[int]:
    """Return those of the others whom the player has blocked, and whose phrases are not shown."""
    others = list(others)
    if not others:
        return []
    blocks = Block.objects.filter(player=player_id, blocked__in=others)
    return list(blocks.values_list("blocked", flat=True))


def blockers_of(player_id: int, others: Iterable[int]) -> list[int]:
    """Return those of the others who have blocked the player."""
    blocks = Block.objects.filter(blocked=player_id, player__in=list(others))
    return list(blocks.values_list("player", flat=True))
