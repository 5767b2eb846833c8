"""Measure the full and the incremental audit of a large ledger, compared with a plain read.

    python -m bench.audit [--entries 100000] [--new 10000] [--rounds 3]

The ledger is filled through `ledger_post`, sealed, and audited; then new entries are posted and
sealed, and full and short audits take turns. Absolute times say as much about the machine and its
other work as about the code; compare the ratios.
"""

# ruff: noqa: E402  The servers must run before Django reads its settings.

from __future__ import annotations

import argparse
import os
import statistics
import time

os.environ.setdefault("RUMMY_EPHEMERAL", "1")
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings_test")

import django

django.setup()

from django.conf import settings
from django.core.management import call_command
from django.db import connection, transaction

from players.accounts.models import User
from wallet.audit import seals, starts
from wallet.audit.audit import QUESTIONS, SETTINGS, START, audit, statement
from wallet.audit.freezes import check_books
from wallet.ledger import accounts
from wallet.ledger.models import Account, Entry
from wallet.stakes.rake import RAKE_SHARDS

PLAYERS = 400
CHUNK = 5_000
READ = "SELECT count(*), sum(amount_minor) FROM wallet_entry"
# Two transfers between two accounts for each settlement of seven entries with sharded rake.
POST = """
DO $$
DECLARE
    deposits bigint[] := ARRAY(
        SELECT id FROM wallet_account WHERE kind = 'deposit' AND currency = 'PTS' ORDER BY id);
    rake bigint[] := ARRAY(
        SELECT id FROM wallet_account WHERE kind = 'rake' AND currency = 'PTS' ORDER BY id);
    funds bigint := (
        SELECT id FROM wallet_account WHERE kind = 'promotions' AND currency = 'PTS');
    first integer := 1 + (SELECT count(*) FROM wallet_transfer);
    payer integer;
BEGIN
    FOR number IN first .. first + {chunk} - 1 LOOP
        payer := 1 + number * 7919::bigint % (cardinality(deposits) - 6);
        IF number <= cardinality(deposits) THEN
            PERFORM ledger_post('bench:' || number, 'grant', ARRAY[funds, deposits[number]],
                ARRAY[-1000000000, 1000000000], ARRAY[NULL, NULL]::text[],
                '{{}}', '', '', NULL, gen_random_uuid());
        ELSIF number % 3 = 0 THEN
            PERFORM ledger_post('bench:' || number, 'adjustment',
                deposits[payer:payer + 5] || rake[1 + number % cardinality(rake)],
                ARRAY[-10, -10, -10, -10, -10, 45, 5], array_fill(NULL::text, ARRAY[7]),
                '{{}}', 'of a table', 'sweep', NULL, gen_random_uuid());
        ELSE
            PERFORM ledger_post('bench:' || number, 'adjustment', deposits[payer:payer + 1],
                ARRAY[-1, 1], ARRAY[NULL, NULL]::text[],
                '{{}}', 'of a table', 'sweep', NULL, gen_random_uuid());
        END IF;
        IF number % 4 = 0 THEN
            COMMIT;
        END IF;
    END LOOP;
END
$$
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--entries", type=int, default=100_000)
    parser.add_argument("--new", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    print(f"load average {os.getloadavg()[0]:.1f}")
    furnish(options.entries)
    began = time.monotonic()
    blocks = len(seals.seal_ledger())
    print(f"sealing {blocks} blocks: {time.monotonic() - began:.2f} s")
    print(f"the first full audit: {check_books().seconds:.2f} s")
    post(options.entries + options.new)
    seals.seal_ledger()

    reads, audits, short = [], [], []
    for _ in range(options.rounds):
        reads.append(plain_read())
        report = audit()
        audits.append(report.seconds)
        new = audit(start=starts.last_clean_start())
        short.append(new.seconds)
    read, took, least = map(statistics.median, (reads, audits, short))
    print(
        f"audit of {report.entries} entries in {report.transfers} transfers: {took:.2f} s, "
        f"{took / read:.0f} times a plain read of the entries ({read * 1000:.0f} ms), "
        f"clean: {report.is_clean}"
    )
    print(
        f"audit of the {new.entries} new ones in {new.transfers} transfers: {least:.2f} s, "
        f"{took / least:.1f} times as fast, clean: {new.is_clean}"
    )
    print_parts()


def print_parts() -> None:
    """Print how long each statement takes, of a full audit and of a short one."""
    short = starts.last_clean_start()
    for question in (START, *QUESTIONS, *settings.LEDGER_AUDIT_SQL):
        parts = []
        for start in (starts.BEGINNING, short):
            with transaction.atomic(), connection.cursor() as cursor:
                named = SETTINGS | start.settings()
                cursor.execute(starts.SET, [list(named), list(named.values())])
                began = time.monotonic()
                cursor.execute(statement(question, start))
                parts.append(f"{(time.monotonic() - began) * 1000:8.1f} ms")
        print(f"{question:<32} {parts[0]}, what is new {parts[1]}")


def furnish(entries: int) -> None:
    """Fill the ledger as its owner; after each chunk discard plans made for smaller tables."""
    call_command("migrate", verbosity=0)
    with connection.cursor() as cursor:
        cursor.execute("SELECT ledger_mark_demo()")  # Others have no policies without a document.
        # Benchmarks post transfers without documents; no other database has these policy rows.
        cursor.execute(
            "INSERT INTO wallet_policy (kind, document, of_one_player)"
            " VALUES ('grant', '', false), ('adjustment', '', false)"
        )
    for number in range(PLAYERS):
        player = User.objects.create_user(handle=f"b{number}", is_bot=True)
        accounts.open_player_accounts(player=player, currency="PTS")
    accounts.operator_account(kind=Account.Kind.PROMOTIONS, currency="PTS")
    for shard in range(RAKE_SHARDS):
        accounts.operator_account(kind=Account.Kind.RAKE, currency="PTS", shard=shard)
    post(entries)


def post(entries: int) -> None:
    """Post until the ledger holds so many entries."""
    while Entry.objects.count() < entries:
        with connection.cursor() as cursor:
            missing = entries - Entry.objects.count()
            cursor.execute(POST.format(chunk=min(CHUNK, 1 + missing // 4)))
            cursor.execute("ANALYZE")
        connection.close()
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE wallet_entry")
        cursor.execute("VACUUM ANALYZE wallet_transfer")


def plain_read() -> float:
    began = time.monotonic()
    with connection.cursor() as cursor:
        cursor.execute(READ)
        cursor.fetchone()
    return time.monotonic() - began


if __name__ == "__main__":
    main()
