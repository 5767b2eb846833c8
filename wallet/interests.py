"""Whose money what staff do about the house moves, for the rule of `players.interests`."""

from __future__ import annotations

from collections.abc import Collection

from django.db import models

from players.models import User
from wallet.models import Withdrawal, WithdrawalFreeze


def lock_games(player_ids: Collection[int]) -> None:
    """The wallet knows no game."""


def opponents_of(player_id: int) -> set[int]:
    return set()


def takes_part(player: User, row: models.Model) -> bool:
    """A freeze of withdrawals holds back everybody's: who waits for one does not lift it."""
    if isinstance(row, WithdrawalFreeze):
        return Withdrawal.objects.of_player(player).pending().exists()
    return False
