"""Quick seating: the best open table that matches a filter."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from django.utils.translation import gettext as _
from moneyed import Money

from players.accounts.models import User
from players.exceptions import LossLimitReached, SharedInterest, StakeLimitReached
from tables.exceptions import (
    AlreadySeated,
    BlockBetween,
    NoTableFits,
    SameDevice,
    SameNetwork,
    TableFull,
    TableNotWaiting,
)
from tables.games import opening
from tables.lobby.offers import NO_FILTER, Listed, LobbyFilter, lobby_tables
from tables.models.seats import Seat
from tables.models.tables import Table
from tables.ratings.near import is_far, ratings_of
from tables.seats import seating
from tables.seats.origins import Origin
from wallet.exceptions import InsufficientFunds
from wallet.ledger.money import PLAY_POINTS

# The free seats as which far ratings count.
FAR_SEATS: Final = 2
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

    A table whose players' ratings are far from the player's own counts as one with two more free
    seats: it comes later, and is never refused. Without a currency only play-point tables match.
    Tables that fill up meanwhile are skipped, and those where somebody sits from whom a block keeps
    the player; if no other is left, one more of the same kind is opened. Raise `NoTableFits` if
    there is none.
    """
    opening.keep_lobby_stocked()
    if not wanted.currency:
        wanted = replace(wanted, currency=PLAY_POINTS)
    listed = [each for each in lobby_tables(player) if not each.row.mine and wanted.fits(each.row)]
    own = ratings_of(player)

    def rank(each: Listed) -> tuple[int, int]:
        further = FAR_SEATS if is_far(own, each.table, each.row.rating) else 0
        return each.row.seats_free + further, each.row.entry.minor

    apart: Table | None = None
    too_dear: InsufficientFunds | StakeLimitReached | LossLimitReached | None = None
    for table, _row in sorted(listed, key=rank):
        try:
            return seating.join(
                table_id=table.pk, player=player, origin=origin, client_seed=client_seed
            )
        except BlockBetween:
            apart = apart or table
        except PASSED_OVER:
            continue
        except (InsufficientFunds, StakeLimitReached, LossLimitReached) as refusal:
            too_dear = refusal
    if apart is not None and apart.template_id is not None:
        return sit_apart(table=apart, player=player, origin=origin, client_seed=client_seed)
    raise too_dear or NoTableFits(
        _("No open table matches your filters. Change them or try again later.")
    )


def sit_apart(
    *,
    table: Table,
    player: User,
    origin: Origin | None = None,
    client_seed: str = "",
    stack: Money | None = None,
) -> Seat:
    """Seat the player at another table of the same kind, which is opened if there is none.

    Called where a block keeps the player from a public table.
    """
    assert table.template_id is not None, "a table of the lobby has a template"
    alike = Table.objects.joinable().filter(template=table.template_id).exclude(pk=table.pk)
    for other in alike.order_by("pk"):
        try:
            return seating.join(
                table_id=other.pk,
                player=player,
                stack=stack,
                origin=origin,
                client_seed=client_seed,
            )
        except PASSED_OVER:
            continue
    another = opening.open_another(template_id=table.template_id)
    return seating.join(
        table_id=another.pk, player=player, stack=stack, origin=origin, client_seed=client_seed
    )
