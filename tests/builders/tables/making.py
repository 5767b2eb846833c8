"""Builders of players, rules and tables, valid by default."""

from __future__ import annotations

from datetime import timedelta
from itertools import count
from typing import Any

from core.clock import database_now
from players.accounts.models import User
from rummy import PROFILES, Rules
from tables.games import opening
from tables.lobby.table_templates import profiles
from tables.models.seats import Seat
from tables.models.tables import Table
from tables.seats import seating
from tests.builders.processes import clocks
from tests.builders.tables.playing import reread
from tests.builders.wallet.players import OF_AGE, create_user, verify_email
from wallet.bonuses import play_points

POOL_101 = PROFILES["total-rummy-pool-101"]
NO_PAUSES = {"gap_seconds": 0, "toss_seconds": 0, "start_seconds": 0}

_numbers = count(1)


def make_player(**fields: Any) -> User:
    number = next(_numbers)
    fields = {"handle": f"player_{number}", "email": f"player_{number}@example.com"} | fields
    player = create_user(**OF_AGE | fields)
    if player.country:
        verify_email(player)
    play_points.grant_sign_up(player=player)
    return player


def make_rules(**overrides: Any) -> Rules:
    """Return Pool 101 without pauses; other rules get a name of their own, as they must."""
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
    return opening.open_table(profile=profile, **fields)


def make_game(*, players: int = 2, **overrides: Any) -> Table:
    """Return a table where every seat is taken and the first turn has begun."""
    table = make_table(seats_min=players, seats_max=players, **overrides)
    for _ in range(players):
        seating.join(table_id=table.pk, player=make_player())
    return reread(table)


def sat(player: User, *, begun: timedelta, lasted: timedelta | None) -> None:
    """Let a player have sat at a table from so long ago for so long, or until now."""
    with clocks.at_time(database_now() - begun):
        seat = Seat.objects.create(table=make_table(), player=player)
    if lasted is not None:
        Seat.objects.filter(pk=seat.pk).update(left_at=seat.joined_at + lasted)
