"""Measure the delay of turn ends with many live tables, and the cost of a sweep over idle ones."""

from __future__ import annotations

import json
import sys
import time
from datetime import datetime, timedelta
from typing import Final

from django.db import connection, transaction
from django.utils import timezone

from bench.tables.processor import per_piece, spending
from bench.tables.site import RULES, furnish, percentile, say, took
from core.clock import DatabaseNow
from tables.lobby.table_templates import profiles
from tables.models.deals import Move
from tables.models.tables import StakeMode, Table
from tables.state import clock

SWEEPS: Final = 100
# Seconds per turn in the default pools, before the extra time.
TURN_SECONDS: Final = 30


def timers(live: int) -> None:
    """Let every turn of so many tables run out within one turn's time; sweep once a second.

    No rules can have more: then the next seat's time begins. A turn counts as late until the sweep
    that ended it was through with all of its tables.
    """
    # The deadlines are set below, so that no turn ends while other tables are opened.
    games = furnish(live, 2, RULES.with_(name="bench-timers", extra_seconds=0))
    # Two beats: the time it took to open the tables is an outage, and over.
    for _ in range(2):
        clock.sweep()
    first = timezone.now() + timedelta(seconds=2)
    due_at = {
        game.table.pk: first + timedelta(seconds=TURN_SECONDS * number / live)
        for number, game in enumerate(games)
    }
    with transaction.atomic():
        for table, due in due_at.items():
            Table.objects.filter(pk=table).update(due_at=due, armed_at=timezone.now())
    through: dict[datetime, datetime] = {}
    until = time.monotonic() + TURN_SECONDS + 5
    with spending() as used:
        while (began := time.monotonic()) < until:
            now = timezone.now()
            clock.sweep(now=now)
            through[now] = timezone.now()
            time.sleep(max(0.0, 1.0 - (time.monotonic() - began)))
    made = Move.objects.filter(ply=1, origin=Move.Origin.CLOCK, deal__table__in=due_at)
    late = [
        (through[at] - due_at[table]).total_seconds()
        for table, at in made.values_list("deal__table", "made_at")
    ]
    say(
        f"timers: {len(late)} of {live} turns ended by the clock, lateness median "
        f"{percentile(late, 0.5):.0f} ms, p99 {percentile(late, 0.99):.0f} ms, "
        f"{per_piece(used, len(late))}"
    )


def sweep(idle: int) -> None:
    """Time a sweep over tables without a due deadline, and one query of due tables."""
    profile = profiles.register_profile(RULES)
    later = timezone.now() + timedelta(hours=1)
    for first in range(0, idle, 10_000):
        Table.objects.bulk_create(
            Table(
                profile=profile,
                name="idle",
                stake_mode=StakeMode.CHIPS,
                currency="PTS",
                entry_minor=0,
                owner_ref="bench",
                phase=Table.Phase.PLAYING,
                due_at=later,
                armed_at=later,
            )
            for _ in range(min(10_000, idle - first))
        )
        print(f"  {min(first + 10_000, idle)} of {idle} idle tables", file=sys.stderr, flush=True)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE tables_table")
    clock.sweep()
    with spending() as used:
        whole = [took(clock.sweep) for _ in range(SWEEPS)]
    due = [took(due_tables) for _ in range(SWEEPS)]
    say(
        f"sweep: over {idle} idle tables median {percentile(whole, 0.5):.1f} ms with beat, bots "
        f"and lobby, {per_piece(used, SWEEPS)}; {percentile(due, 0.5):.2f} ms for what is due, for "
        f"which PostgreSQL works {served():.3f} ms"
    )


def served() -> float:
    """Return the milliseconds in which the database server finds the due tables."""
    due = Table.objects.clock_due(DatabaseNow()).values_list("pk", flat=True)
    plan = due.explain(analyze=True, format="json")
    return float(json.loads(plan)[0]["Execution Time"])


def due_tables() -> None:
    list(Table.objects.clock_due(DatabaseNow()).values_list("pk", flat=True))
