"""How long a page of a long statement takes through Django, with and without filters.

    python -m bench.statement [--entries 100000] [--looks 20]

One player's account gets as many entries as asked for, against a house account that gets as many:
written in bulk by the owner of the schema, with the guards switched off, since a posting each would
take hours. A full run is `--entries 1000000`; its pages are meant to take less than 50 ms.
"""

# ruff: noqa: E402  The servers must run before Django reads its settings.

from __future__ import annotations

import argparse
import os
import statistics
import time
from http import HTTPStatus

os.environ.setdefault("RUMMY_EPHEMERAL", "1")
os.environ.setdefault("LOG_LEVEL", "WARNING")
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings_test")

import django

django.setup()

from django.core.management import call_command
from django.db import connection, transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from players.accounts.models import User
from wallet.ledger import accounts
from wallet.ledger.models import Account, Entry
from wallet.statements.statement import cursor_after

GUARDED = ("wallet_account", "wallet_transfer", "wallet_entry")
A_DAY = 3_000  # Transfers booked on one day.
# One prize among five entries paid, and a single bonus in the middle of it all.
FILL = """
WITH made AS (
    INSERT INTO wallet_transfer (public_id, key, fingerprint, kind, entry_count, memo, actor,
        document, game, xid, booked_on, effective_at, created_at)
    SELECT gen_random_uuid(), 'bench:' || n, '', CASE WHEN n = %(entries)s / 2 THEN 'bonus'
            WHEN n %% 5 = 0 THEN 'prize' ELSE 'buy_in' END, 2, 'of a table', 'sweep', '', '',
        pg_current_xact_id()::text::bigint, %(today)s - (%(entries)s - n) / %(a_day)s, now(), now()
    FROM generate_series(1, %(entries)s) AS n
    RETURNING id, booked_on, kind
), numbered AS (SELECT id, booked_on, kind, row_number() OVER (ORDER BY id) AS n FROM made)
INSERT INTO wallet_entry (transfer_id, account_id, currency, booked_on, kind, amount_minor,
    balance_after_minor, account_version)
SELECT id, side.account, 'PTS', booked_on, kind, side.sign, side.sign * n, n
FROM numbered, LATERAL (VALUES (%(mine)s, 1), (%(house)s, -1)) AS side (account, sign)
ORDER BY id
"""
REACH = """
UPDATE wallet_account SET version = %(entries)s,
    balance_minor = CASE id WHEN %(mine)s THEN 1 ELSE -1 END * %(entries)s
WHERE id IN (%(mine)s, %(house)s)
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--entries", type=int, default=100_000)
    parser.add_argument("--looks", type=int, default=20)
    options = parser.parse_args()
    call_command("migrate", verbosity=0)
    player = User.objects.create_user(handle="bench", email="bench@example.org")
    fill(player, options.entries)
    print(f"{options.entries} entries, load average {os.getloadavg()[0]:.1f}")
    client = Client(headers={"host": "localhost"})
    client.force_login(player)
    for name, query in questions(player).items():
        look(client, name, query, options.looks)


def fill(player: User, entries: int) -> None:
    mine = accounts.open_player_accounts(player=player, currency="PTS")[Account.Kind.DEPOSIT]
    house = accounts.house_account(kind=Account.Kind.PROMOTIONS, currency="PTS")
    said = {
        "entries": entries,
        "mine": mine.pk,
        "house": house.pk,
        "a_day": A_DAY,
        "today": timezone.localdate(),
    }
    with transaction.atomic(), connection.cursor() as cursor:
        for table in GUARDED:
            cursor.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
        cursor.execute(FILL, said)
        cursor.execute(REACH, said)
        for table in GUARDED:
            cursor.execute(f"ALTER TABLE {table} ENABLE TRIGGER USER")
    with connection.cursor() as cursor:
        for table in GUARDED:
            cursor.execute(f"VACUUM ANALYZE {table}")


def questions(player: User) -> dict[str, dict[str, str]]:
    """Return what is asked of the page: its beginning, its middle, what matches much or little."""
    days = Entry.objects.order_by("pk").values_list("transfer__booked_on", flat=True)
    first_day = days[0].isoformat()
    middle = Entry.objects.of_player(player).order_by("pk")
    half = middle.filter(account_version=middle.count() // 2).get()
    return {
        "latest": {},
        "from the middle": {"before": cursor_after(half)},
        "a common kind": {"kind": "prize"},
        "a kind that occurs once": {"kind": "bonus"},
        "a kind that never occurs": {"kind": "withdrawal"},
        "the first day": {"booked_from": first_day, "booked_to": first_day},
        "a kind on the first day": {"kind": "prize", "booked_to": first_day},
    }


def look(client: Client, name: str, query: dict[str, str], looks: int) -> None:
    address = reverse("wallet-statement")
    client.get(address, query)
    taken = []
    for _ in range(looks):
        began = time.perf_counter()
        answer = client.get(address, query)
        taken.append((time.perf_counter() - began) * 1000)
        if answer.status_code != HTTPStatus.OK:
            raise RuntimeError(f"{name}: the page answered {answer.status_code}")
    print(f"{name:<26} median {statistics.median(taken):6.1f} ms, worst {max(taken):6.1f} ms")


if __name__ == "__main__":
    main()
