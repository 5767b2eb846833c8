"""Hosted tables, run by a tournament: for chips, with all players seated at once.

The caller may hold locks taken before the table's; everything runs in the caller's transaction.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

from core.clock import database_now
from players.accounts.models import User
from tables.games import game_of, opening
from tables.models.deals import Deal
from tables.models.seats import Seat
from tables.models.tables import StakeMode, Table
from tables.models.templates import RuleProfile
from tables.play import client_seeds, dealing
from tables.seats import origins
from tables.settlement import finishing
from tables.state import phases
from tables.state.locks import LockedTable, lock_table, snapshot_of
from tables.state.publishing import publish
from tables.state.rules import rules_of
from wallet.ledger.models import Account


def open_table(
    *,
    profile: RuleProfile,
    name: str,
    owner_ref: str,
    players: Sequence[User],
    stop_at_survivors: int,
    currency: str,
    entry_minor: int,
    rake_bps: int,
    prize_minor: int = 0,
    absent: Collection[User] = (),
    rejoin_account: Account | None = None,
    extra_chips: Mapping[int, int] | None = None,
    came_from: Mapping[int, Mapping[str, str]] | None = None,
) -> LockedTable:
    """Open a table for chips, seat these players and deal, or start the countdown to the deal.

    In the countdown browsers add their seeds to the first deal (RB 12.1); bots need none.
    `prize_minor` is the sum of the tournament's prizes so far, which the table shows. A game that
    supports it stops when no more than `stop_at_survivors` are left. If an account
    for rejoins is given, they cost `entry_minor` each. `extra_chips` are added to the start of
    players, by their keys; only games of chips use them. `came_from` holds `origins.hashes` by
    player key, for players whose origin is known.
    """
    table = opening.open_table(
        profile=profile,
        name=name,
        currency=currency,
        entry_minor=entry_minor,
        rake_bps=rake_bps,
        seats_min=len(players),
        seats_max=len(players),
        owner_ref=owner_ref,
        stake_mode=StakeMode.CHIPS,
        stop_at_survivors=stop_at_survivors if game_of(profile).may_stop_early else 1,
        rejoins_open=rejoin_account is not None,
    )
    table.rejoin_account, table.owner_prize_minor = rejoin_account, prize_minor
    table.save(update_fields=["rejoin_account", "owner_prize_minor"])
    away = {player.pk for player in absent}
    seats = Seat.objects.bulk_create(
        Seat(
            table=table,
            player=player,
            is_absent=player.pk in away,
            extra_chips=(extra_chips or {}).get(player.pk, 0),
        )
        for player in players
    )
    for seat in seats:
        snapshot_of(table).add_seat(seat)
    origins.note_origins(seats, came_from or {})
    start_seconds, now = rules_of(profile).start_seconds, database_now()
    if start_seconds and not client_seeds.all_given(table):
        phases.arm(table, start_seconds, now)
    else:
        dealing.start_game(table, now)
    publish(table)
    return table


def make_last_deal(*, table_id: int, now: datetime) -> None:
    """Make the deal on the table the last one; between two deals, end the game at once."""
    table = lock_table(table_id)
    if table.is_over or table.is_last_deal:
        return
    table.is_last_deal = True
    table.save(update_fields=["is_last_deal"])
    if table.phase == Table.Phase.BETWEEN:
        game_of(table).end_here(table, now)
        publish(table)


def stop_table(table: LockedTable, now: datetime) -> None:
    """End a table without assigning places; its results do not count."""
    deal = snapshot_of(table).deal
    if deal is not None and deal.status in (Deal.Status.PLAYING, Deal.Status.ENDED):
        game_of(table).call_off(table, deal, now)
    else:
        finishing.close(table, Table.Phase.CANCELLED, now)
    publish(table)
