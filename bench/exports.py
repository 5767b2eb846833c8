"""The journal as CSV, streamed by the API, beside PostgreSQL's own COPY of the same query.

    python -m bench.exports [--rows 1000000] [--rounds 3]

The ledger is filled through `ledger_post`. The export is what a token's bearer gets, from the
request to the last byte: header, rows, control totals, and the record with its SHA-256. COPY is
psql's, of the same columns in the same order, its answer thrown away. Both take turns; the ratio of
the medians and the growth of this process's memory are what is promised (0.3, 50 MB).
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

from django.test import Client, override_settings
from django.urls import reverse

from bench.audit import furnish
from config.embedded.postgres import reachable_binaries
from wallet.models import Entry
from wallet.services.finance_tokens import create_token

RATIO_WANTED, GROWTH_ALLOWED_MB = 0.3, 50
PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
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
    print(f"{Entry.objects.count()} entries posted in {time.monotonic() - began:.0f} s")

    _, token = create_token(name="bench", scopes=["journal"], created_by=None)
    export(token, to="2000-01-01")  # Whatever is loaded at the first request is loaded.
    copies, exports, growths = [], [], []
    for _ in range(options.rounds):
        copies.append(plain_copy())
        rows, seconds, growth = export(token)
        exports.append(seconds)
        growths.append(growth)
    copied, exported = statistics.median(copies), statistics.median(exports)
    ratio, growth = copied / exported, max(growths)
    print(
        f"{rows} rows: COPY {copied:.2f} s, export {exported:.2f} s ({rows / exported:.0f} a "
        f"second), ratio {ratio:.2f} (wanted: {RATIO_WANTED}), memory grew by {growth:.1f} MB "
        f"(allowed: {GROWTH_ALLOWED_MB})"
    )


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
        answer = Client().get(
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
