"""A seat in one click: the best open table of that fits a filter."""

from __future__ import annotations

from typing import Final

from players.accounts.models import User
from players.exceptions import SharedInterest
from tables.exceptions import (
    AlreadySeated,
    ClientSeedLate,
    NoTableFits,
    SameDevice,
    SameNetwork,
    TableFull,
    TableNotWaiting,
)
from tables.games import opening
from tables.lobby.offers import NO_FILTER, LobbyFilter, lobby_rows
from tables.models.seats import Seat
from tables.models.tables import Table
from tables.seats import seating
from tables.seats.origins import Origin
from wallet.exceptions import InsufficientFunds
from wallet.ledger.money import PLAY_POINTS

# Of one table; the next may be free, and set up by somebody else.
PASSED_OVER: Final = (
    TableFull,
    TableNotWaiting,
    AlreadySeated,
    SameDevice,
    SameNetwork,
    SharedInterest,
)


def sit_down(
    *,
    player: User,
    wanted: LobbyFilter = NO_FILTER,
    origin: Origin | None = None,
    client_seed: str = "",
) -> Seat:
    """Seat the player where the fewest seats are free, at the lowest price among those.

    Nobody pays money who has not named its currency. Tables that fill meanwhile are passed over;
    `no_table_fits` says that none is left. A client seed waits for the gap where cards are played.
    """
    opening.keep_lobby_stocked()
    rows = [row for row in lobby_rows(player, wanted) if not row.mine]
    if not wanted.currency:
        rows = [row for row in rows if row.entry.currency == PLAY_POINTS]
    too_dear: InsufficientFunds | None = None
    for row in sorted(rows, key=lambda row: (row.seats_max - row.seats_taken, row.entry.minor)):
        table_id = Table.objects.values_list("pk", flat=True).get(public_id=row.id)
        try:
            return _join(table_id, player, origin, client_seed)
        except PASSED_OVER:
            continue
        except InsufficientFunds as refusal:
            too_dear = refusal
    raise too_dear or NoTableFits("No open table fits your wishes at the moment.")


def _join(table_id: int, player: User, origin: Origin | None, client_seed: str) -> Seat:
    try:
        return seating.join(
            table_id=table_id, player=player, origin=origin, client_seed=client_seed
        )
    except ClientSeedLate:  # Cards are played at this points table.
        return seating.join(table_id=table_id, player=player, origin=origin)
