"""Measure the tree of balances that a daily close stores, for a million players.

    python -m bench.solvency [--players 1000000]

The accounts are filled by plain INSERTs, the ledger's guards held back. The goal is 60 s for the
tree, which a player's proof must not need again: proofs are timed too.
"""

# ruff: noqa: E402  The servers must run before Django reads its settings.

from __future__ import annotations

import argparse
import os
import resource
import time
from datetime import date

os.environ.setdefault("RUMMY_EPHEMERAL", "1")
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings_test")

import django

django.setup()

from django.core.management import call_command
from django.db import connection, transaction
from django.utils import timezone

from finance.reports.frame.models import DailyClose, DailyTotal
from finance.solvency import steps
from players.accounts.models import User

SECONDS_WANTED = 60
PROOFS = 20
DAY = date(2026, 1, 1)
FILL = """
    SET session_replication_role = replica;
    INSERT INTO players_user (public_id, handle, password, is_superuser, email, is_staff, is_active,
        date_joined, {defaults})
    SELECT gen_random_uuid(), 'bench' || n, '', false, '', false, true, now(), {values}
    FROM generate_series(1, {players}) AS n;
    INSERT INTO wallet_account (public_id, kind, player_id, ref, shard, currency, balance_minor,
        floor_minor, version, status, created_at)
    SELECT gen_random_uuid(), kind, p.id, '', 0, 'INR', 1 + p.id * 7919 %% 1000000, 0, 1, 'open',
        now()
    FROM players_user p, unnest(ARRAY['deposit', 'winnings']) AS kind;
    SET session_replication_role = DEFAULT;
    ANALYZE players_user; ANALYZE wallet_account;
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--players", type=int, default=1_000_000)
    players = parser.parse_args().players
    call_command("migrate", verbosity=0)
    _fill(players)
    moment = timezone.now()
    close = DailyClose.objects.create(
        day=DAY, closed_at=moment, horizon=0, transfers=0, entries=0, games=0, control_hash="0" * 64
    )
    with connection.cursor() as cursor:
        cursor.execute("SELECT kind, sum(balance_minor)::bigint FROM wallet_account GROUP BY 1")
        for kind, minor in cursor.fetchall():
            DailyTotal.objects.create(
                close=close,
                currency="INR",
                account_kind=kind,
                opening_minor=0,
                in_minor=minor,
                out_minor=0,
                closing_minor=minor,
            )
    began = time.monotonic()
    with transaction.atomic():
        steps.store_trees(close)
    seconds = time.monotonic() - began
    tree = close.balance_trees.get()
    began = time.monotonic()
    for user in User.objects.all()[:PROOFS]:
        steps.proof_of(tree, str(user.public_id))
    proof_ms = (time.monotonic() - began) * 1_000 / PROOFS
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1_024
    stored = sum(len(part.leaves) for part in tree.parts.all()) / 1e6
    print(
        f"{players:,} players: tree in {seconds:.1f} s (goal {SECONDS_WANTED} s), "
        f"{stored:.0f} MB stored, {memory:.0f} MB of memory, a proof in {proof_ms:.1f} ms"
    )
    return int(seconds > SECONDS_WANTED)


def _fill(players: int) -> None:
    """Insert players with the defaults of the other columns, and two balances each."""
    given = {"id", "public_id", "handle", "password", "is_superuser", "email", "is_staff"}
    given |= {"is_active", "date_joined"}
    others = {
        field.column: field.get_default()
        for field in User._meta.concrete_fields
        if field.column not in given and not field.null
    }
    with connection.cursor() as cursor:
        cursor.execute(
            FILL.format(
                players=players, defaults=", ".join(others), values=", ".join(["%s"] * len(others))
            ),
            list(others.values()),
        )


if __name__ == "__main__":
    raise SystemExit(main())
