"""The rule that nobody decides about a game or money of their own, for every act of staff.

A service that acts for a member of staff calls `refuse_own_interest` with the rows it is about to
act on, inside its transaction. Applications that know who plays with whom are named in
`settings.CONFLICTS_OF_INTEREST`, in the order in which their games are locked.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import cache
from importlib import import_module
from typing import Protocol, cast

from django.conf import settings
from django.db import models
from django.utils.translation import gettext as _

from core import audit_log
from players.accounts.models import User
from players.exceptions import SharedInterest


class Games(Protocol):
    """What a module named in `settings.CONFLICTS_OF_INTEREST` provides."""

    def lock_games(self, player_ids: Collection[int]) -> None:
        """Lock the unfinished games of these players, so that nobody joins them meanwhile."""

    def opponents_of(self, player_id: int) -> set[int]:
        """Return the players of the unfinished games that a player takes part in."""

    def takes_part(self, player: User, row: models.Model) -> bool:
        """Return whether a player has a part in what a row stands for; False for other models."""


def refuse_own_interest(*rows: models.Model | None, by: User) -> None:
    """Raise `SharedInterest` if `by` has an interest of their own in one of these rows.

    Somebody else who shares no unfinished game with a player may act on them. On any other row (a
    table, a tournament, an account) those may act who take no part in it; the caller holds its
    lock. For players the games of both are locked here, so call this before locking accounts.
    """
    players = {row.pk for row in rows if isinstance(row, User)}
    if by.pk in players:
        raise SharedInterest(_("Nobody acts on an account or money of their own."))
    if players:
        _lock_games({*players, by.pk})
        if players & _opponents_of(by):
            raise SharedInterest(_("You share an unfinished game or tournament with this player."))
    for row in rows:
        if row is None or isinstance(row, User):
            continue
        if any(games.takes_part(by, row) for games in _sources()):
            raise SharedInterest(_("You take part in this, so somebody else must see to it."))


def refuse_staff_as_player(player: User, *rows: models.Model | None) -> None:
    """Raise `SharedInterest` if a player has acted as staff on one of these rows.

    The rows are a game and the template it was opened from: who has set the terms, or interfered
    with a game, has no part in it afterwards. The other direction is `refuse_own_interest`.
    """
    if audit_log.has_acted_on(player, *rows):
        raise SharedInterest(_("Staff do not play in what they have set up or acted on."))


def opponents_of(player: User) -> set[int]:
    """Return the keys of those with whom a player shares an unfinished game, which is locked."""
    _lock_games({player.pk})
    return _opponents_of(player)


def _lock_games(player_ids: Collection[int]) -> None:
    for games in _sources():
        games.lock_games(player_ids)


def _opponents_of(player: User) -> set[int]:
    return {one for games in _sources() for one in games.opponents_of(player.pk)}


@cache
def _sources() -> tuple[Games, ...]:
    return tuple(cast(Games, import_module(name)) for name in settings.CONFLICTS_OF_INTEREST)
