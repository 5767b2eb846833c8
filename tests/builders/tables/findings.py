"""Games for rupees that a pair has won, and findings about the pair."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from django.utils import timezone

from players.accounts.models import User
from tables.integrity.collusion.models import Finding
from tables.models.tables import Table
from tables.seats import seating
from tests.builders.tables.making import make_player
from tests.builders.tables.playing import reread
from tests.builders.tables.points_tables import make_points_table
from tests.builders.tables.pools import finished_pool
from tests.builders.wallet.players import admit_to_cash, fund
from wallet.ledger.days import site_day
from wallet.ledger.money import as_money


def make_cash_player(minor: int = 1_000_00) -> User:
    player = admit_to_cash(make_player())
    fund(player, deposit=minor)
    return player


def won_game(players: Sequence[User], winner: User) -> Table:
    """A pool of 100.00 each, at a fee of 10 %, that this player has won in its first deal."""
    return finished_pool(players, winner, currency="INR")


def points_game(players: Sequence[User]) -> Table:
    """A points table at 1.00 a point whose people have stacks of 200.00."""
    table = make_points_table(seats_min=len(players), currency="INR", rake_bps=1_000)
    for player in players:
        seating.join(table_id=table.pk, player=player, stack=as_money(200_00, "INR"))
    return reread(table)


def make_finding(one: User, other: User, **overrides: Any) -> Finding:
    """A finding about two players for the four weeks up to tomorrow."""
    first, second = sorted((one, other), key=lambda player: player.pk)
    today = site_day()
    fields = {
        "one": first,
        "other": second,
        "currency": "INR",
        "first_day": today - timedelta(days=27),
        "last_day": today + timedelta(days=1),
        "group_key": first.pk,
        "tests": 1_000,
        "threshold": 3.9,
        "found_at": timezone.now(),
    }
    return Finding.objects.create(**fields | overrides)
