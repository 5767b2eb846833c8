"""A restore drill with its time: a backup is read into a new server, and its ledger audited.

    python -m bench.restore [--transfers 200000]

A house with so many transfers is backed up by `manage.py backup` while it is there to be played on,
and `manage.py restore` reads the file into an empty database of the same server. It prints the
size of both and the seconds of each step; the drill fails if the audit finds a difference.
"""

# ruff: noqa: E402  The servers must run before Django reads its settings.

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from urllib.parse import urlsplit

import psycopg

from embedded import launcher
from embedded.datadir import throwaway_datadir

os.environ.setdefault("RUMMY_EPHEMERAL", "1")
os.environ.setdefault("LOG_LEVEL", "WARNING")
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings_test")
_servers = None if launcher.are_configured() else launcher.start(throwaway_datadir())

import django

django.setup()

from django.core.management import call_command
from django.db import connection

from core.db.binaries import CHECKOUT
from players.accounts.models import User
from wallet.audit import seals
from wallet.ledger import accounts, posting
from wallet.ledger.models import Account, Transfer

PLAYERS = 400
FUNDS = 1_000_000_00
# So many transfers from one account to the other, each in a database transaction of its own.
POST_MANY = """
    DO $$
    BEGIN
        FOR n IN 1 .. {number} LOOP
            PERFORM ledger_post(
                'drill:{player}:' || n, 'adjustment', ARRAY[{source}, {target}]::bigint[],
                ARRAY[-1, 1], ARRAY[NULL, NULL]::text[], '{{}}', '', '', NULL, gen_random_uuid());
            COMMIT;
        END LOOP;
    END
    $$
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--transfers", type=int, default=200_000)
    options = parser.parse_args()
    try:
        furnish(options.transfers)
        with tempfile.TemporaryDirectory() as directory:
            drill(Path(directory) / "house.backup")
    finally:
        connection.close()
        if _servers is not None:
            _servers.stop()


def furnish(transfers: int) -> None:
    """Make players with money and let it go to and fro; as the owner, then seal all of it."""
    call_command("migrate", verbosity=0)
    with connection.cursor() as cursor:
        cursor.execute("SELECT ledger_mark_demo()")  # Others have no policies without a document.
        cursor.execute(
            "INSERT INTO wallet_policy (kind, document, of_one_player)"
            " VALUES ('adjustment', '', false), ('grant', '', false)"
        )
    source = accounts.house_account(kind=Account.Kind.PROMOTIONS, currency="PTS")
    for number in range(PLAYERS):
        player = User.objects.create_user(handle=f"b{number}", is_bot=True)
        mine = accounts.open_player_accounts(player=player, currency="PTS")
        deposit, winnings = mine[Account.Kind.DEPOSIT], mine[Account.Kind.WINNINGS]
        entries = [(source, -FUNDS), (deposit, FUNDS)]
        posting.post(key=f"fund:{number}", kind=Transfer.Kind.GRANT, entries=entries)
        with connection.cursor() as cursor:
            cursor.execute(
                POST_MANY.format(
                    number=transfers // PLAYERS,
                    player=player.pk,
                    source=deposit.pk,
                    target=winnings.pk,
                )
            )
    while seals.seal_ledger():
        pass


def drill(file: Path) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_database_size(current_database())")
        size = cursor.fetchone()[0]
    began = time.monotonic()
    call_command("backup", file)
    taken = time.monotonic() - began
    report = restore(file)
    print(f"transfers {report['transfers']}, entries {report['entries']}")
    print(
        f"database {size / 1e6:.0f} MB, backup {file.stat().st_size / 1e6:.1f} MB in {taken:.1f} s"
    )
    read, everything = report["seconds_to_read"], report["seconds_with_audit"]
    print(f"restored in {read} s, with the audit in {everything} s; clean: {report['ok']}")
    if not report["ok"]:
        raise SystemExit(1)


def restore(file: Path) -> dict[str, int | float | bool]:
    """Restore into a new database, by a process of its own; return what it says of it."""
    url = urlsplit(os.environ["DATABASE_URL"])
    with psycopg.connect(url.geturl(), autocommit=True) as maker:
        maker.execute("CREATE DATABASE drill")
    environment = os.environ | {"DATABASE_URL": url._replace(path="/drill").geturl()}
    environment |= {"SECRET_KEY": "x" * 50}
    environment.pop("DJANGO_SETTINGS_MODULE")
    command = [sys.executable, "manage.py", "restore", str(file), "--json"]
    done = subprocess.run(
        command, cwd=CHECKOUT, env=environment, stdout=subprocess.PIPE, check=False
    )
    report: dict[str, int | float | bool] = json.loads(done.stdout)
    return report


if __name__ == "__main__":
    main()
