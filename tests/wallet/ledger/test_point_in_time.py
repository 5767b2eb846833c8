"""Point-in-time recovery: a server is restored from a copy of its files and the archived log.

`make drill` runs this and prints how long it takes.
"""

import json
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import psycopg
import pytest

from core.db.binaries import reachable_binaries, server_user
from devtools.postgres import SUPERUSER
from tests.builders.processes.dying_processes import OPEN, POST, write_until_it_dies

pytestmark = [pytest.mark.process, pytest.mark.soak, pytest.mark.timeout(900)]
WRITERS = 4


def open_to_server(directory):
    directory.mkdir(mode=0o700, exist_ok=True)
    if user := server_user():
        os.chown(directory, user.pw_uid, user.pw_gid)
    return directory


def ask(installation, statement):
    where = {"host": str(installation.data.run), "user": SUPERUSER, "dbname": "rummy"}
    with psycopg.connect(**where, autocommit=True) as connection:
        answer = connection.execute(statement)
        return answer.fetchone() if answer.description else None


def archive_log(installation, archive):
    """Let the server put every finished segment of its log aside."""
    for setting in ("archive_mode = on", f"archive_command = 'cp %p {archive}/%f'"):
        ask(installation, f"ALTER SYSTEM SET {setting}")
    installation.die(signal.SIGINT)
    installation.start()


def copy_files(installation, target):
    """Copy the server's files while it is written to."""
    user = server_user()
    subprocess.run(
        [
            reachable_binaries() / "pg_basebackup",
            "-D",
            open_to_server(target),
            "-h",
            installation.data.run,
            "-U",
            SUPERUSER,
            "--checkpoint=fast",
        ],
        user=user.pw_uid if user else None,
        group=user.pw_gid if user else None,
        extra_groups=[] if user else None,
        cwd="/",
        check=True,
    )


def archived(installation, archive):
    """Wait until the log so far is put aside."""
    segment = ask(installation, "SELECT pg_walfile_name(pg_switch_wal())")[0]
    deadline = time.monotonic() + 60
    while not (archive / segment).exists():
        assert time.monotonic() < deadline
        time.sleep(0.1)


def bring_back(installation, copied, archive, *, until=None):
    """Start on the copied files, and let the log be played up to its end or to a moment."""
    with (copied / "postgresql.auto.conf").open("a") as settings:
        settings.write("archive_mode = off\n")
        settings.write(f"restore_command = 'cp {archive}/%f %p'\n")
        if until is not None:
            settings.write(f"recovery_target_time = '{until}'\n")
            settings.write("recovery_target_action = 'promote'\n")
    (copied / "recovery.signal").touch()
    (installation.data.root / "pg").rename(installation.data.root / "burnt")
    copied.rename(installation.data.root / "pg")
    installation.start()
    deadline = time.monotonic() + 120
    while ask(installation, "SELECT pg_is_in_recovery()") == (True,):
        assert time.monotonic() < deadline
        time.sleep(0.2)


def test_archived_log_restores_everything_and_the_counter_continues(installation):
    archive = open_to_server(installation.data.root / "archive")
    archive_log(installation, archive)
    acknowledged, asked = set(), {}
    installation.busy = Event()
    with ThreadPoolExecutor(WRITERS) as pool:
        work = [
            pool.submit(write_until_it_dies, installation, number, acknowledged, asked)
            for number in range(WRITERS)
        ]
        assert installation.busy.wait(60)
        copied = installation.data.root / "copied"
        copy_files(installation, copied)
        time.sleep(5)
        safe = set(acknowledged)
        archived(installation, archive)
        installation.die(signal.SIGKILL)
        for one in work:
            one.result(60)

    bring_back(installation, copied, archive)

    with installation.connect() as connection:
        kept = {key for (key,) in connection.execute("SELECT key FROM wallet_transfer")}
    assert safe <= kept <= asked.keys()
    for command in (("audit_ledger",), ("seal_ledger",), ("audit_ledger",)):
        done = installation.manage(*command, *(["--json"] if command[0] == "audit_ledger" else []))
        assert done.returncode == 0, done.stderr
        assert command[0] != "audit_ledger" or json.loads(done.stdout)["ok"]


def test_point_in_time_recovery_between_transfers_passes_the_audit(installation, capsys):
    """Transfers before the time exist, later ones do not, and postings continue."""
    archive = open_to_server(installation.data.root / "archive")
    archive_log(installation, archive)
    with installation.connect() as connection:
        kinds = ("suspense", "gateway_clearing")
        opened = [connection.execute(OPEN, [kind, 1]).fetchone()[0] for kind in kinds]
        connection.execute(POST, ["drill:copied", opened])
        copied = installation.data.root / "copied"
        copy_files(installation, copied)
        before = [f"drill:before:{number}" for number in range(200)]
        for key in before:
            connection.execute(POST, [key, opened])
        [moment] = connection.execute("SELECT clock_timestamp()::text").fetchone()
        connection.execute("SELECT pg_sleep(0.05)")  # The next commit is surely later.
        for number in range(200):
            connection.execute(POST, [f"drill:after:{number}", opened])
    archived(installation, archive)
    installation.die(signal.SIGKILL)
    began = time.monotonic()

    bring_back(installation, copied, archive, until=moment)

    restored = time.monotonic() - began
    with installation.connect() as connection:
        kept = {key for (key,) in connection.execute("SELECT key FROM wallet_transfer")}
        connection.execute(POST, ["drill:goes-on", opened])
    assert kept == {"drill:copied", *before}
    sealed = installation.manage("seal_ledger")
    assert sealed.returncode == 0, sealed.stderr
    audit = installation.manage("audit_ledger", "--json")
    assert json.loads(audit.stdout)["ok"], audit.stderr
    whole = time.monotonic() - began
    with capsys.disabled():
        said = f"back at {moment}, {len(kept)} transfers: {restored:.1f} s; audited {whole:.1f} s"
        sys.stdout.write(f"\n{said}\n")
