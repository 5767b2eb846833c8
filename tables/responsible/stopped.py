"""Seats of players who may no longer play; no further game begins with them."""

from __future__ import annotations

from collections import defaultdict

from players.eligibility.stops import stopped
from tables.models.profiles import StakeMode
from tables.models.seats import Seat
from tables.models.tables import Table
from wallet.ledger.cash_offered import act_of


def stopped_seats(table: Table) -> list[Seat]:
    """Return a table's seats of stopped players; none at tournament tables, which are free."""
    if table.stake_mode != StakeMode.CASH:
        return []
    seats = list(table.seats.present().prefetch_related("player").order_by("pk"))
    players = stopped([seat.player_id for seat in seats], act_of(table.currency))
    return [seat for seat in seats if seat.player_id in players]


def stopped_at_waiting_tables() -> list[int]:
    """Return the keys of seats of stopped players at all waiting tables."""
    waiting = Seat.objects.present().filter(
        table__phase=Table.Phase.WAITING, table__stake_mode=StakeMode.CASH
    )
    seats = defaultdict(list)
    for seat, player, currency in waiting.values_list("pk", "player", "table__currency"):
        seats[act_of(currency)].append((seat, player))
    found = []
    for act, pairs in seats.items():
        players = stopped([player for _seat, player in pairs], act)
        found += [seat for seat, player in pairs if player in players]
    return found
