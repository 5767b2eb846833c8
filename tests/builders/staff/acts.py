"""The type of a case in the table of staff actions: the action, and who must be refused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.db import models

from players.accounts.models import User
from tables.seats import seating
from tests.builders.tables.making import make_player, make_table
from tests.builders.wallet.players import admit_to_cash


@dataclass(frozen=True)
class Act:
    """`do(by=person)` runs the action; `rival` must be refused, other staff must not."""

    do: Callable[..., object]
    rival: User
    # The row of the admin action, and its extra form fields.
    row: models.Model | None = None
    sent: tuple[tuple[str, str], ...] = ()


Case = Callable[[], Act]
WHY: dict[str, Any] = {"reason": "Because"}


def boss() -> User:
    return make_player(is_staff=True, is_superuser=True)


def pair() -> tuple[User, User]:
    """Return a member of staff and a player seated at one table, which waits for a third player."""
    table = make_table(seats_min=3, seats_max=3)
    rival, player = boss(), make_player()
    for person in (rival, player):
        seating.join(table_id=table.pk, player=person)
    admit_to_cash(player)
    return rival, player
