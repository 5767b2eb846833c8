"""What a move costs beside few tables and beside many, and what it writes.

    python -m bench.growth [--tables 10 1000 10000] [--moves 400]

At eight tables of two people moves are made through the service, while so many other tables are in
play in the same database: copies of one of the eight, with its seats, its deal and all its moves.
Beside the rate, which depends on what else the machine does, it prints processor time, bytes of
WAL, rows read and messages to Redis, each per move.
"""

from __future__ import annotations

import argparse
import os
import time
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.db import close_old_connections, connection, transaction
from django.db.models import Model

from bench.tables.processor import per_piece, spending
from bench.tables.site import Game, furnish, say
from core.redis import servers
from tables.table.deal_models import Deal, DealSeat, Move
from tables.table.models import Table
from tables.table.seat_models import Seat

PLAYED: int = 30
GUARDED = ("tables_table", "tables_seat", "tables_deal", "tables_dealseat", "tables_move")
OTHER_KEYS = ("id", "public_id", "table_id", "deal_id", "seat_id", "escrow_account_id")
HELD = "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'"
READ = (
    "SELECT sum(seq_tup_read + idx_tup_fetch) FROM pg_stat_user_tables WHERE relname ~ '^tables_'"
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, nargs="+", default=[10, 1_000, 10_000])
    parser.add_argument("--moves", type=int, default=400)
    options = parser.parse_args()
    call_command("migrate", verbosity=0)
    say(f"machine: {os.cpu_count()} processors, load {os.getloadavg()[0]:.1f} before the run")
    games = furnish(8, 2)
    for _ in range(PLAYED):
        games[0].step()
    for tables in options.tables:
        grow(games[0].table, tables)
        measure([game for game in games[1:] if not game.is_over], tables, options.moves)
    close_old_connections()


def measure(games: list[Game], tables: int, moves: int) -> None:
    """Make moves at these tables in turn, and print what each of them cost."""
    for game in games:  # A deal that this process has not seen yet begins with its shuffle.
        game.step()
    before = figures()
    began = time.perf_counter()
    with spending() as used:
        for number in range(moves):
            games[number % len(games)].step()
    rate = moves / (time.perf_counter() - began)
    each = {name: (value - before[name]) / moves for name, value in figures().items()}
    shown = ", ".join(f"{value:.1f} {name}" for name, value in each.items())
    say(f"{tables:>6} tables: {rate:.0f} moves/s, {per_piece(used, moves)}; {shown}")


def figures() -> dict[str, float]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_stat_force_next_flush()")
        cursor.execute(f"SELECT pg_current_wal_lsn() - '0/0'::pg_lsn, ({READ})")
        wal, read = cursor.fetchone()
    time.sleep(0.2)  # Until the thread that broadcasts has sent what waits.
    sent = servers.client(settings.REDIS_URL).info("commandstats")
    published = sent.get("cmdstat_publish", {}).get("calls", 0)
    return {"bytes of WAL": float(wal), "rows read": float(read), "messages": float(published)}


def connections() -> int:
    """Return how many connections PostgreSQL holds for clients."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'"
        )
        [held] = cursor.fetchone()
    return int(held)


def grow(template: Table, tables: int) -> None:
    """Copy a table with all its rows until the database holds so many."""
    more = tables - Table.objects.count()
    if more <= 0:
        return
    with transaction.atomic(), connection.cursor() as cursor:
        for name in GUARDED:
            cursor.execute(f"ALTER TABLE {name} DISABLE TRIGGER USER")
        cursor.execute("SELECT max(id) FROM tables_table")
        [newest] = cursor.fetchone()
        said = {"template": template.pk, "newest": newest, "more": more}
        for copying in (_tables(), *_rows()):
            cursor.execute(copying, said)
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")  # No trigger is altered while one waits.
        for name in GUARDED:
            cursor.execute(f"ALTER TABLE {name} ENABLE TRIGGER USER")
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")


def _columns(model: type[Model], alias: str) -> tuple[str, str]:
    """Return the columns that a copy has as they are: to insert, and to select from an alias."""
    fields: Any = model._meta.concrete_fields
    names = [field.column for field in fields if field.column not in OTHER_KEYS]
    return ", ".join(names), ", ".join(f"{alias}.{name}" for name in names)


def _tables() -> str:
    to, values = _columns(Table, "t")
    values = values.replace("t.stake_mode", "'chips'")
    return (
        f"INSERT INTO tables_table (public_id, {to}) SELECT gen_random_uuid(), {values}"  # noqa: S608
        " FROM tables_table t, generate_series(1, %(more)s) WHERE t.id = %(template)s"
    )


def _rows() -> tuple[str, ...]:
    """Return what copies a table's rows to the new tables; seats are told apart by their number."""
    new = "JOIN tables_table n ON n.id > %(newest)s"
    deal = "JOIN tables_deal d ON d.table_id = n.id"
    seat = (
        "JOIN tables_seat was ON was.id = o.seat_id"
        " JOIN tables_seat s ON s.table_id = n.id AND s.number = was.number"
    )
    kinds = (
        (Seat, "table_id", "n.id", new),
        (Deal, "public_id, table_id", "gen_random_uuid(), n.id", new),
        (DealSeat, "table_id, deal_id, seat_id", "n.id, d.id, s.id", f"{new} {deal} {seat}"),
        (Move, "table_id, deal_id, seat_id", "n.id, d.id, s.id", f"{new} {deal} {seat}"),
    )
    copied = []
    for model, keys, values, joins in kinds:
        to, kept = _columns(model, "o")
        name = model._meta.db_table
        where = "o.table_id = %(template)s" + (" AND o.no = 1" if model is Deal else "")
        copied.append(
            f"INSERT INTO {name} ({keys}, {to}) SELECT {values}, {kept}"  # noqa: S608
            f" FROM {name} o {joins} WHERE {where}"
        )
    return tuple(copied)


if __name__ == "__main__":
    main()
