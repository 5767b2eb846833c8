"""A separate PostgreSQL server that a test kills while others write to it."""

from __future__ import annotations

import json
import os
import signal
import time
from uuid import uuid4

import psycopg

from core.db.binaries import CannotStart
from devtools.children import stop_children
from devtools.datadir import throwaway_datadir
from devtools.postgres import start_postgres
from tests.builders.processes.commands import manage
from tests.cluster import TRIAL_POLICIES, lay_migrated

OPEN = "SELECT id FROM ledger_open_account(%s, NULL, '', 'INR', %s, gen_random_uuid())"

POST = """SELECT id FROM ledger_post(%s, 'adjustment', %s, ARRAY[-1, 1], ARRAY[NULL, NULL]::text[],
    '{}', '', '', NULL, gen_random_uuid())"""

WHOLE = """SELECT count(*) FROM wallet_entry AS e JOIN wallet_transfer AS t ON t.id = e.transfer_id
    WHERE t.key = %s"""


class Site:
    """A server in a separate directory that can be killed and started again."""

    def __init__(self):
        self.data = throwaway_datadir()
        self.data.prepare()
        self.lock = self.data.lock()
        lay_migrated(self.data.root)
        self.start()

    def start(self):
        deadline = time.monotonic() + 30
        while True:  # What the dead server's children still hold is free when they have noticed.
            try:
                self.server, self.url = start_postgres(self.data, durable=True)
            except CannotStart:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.2)
            else:
                return

    def die(self, how):
        os.kill(self.server.pid, how)
        self.server.wait(20)

    def manage(self, *command):
        return manage(*command, DATABASE_URL=self.url, REDIS_URL="redis://")

    def migrate(self):
        made = self.manage("migrate", "-v0")
        assert made.returncode == 0, made.stderr
        with psycopg.connect(self.url, autocommit=True) as owner:
            owner.execute(TRIAL_POLICIES)
            owner.execute("SELECT ledger_mark_demo()")  # Others have no such policies.

    def connect(self):
        connection = psycopg.connect(self.url, autocommit=True)
        connection.execute("SET ROLE rummy_app")
        return connection

    def remove(self):
        stop_children([self.server], signal.SIGINT)
        self.data.remove()
        self.lock.close()


def write_until_it_dies(site, number, acknowledged, asked):
    """Post as fast as it goes; note a key before it is sent, and once more when it is answered."""
    try:
        with site.connect() as connection:
            accounts = [
                connection.execute(OPEN, [kind, number]).fetchone()[0]
                for kind in ("suspense", "gateway_clearing")
            ]
            while True:
                key = f"crash:{uuid4()}"
                asked[key] = accounts
                connection.execute(POST, [key, accounts])
                acknowledged.add(key)
                if len(acknowledged) > 10:
                    site.busy.set()
    except psycopg.Error:
        return


def assert_nothing_lost(site, acknowledged, asked):
    with site.connect() as connection:
        kept = {key for (key,) in connection.execute("SELECT key FROM wallet_transfer")}
        assert acknowledged <= kept <= asked.keys()
        # A client without an answer repeats the request with the same key.
        for key, accounts in asked.items():
            if key not in acknowledged:
                connection.execute(POST, [key, accounts])
                assert connection.execute(WHOLE, [key]).fetchone() == (2,)
        [(transfers, entries)] = connection.execute(
            "SELECT (SELECT count(*) FROM wallet_transfer), (SELECT count(*) FROM wallet_entry)"
        )
    assert (transfers, entries) == (len(asked), 2 * len(asked))
    report = json.loads(site.manage("audit_ledger", "--json").stdout)
    assert (report["ok"], report["findings"]) == (True, [])
