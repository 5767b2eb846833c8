"""Games of bots for simulations and checks, run by the workers like all games."""

from __future__ import annotations

from contextlib import suppress
from typing import Final

from django.db.models import QuerySet

from players.accounts.models import User
from tables.bots import bots
from tables.exceptions import NotInPlay
from tables.games import game_of, opening
from tables.history.fairness import seeds
from tables.models.deals import Deal, Move
from tables.models.profiles import RuleProfile
from tables.models.tables import Table
from tables.seats import seating
from wallet.bonuses import play_points
from wallet.exceptions import InsufficientFunds
from wallet.ledger.money import PLAY_POINTS

# Attempts; bots play at several tables at once and pay for rejoins and stacks there.
SEATED_WITHIN: Final = 10


def open_bot_game(
    *,
    profile: RuleProfile,
    name: str,
    players: int,
    entry_minor: int = 0,
    point_value_minor: int = 0,
    rake_bps: int = 0,
) -> Table:
    """Open a table that the lobby does not show, and fill it with bots, which starts it."""
    table = opening.open_table(
        profile=profile,
        name=name,
        currency=PLAY_POINTS,
        entry_minor=entry_minor,
        point_value_minor=point_value_minor,
        rake_bps=rake_bps,
        seats_min=players,
        seats_max=players,
        owner_ref=seeds.SIMULATION,
    )
    for bot in bots.bots_for(table, players):
        _seat(table, bot)
    table.refresh_from_db()
    return table


def _seat(table: Table, bot: User) -> None:
    """Seat a bot; top up its points again if another of its tables has used them."""
    stack = game_of(table).bot_stack(table)
    for tries_left in reversed(range(SEATED_WITHIN)):
        play_points.ensure_points(player=bot, at_least=stack)
        try:
            seating.join(table_id=table.pk, player=bot, stack=stack)
        except InsufficientFunds:
            if not tries_left:
                raise
        else:
            return


def send_home(table: Table) -> None:
    """Let all players leave an open-ended table, which does not end otherwise."""
    for seat in table.seats.present():
        with suppress(NotInPlay):  # The table closed when another player left.
            seating.leave(seat_id=seat.pk)


def progress(tables: QuerySet[Table]) -> str:
    """Return one line about the games' progress."""
    deals = Deal.objects.settled().filter(table__in=tables).count()
    moves = Move.objects.filter(deal__table__in=tables).count()
    return f"{deals} deals settled, {moves} moves"
