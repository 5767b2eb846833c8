"""Small builders, valid by default, for the tests of tables."""

from __future__ import annotations

from itertools import count
from typing import Any

from players.models import User
from rummy import PROFILES, Rules
from tables.models import Seat, Table
from tables.services import lobby, profiles, seating
from wallet.services import play_points

POOL_101 = PROFILES["total-rummy-pool-101"]
NO_PAUSES = {"gap_seconds": 0, "toss_seconds": 0, "start_seconds": 0}

_numbers = count(1)


def make_player(**fields: Any) -> User:
    number = next(_numbers)
    fields = {"handle": f"player_{number}", "email": f"player{number}@example.com"} | fields
    player = User.objects.create_user(**fields)
    play_points.grant_sign_up(player=player)
    return player


def make_rules(**overrides: Any) -> Rules:
    """Pool 101 without pauses; overrides get a name of their own, as rules must."""
    changed = NO_PAUSES | overrides
    name = "-".join(f"{field}={value}" for field, value in sorted(changed.items()))
    return POOL_101.with_(name=f"test {name}"[:60], **changed)


def make_table(*, rules: Rules | None = None, **overrides: Any) -> Table:
    fields = {
        "name": "Test table",
        "currency": "PTS",
        "entry_minor": 100_00,
        "rake_bps": 1_000,
        "seats_min": 2,
        "seats_max": 2,
    } | overrides
    profile = profiles.register_profile(rules or make_rules())
    return lobby.open_table(profile=profile, **fields)


def make_game(*, players: int = 2, **overrides: Any) -> Table:
    """A table at which everybody sits and the first turn has begun."""
    table = make_table(seats_min=players, seats_max=players, **overrides)
    for _ in range(players):
        seating.join(table_id=table.pk, player=make_player())
    return reread(table)


def reread(table: Table) -> Table:
    return Table.objects.select_related("profile").get(pk=table.pk)


def seat_at(table: Table, position: int) -> Seat:
    deal = table.deals.get(no=table.deal_no)
    return deal.deal_seats.select_related("seat__player").get(position=position).seat
