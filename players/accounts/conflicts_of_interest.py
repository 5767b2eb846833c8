"""Conflicts of interest: staff do not act on games, accounts or money of their own.

A service that acts for a member of staff calls `refuse_own_interest` with the rows it is about to
change, inside its transaction. `settings.CONFLICTS_OF_INTEREST` names the modules that list a
player's games, in the order in which the games are locked.
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
from players.exceptions import ReasonMissing, SharedInterest, StaffAccount


class Games(Protocol):
    """Interface of the modules named in `settings.CONFLICTS_OF_INTEREST`."""

    def lock_games(self, player_ids: Collection[int]) -> None:
        """Lock the unfinished games of these players, so that no player can join them."""

    def opponents_of(self, player_id: int) -> set[int]:
        """Return the players of the unfinished games that a player takes part in."""

    def is_in_game(self, player: User) -> bool:
        """Return whether a player must finish or leave a game before closing the account."""

    def takes_part(self, player: User, row: models.Model) -> bool:
        """Return whether a player takes part in a row; False for models of other apps."""


def refuse_own_interest(*rows: models.Model | None, by: User) -> None:
    """Raise `SharedInterest` if `by` has a personal interest in one of these rows.

    On a player's row: `by` is that player or shares an unfinished game with them. On any other row
    (a table, a tournament): `by` takes part in it; the caller holds its lock. For player rows this
    function locks the games of both, so call it before locking accounts.
    """
    players = {row.pk for row in rows if isinstance(row, User)}
    if by.pk in players:
        raise SharedInterest(_("You cannot act on your own account or money."))
    if players:
        _lock_games({*players, by.pk})
        if players & _opponents_of(by):
            raise SharedInterest(_("You share an unfinished game or tournament with this player."))
    for row in rows:
        if row is None or isinstance(row, User):
            continue
        if any(games.takes_part(by, row) for games in _sources()):
            raise SharedInterest(_("You take part in this. Ask a colleague to handle it."))


def refuse_staff_account(player: User, *, by: User) -> None:
    """Raise `StaffAccount` for a staff account, on which only superusers act."""
    if player.is_staff and not by.is_superuser:
        raise StaffAccount("Only superusers can act on staff accounts.")


def require_reason(reason: str) -> None:
    """Raise `ReasonMissing` for a blank reason of an action of staff."""
    if not reason.strip():
        raise ReasonMissing("A reason is required.")


def refuse_staff_as_player(player: User, *rows: models.Model | None) -> None:
    """Raise `SharedInterest` if a player has acted as staff on one of these rows.

    The rows are a game and the template it was opened from: staff who set its terms or interfered
    with it cannot join it later. `refuse_own_interest` covers the other direction.
    """
    if audit_log.has_acted_on(player, *rows):
        raise SharedInterest(_("You cannot join a game that you set up or acted on as staff."))


def opponents_of(player: User) -> set[int]:
    """Return the keys of the players in a player's unfinished games, and lock those games."""
    _lock_games({player.pk})
    return _opponents_of(player)


def is_in_game(player: User) -> bool:
    """Return whether a player must finish or leave a game before closing the account."""
    return any(games.is_in_game(player) for games in _sources())


def _lock_games(player_ids: Collection[int]) -> None:
    for games in _sources():
        games.lock_games(player_ids)


def _opponents_of(player: User) -> set[int]:
    return {one for games in _sources() for one in games.opponents_of(player.pk)}


@cache
def _sources() -> tuple[Games, ...]:
    return tuple(cast(Games, import_module(name)) for name in settings.CONFLICTS_OF_INTEREST)
