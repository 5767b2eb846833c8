"""Quick seating: the best open table that matches a filter."""

from __future__ import annotations

from typing import Final

from django.utils.translation import gettext as _

from players.accounts.models import User
from players.exceptions import LossLimitReached, SharedInterest, StakeLimitReached
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

# Refusals by one table; another one may still be free or have other terms.
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
    """Seat the player at the table with the fewest free seats, then the lowest price.

    Without a currency only play-point tables match. Tables that fill up meanwhile are skipped;
    raise `NoTableFits` if none is left. While cards are played, a client seed is not given.
    """
    opening.keep_lobby_stocked()
    rows = [row for row in lobby_rows(player, wanted) if not row.mine]
    if not wanted.currency:
        rows = [row for row in rows if row.entry.currency == PLAY_POINTS]
    too_dear: InsufficientFunds | StakeLimitReached | LossLimitReached | None = None
    for row in sorted(rows, key=lambda row: (row.seats_free, row.entry.minor)):
        table_id = Table.objects.values_list("pk", flat=True).get(public_id=row.id)
        try:
            return _join(table_id, player, origin, client_seed)
        except PASSED_OVER:
            continue
        except (InsufficientFunds, StakeLimitReached, LossLimitReached) as refusal:
            too_dear = refusal
    raise too_dear or NoTableFits(
        _("No open table matches your filters. Change them or try again later.")
    )


def _join(table_id: int, player: User, origin: Origin | None, client_seed: str) -> Seat:
    try:
        return seating.join(
            table_id=table_id, player=player, origin=origin, client_seed=client_seed
        )
    except ClientSeedLate:  # This points table is playing a deal.
        return seating.join(table_id=table_id, player=player, origin=origin)
