"""The tables that a player takes part in; see `players.accounts.conflicts_of_interest`."""

from __future__ import annotations

from collections.abc import Collection

from django.db import models
from django.db.models import F, Q

from players.accounts.models import User
from tables.models.seats import Seat
from tables.models.tables import Drain, Table, open_ended
from tables.models.templates import TableTemplate
from tables.state.locks import lock_tables
from wallet.ledger.models import Account

# At open-ended tables, a player who has left shares only the deals they were dealt into.
_HAS_A_PART = (
    Q(left_at__isnull=True)
    | ~open_ended("table__")
    | Q(deal_seats__deal__no=F("table__deal_no"), deal_seats__deal__status__in=("playing", "ended"))
)


def lock_games(player_ids: Collection[int]) -> None:
    tables = _live_seats().filter(player__in=player_ids).values("table")
    lock_tables(Table.objects.filter(pk__in=tables))


def opponents_of(player_id: int) -> set[int]:
    tables = _live_seats().filter(player=player_id).values("table")
    seats = _live_seats().filter(table__in=tables).exclude(player=player_id)
    return set(seats.values_list("player_id", flat=True))


def is_in_game(player: User) -> bool:
    return Seat.objects.active().of_player(player).filter(table__finished_at__isnull=True).exists()


def takes_part(player: User, row: models.Model) -> bool:
    if isinstance(row, Table):
        return row.opened_by_id == player.pk or row.seats.of_player(player).exists()
    if isinstance(row, Account):
        return Seat.objects.of_player(player).filter(table__escrow_account=row).exists()
    if isinstance(row, TableTemplate):
        return _live_seats().filter(player=player, table__template=row).exists()
    if isinstance(row, Drain):  # It affects every table.
        return _live_seats().filter(player=player).exists()
    return False


def _live_seats() -> models.QuerySet[Seat]:
    return Seat.objects.filter(_HAS_A_PART, table__finished_at__isnull=True)
