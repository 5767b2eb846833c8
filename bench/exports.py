"""Compare the journal as CSV, streamed by the API, with PostgreSQL's COPY of the same query.

    python -m bench.exports [--rows 1000000] [--rounds 3]

The ledger is filled by plain INSERTs, its guards held back, for it is reading that is measured:
two thirds of the transfers have two entries, one third seven. The export is what a token's bearer
gets, from the request to the last byte: header, rows, control totals, and the record with its
SHA-256. COPY is psql's, of the same columns in the same order, its answer thrown away. Both take
turns; the ratio of the medians and the growth of this process's memory are what is promised (0.3,
50 MB).
"""

# ruff: noqa: E402  The servers must run before Django reads its settings.

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import time
from pathlib import Path

os.environ.setdefault("RUMMY_EPHEMERAL", "1")
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings_test")

import django

django.setup()

from django.core.management import call_command
from django.db import connection
from django.test import Client, override_settings
from django.urls import reverse

from core.db.binaries import reachable_binaries
from finance.tokens.actions import create_token
from players.accounts.models import User
from wallet.ledger import accounts
from wallet.ledger.models import Account, Entry
from wallet.management.commands.restore import pass_transactions

RATIO_WANTED, GROWTH_ALLOWED_MB = 0.3, 50
PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
PLAYERS = 400
FILL = """
    SET session_replication_role = replica;
    INSERT INTO wallet_transfer (public_id, key, fingerprint, kind, entry_count, memo, actor,
        document, game, xid, booked_on, effective_at, created_at)
    SELECT gen_random_uuid(), 'bench:' || n, '', 'buy_in', CASE n % 3 WHEN 0 THEN 7 ELSE 2 END,
        'of a table', 'sweep', '', '', n / 4, current_date, clock_timestamp(), clock_timestamp()
    FROM generate_series(1, {transfers}) AS n;
    WITH legs AS (
        SELECT t.id AS transfer, t.booked_on, (t.id * 7919 + leg) % {accounts} AS place,
            CASE WHEN leg < t.entry_count THEN -10 ELSE 10 * (t.entry_count - 1) END AS amount
        FROM wallet_transfer AS t, generate_series(1, t.entry_count) AS leg
    ), placed AS (
        SELECT transfer, booked_on, amount, (ARRAY[{ids}]::bigint[])[place + 1] AS account FROM legs
    )
    INSERT INTO wallet_entry (transfer_id, account_id, currency, booked_on, kind, amount_minor,
        balance_after_minor, account_version)
    SELECT transfer, account, 'PTS', booked_on, 'buy_in', amount, sum(amount) OVER mine,
        row_number() OVER mine
    FROM placed WINDOW mine AS (PARTITION BY account ORDER BY transfer ROWS UNBOUNDED PRECEDING)
    ORDER BY transfer;
    SET session_replication_role = DEFAULT;
    ANALYZE;
"""
COPY = """
    COPY (
        SELECT a.public_id, e.account_version, t.public_id, t.key, t.kind, t.booked_on,
            t.effective_at, t.created_at, a.public_id, a.kind, a.ref, e.account_version,
            p.public_id, e.currency, e.amount_minor, e.amount_minor, e.balance_after_minor,
            r.public_id, t.memo, t.actor
        FROM wallet_entry AS e
            JOIN wallet_transfer AS t ON t.id = e.transfer_id
            JOIN wallet_account AS a ON a.id = e.account_id
            LEFT JOIN players_user AS p ON p.id = a.player_id
            LEFT JOIN wallet_transfer AS r ON r.id = t.reverses_id
        ORDER BY t.xid, e.id
    ) TO STDOUT (FORMAT csv)
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    began = time.monotonic()
    furnish(options.rows)
    print(f"{Entry.objects.count()} entries written in {time.monotonic() - began:.0f} s")

    _, token = create_token(name="bench", scopes=["journal"], created_by=None)
    export(token, to="2000-01-01")  # Whatever is loaded at the first request is loaded.
    copies, exports, growths = [], [], []
    for _ in range(options.rounds):
        copies.append(plain_copy())
        rows, seconds, growth = export(token)
        exports.append(seconds)
        growths.append(growth)
        print(f"COPY {copies[-1]:.2f} s, export {seconds:.2f} s, {growth:.1f} MB")
    copied, exported = statistics.median(copies), statistics.median(exports)
    ratio, growth = copied / exported, max(growths)
    print(
        f"{rows} rows: COPY {copied:.2f} s, export {exported:.2f} s ({rows / exported:.0f} a "
        f"second), ratio {ratio:.2f} (wanted: {RATIO_WANTED}), memory grew by {growth:.1f} MB "
        f"(allowed: {GROWTH_ALLOWED_MB})"
    )


def furnish(rows: int) -> None:
    """Fill the ledger as its owner; eleven entries go to three transfers."""
    call_command("migrate", verbosity=0)
    for number in range(PLAYERS):
        player = User.objects.create_user(handle=f"b{number}", is_bot=True)
        accounts.open_player_accounts(player=player, currency="PTS")
    ids = list(Account.objects.filter(kind=Account.Kind.DEPOSIT).values_list("pk", flat=True))
    fill = FILL.format(
        transfers=-(-rows * 3 // 11), accounts=len(ids), ids=", ".join(map(str, ids))
    )
    with connection.cursor() as cursor:
        cursor.execute(fill)
        cursor.execute("VACUUM wallet_entry, wallet_transfer")
    pass_transactions()


def plain_copy() -> float:
    """Return how many seconds psql takes to read the query's answer."""
    began = time.monotonic()
    psql = [str(reachable_binaries() / "psql"), "-qXd", os.environ["DATABASE_URL"], "-c", COPY]
    subprocess.run(psql, check=True, stdout=subprocess.DEVNULL)
    return time.monotonic() - began


def export(token: str, **question: str) -> tuple[int, float, float]:
    """Return the rows of an export, its seconds, and by how much memory was higher during it."""
    headers = {"Authorization": f"Bearer {token}"}
    before = highest = resident_mb()
    rows = -10  # Lines of the header, and the last one.
    began = time.monotonic()
    with override_settings(FINANCE_RATE="1000/min"):
        answer = Client(SERVER_NAME="localhost").get(
            reverse("finance-journal"), {"format": "csv"} | question, headers=headers
        )
    for part in answer.streaming_content:
        rows += part.count(b"\n")
        highest = max(highest, resident_mb())
    return rows, time.monotonic() - began, highest - before


def resident_mb() -> float:
    return int(Path("/proc/self/statm").read_text().split()[1]) * PAGE_BYTES / 2**20


if __name__ == "__main__":
    main()
