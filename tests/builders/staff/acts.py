"""What the walk of all acts of staff tries: an act, and who must not do it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.db import models

from players.accounts.models import User
from tests.builders.tables.tables import make_game, make_player
from tests.builders.wallet.players import admit_to_cash


@dataclass(frozen=True)
class Act:
    """`do(by=person)` is the act; the rival must be refused, anybody else must not."""

    do: Callable[..., object]
    rival: User
    # What the admin's action is run on, and what its form sends beside.
    row: models.Model | None = None
    sent: tuple[tuple[str, str], ...] = ()


Case = Callable[[], Act]
WHY: dict[str, Any] = {"reason": "Because"}


def boss() -> User:
    return make_player(is_staff=True, is_superuser=True)


def pair() -> tuple[User, User]:
    """Return a member of staff and a player who sit at one table."""
    table = make_game(players=2)
    rival, player = (seat.player for seat in table.seats.select_related("player").order_by("pk"))
    rival.is_staff = rival.is_superuser = True
    rival.save()
    admit_to_cash(player)
    return rival, player
