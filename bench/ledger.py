"""Measure transfers per second, compared with pgbench and plain SQL in the same run.

    python -m bench.ledger [--seconds 2] [--rounds 3]

Two references, measured in alternation with the cases: pgbench's own TPC-B (prepared, 8 clients, 2
threads, scale 10), and the least any ledger could do: one UPDATE and one INSERT in a transaction,
through psycopg, on tables without constraints. Absolute figures say more about the machine than
about the code; compare the ratios.
"""

# ruff: noqa: E402  The servers must run before Django reads its settings.

from __future__ import annotations

import argparse
import os
import random
import re
import statistics
import subprocess
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

from core.db.binaries import reachable_binaries
from devtools import launcher
from devtools.datadir import throwaway_datadir

os.environ.setdefault("RUMMY_EPHEMERAL", "1")
os.environ.setdefault("LOG_LEVEL", "WARNING")  # A line for each transfer is not what is measured.
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings_test")
# Durable, unlike the tests' servers: a commit that does not reach the disk is no commit.
_servers = None if launcher.are_configured() else launcher.start(throwaway_datadir())

import django

django.setup()

from django.core.management import call_command
from django.db import connection

from players.accounts.models import User
from wallet.audit.audit import audit
from wallet.ledger import accounts, posting
from wallet.ledger.models import Account, Transfer
from wallet.stakes.rake import RAKE_SHARDS

PLAYERS = 400
FUNDS = 1_000_000_00
PGBENCH = "pgbench TPC-B, 8 clients"
Case = Callable[[random.Random], None]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    try:
        furnish()
        titles = ("processes", "per second", "to pgbench", "to plain SQL")
        print(f"{'case':<34}" + "".join(f"{title:>14}" for title in titles))
        for processes in (1, 4):
            compare(processes, options.seconds, options.rounds)
        drop_references()
        report = audit()
        print(f"audit: {report.entries} entries in {report.seconds} s, clean: {report.is_clean}")
    finally:
        connection.close()
        if _servers is not None:
            _servers.stop()


def furnish() -> None:
    """Make the schema and players with money; as the owner, whose tables the reference needs."""
    call_command("migrate", verbosity=0)
    pgbench("--initialize", "--scale=10", "--quiet")
    with connection.cursor() as cursor:
        cursor.execute("CREATE TABLE plain_account (id int PRIMARY KEY, balance bigint)")
        cursor.execute("CREATE TABLE plain_entry (account int, amount bigint)")
        numbers = "SELECT n, 0 FROM generate_series(1, 4 * %s) AS n"
        cursor.execute(f"INSERT INTO plain_account {numbers}", [PLAYERS])
        cursor.execute("SELECT ledger_mark_demo()")  # Others have no policies without a document.
        # Only postings are measured, without the rows of their documents.
        cursor.execute(
            "INSERT INTO wallet_policy (kind, document, of_one_player)"
            " VALUES ('adjustment', '', false), ('grant', '', false)"
        )
    for number in range(PLAYERS):
        player = User.objects.create_user(handle=f"b{number}", is_bot=True)
        mine = accounts.open_player_accounts(player=player, currency="PTS")
        source = accounts.operator_account(kind=Account.Kind.PROMOTIONS, currency="PTS")
        posting.post(
            key=f"fund:{number}",
            kind=Transfer.Kind.GRANT,
            entries=[(source, -FUNDS), (mine[Account.Kind.DEPOSIT], FUNDS)],
        )
    for shard in range(RAKE_SHARDS):
        accounts.operator_account(kind=Account.Kind.RAKE, currency="PTS", shard=shard)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    connection.close()


def drop_references() -> None:
    """Drop the benchmark's tables, which the audit would report."""
    pgbench("--initialize", "--init-steps=d")
    with connection.cursor() as cursor:
        cursor.execute("DROP TABLE plain_account, plain_entry")


def compare(processes: int, seconds: float, rounds: int) -> None:
    """Measure all cases in alternation, so that load of the machine affects all of them."""
    figures: dict[str, list[float]] = {name: [] for name in (PGBENCH, *CASES)}
    with ProcessPoolExecutor(processes, mp_context=get_context("fork")) as pool:
        list(pool.map(measure, [("two entries", 0.5)] * processes))  # Warm up.
        for _ in range(rounds):
            figures[PGBENCH].append(tpc_b(seconds))
            for name in CASES:
                figures[name].append(sum(pool.map(measure, [(name, seconds)] * processes)))
    middle = {name: statistics.median(found) for name, found in figures.items()}
    for name, rate in middle.items():
        ratios = (rate / middle[PGBENCH], rate / middle["plain SQL"])
        how_many = 8 if name == PGBENCH else processes
        print(f"{name:<34}{how_many:>14}{rate:>14.0f}" + "".join(f"{r:>14.2f}" for r in ratios))
    sharded = middle["seven entries, sharded rake"] / middle["six entries"]
    print(f"seven entries with sharded rake to six, {processes} processes: {sharded:.2f}")


def tpc_b(seconds: float) -> float:
    said = pgbench(
        "--protocol=prepared",
        "--client=8",
        "--jobs=2",
        "--no-vacuum",
        f"--time={max(1, round(seconds))}",
    )
    [rate] = re.findall(r"^tps = ([0-9.]+)", said, re.MULTILINE)
    return float(rate)


def pgbench(*options: str) -> str:
    """Run pgbench on the same database as its owner, and return its output."""
    connection.ensure_connection()
    there = connection.connection.info
    where = ("-h", there.host, "-p", str(there.port), "-U", there.user, there.dbname)
    connection.close()  # Workers are forked, and must not inherit it.
    command = [reachable_binaries() / "pgbench", *options, *where]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def measure(work: tuple[str, float]) -> float:
    """Repeat one case for some seconds in this process; return how often per second."""
    name, seconds = work
    if "assume_role" not in connection.settings_dict["OPTIONS"]:
        connection.settings_dict["OPTIONS"]["assume_role"] = "rummy_app"
        connection.close()
    case, dice, times = CASES[name], random.Random(os.urandom(8)), 0
    began = time.monotonic()
    while time.monotonic() - began < seconds:
        case(dice)
        times += 1
    return times / (time.monotonic() - began)


def plain_sql(dice: random.Random) -> None:
    connection.ensure_connection()
    raw = connection.connection
    account = dice.randrange(1, 4 * PLAYERS)
    with raw.transaction(), raw.cursor() as cursor:
        cursor.execute(
            "UPDATE plain_account SET balance = balance + 1 WHERE id = %s", [account], prepare=True
        )
        cursor.execute("INSERT INTO plain_entry VALUES (%s, 1)", [account], prepare=True)


def two_entries(dice: random.Random) -> None:
    payer, payee = dice.sample(deposits(), 2)
    post(dice, [(payer, -1), (payee, 1)])


def one_hot_account(dice: random.Random) -> None:
    post(dice, [(dice.choice(deposits()), -1), (rake_shards()[0], 1)])


def six_entries(dice: random.Random) -> None:
    """A payout among six."""
    *payers, winner = dice.sample(deposits(), 6)
    post(dice, [*((payer, -10) for payer in payers), (winner, 50)])


def settlement(dice: random.Random) -> None:
    """A payout among six with rake: seven entries, the rake on one of sixteen shards."""
    *payers, winner = dice.sample(deposits(), 6)
    rake = (dice.choice(rake_shards()), 5)
    post(dice, [*((payer, -10) for payer in payers), (winner, 45), rake])


def post(dice: random.Random, entries: list[posting.Entry]) -> None:
    key = f"bench:{dice.getrandbits(96):x}"
    posting.post(key=key, kind=Transfer.Kind.ADJUSTMENT, entries=entries)


def deposits() -> list[int]:
    return _pks(Account.Kind.DEPOSIT)


def rake_shards() -> list[int]:
    return _pks(Account.Kind.RAKE)


def _pks(kind: str, known: dict[str, list[int]] = {}) -> list[int]:  # noqa: B006  One per process.
    if kind not in known:
        accounts_of_kind = Account.objects.filter(kind=kind, currency="PTS")
        known[kind] = list(accounts_of_kind.values_list("pk", flat=True))
    return known[kind]


CASES: dict[str, Case] = {
    "plain SQL": plain_sql,
    "two entries": two_entries,
    "six entries": six_entries,
    "seven entries, sharded rake": settlement,
    "two entries, one hot account": one_hot_account,
}

if __name__ == "__main__":
    main()
