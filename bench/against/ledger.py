"""A separate ledger on a site's PostgreSQL; pgbench posts transfers by `ledger_post`."""

from __future__ import annotations

import re
import subprocess
import time
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import psycopg
from psycopg import sql

from bench.against import adapter
from bench.against.client import Client
from bench.against.site import Site, Web
from bench.against.trees import CannotCompare

BOOKS: Final = "bench_books"
TPC_B: Final = "bench_tpc_b"
PLAYERS: Final = 400
FUNDS_MINOR: Final = 1_000_000_00
SCALE: Final = 10
CONNECTIONS: Final = 4
# The transfers whose entries are audited and reported; a third of them have six entries.
FILLED_TWO: Final = 8_000
FILLED_SIX: Final = 4_000
APP_ROLE: Final = "rummy_app"
# A payment from one of the players' accounts to another, and a payout among six of them.
TWO: Final = (("a", -1), ("b", 1))
SIX: Final = (("a", -10), ("b", -10), ("c", -10), ("d", -10), ("e", -10), ("f", 50))
NAMES: Final = "abcdef"


class Ledger:
    """A database of players with money, and another one with pgbench's tables."""

    def __init__(self, site: Site) -> None:
        self.site = site
        with site.superuser() as cursor:
            self.owner: str = _value(
                cursor,
                "SELECT pg_get_userbyid(datdba) FROM pg_database"
                " WHERE datname = current_database()",
            )
            for name in map(sql.Identifier, (BOOKS, TPC_B)):
                creating = sql.SQL("CREATE DATABASE {} OWNER {}")
                cursor.execute(creating.format(name, sql.Identifier(self.owner)))
        self.pgbench(TPC_B, "--initialize", f"--scale={SCALE}", "--quiet")
        self.environment = {"DATABASE_URL": site.url_of(BOOKS)}
        site.manage("migrate", "--verbosity=0", **self.environment)
        self.first = self._furnish()
        self._scripts: dict[str, Path] = {}
        self.fill()

    @cached_property
    def web(self) -> Web:
        """Return a web server on this ledger."""
        return self.site.serve(self.environment)

    def books(self) -> psycopg.Connection[tuple[Any, ...]]:
        """Connect as the ledger's owner."""
        return psycopg.connect(self.site.url_of(BOOKS), autocommit=True)

    def entries(self) -> int:
        with self.books() as cursor:
            return int(_value(cursor, "SELECT count(*) FROM wallet_entry"))

    def fill(self) -> None:
        """Post the transfers that the rows about reading look at: as many in both trees."""
        for name, entries, count in (("two", TWO, FILLED_TWO), ("six", SIX, FILLED_SIX)):
            each = f"--transactions={count // CONNECTIONS}"
            self._post(name, entries, each)
        with self.books() as cursor:
            cursor.execute("VACUUM ANALYZE")
        self.site.manage("seal_ledger", **self.environment)

    def posted_per_second(self, name: str, entries: tuple[tuple[str, int], ...], s: float) -> float:
        """Post for some seconds by several connections; return the transfers a second."""
        return _rate(self._post(name, entries, f"--time={max(1, round(s))}"))

    def reference_per_second(self, seconds: float) -> float:
        """Return pgbench's own transactions (TPC-B) a second on the same server."""
        options = ("--client=8", "--jobs=2", f"--time={max(1, round(seconds))}")
        return _rate(self.pgbench(TPC_B, *options, "--protocol=prepared", "--no-vacuum"))

    def pgbench(self, database: str, *options: str, role: str = "") -> str:
        """Run pgbench; return what it printed, raise if a transaction failed."""
        with self.site.superuser() as connection:
            host, port = connection.info.host, connection.info.port
        where = ("--host", host, "--port", str(port), "--username", self.owner, database)
        named = {"PGOPTIONS": f"-c role={role}"} if role else {}
        done = subprocess.run(
            [str(self.site.programs("pgbench")), *options, *where],
            env=self.site.tree.environment(**named),
            check=False,
            capture_output=True,
            text=True,
        )
        if done.returncode != 0:
            raise CannotCompare(f"pgbench failed: {done.stderr.strip()[-1000:]}")
        return done.stdout

    def _post(self, name: str, entries: tuple[tuple[str, int], ...], amount: str) -> str:
        script = self.site.data / f"{name}.sql"
        if not script.exists():
            script.write_text(self.script(entries))
        options = (f"--client={CONNECTIONS}", "--jobs=2", amount, f"--file={script}")
        return self.pgbench(BOOKS, *options, "--protocol=prepared", "--no-vacuum", role=APP_ROLE)

    def script(self, entries: tuple[tuple[str, int], ...]) -> str:
        """Return a pgbench script that posts between accounts drawn by chance, each once."""
        step = PLAYERS // len(NAMES)
        names = [name for name, _ in entries]
        # Each is drawn from a different range, shifted by a random number, so none is drawn twice.
        lines = [f"\\set turn random(0, {PLAYERS - 1})"]
        lines += [
            f"\\set {name} {self.first} + (:turn + {at * step} + random(0, {step - 1})) % {PLAYERS}"
            for at, name in enumerate(names)
        ]
        call = self._call(
            "ledger_post",
            adapter.POSTED,
            key="'bench:' || gen_random_uuid()",
            kind="adjustment",
            accounts=", ".join(f":{name}" for name in names),
            amounts=", ".join(str(amount) for _, amount in entries),
            count=str(len(entries)),
        )
        return "\n".join([*lines, f"SELECT FROM {call};", ""])

    def _call(self, name: str, values: dict[str, str], **filled: str) -> str:
        """Return a call of a function of this tree, its arguments found by their names."""
        with self.books() as cursor:
            row = cursor.execute(
                "SELECT proargnames[1:pronargs], pronargs - pronargdefaults FROM pg_proc"
                " WHERE proname = %s",
                [name],
            ).fetchone()
        if row is None:
            raise CannotCompare(f"The ledger has no function {name}.")
        needed = {key: value.format(**filled) for key, value in values.items()}
        return adapter.function_call(name, row[0], row[1], needed)

    def _furnish(self) -> int:
        """Allow posts without documents, and give each player an account with money.

        Return the first account: those of the others follow it.
        """
        with self.books() as cursor:
            known = "SELECT proname FROM pg_proc WHERE proname = ANY(%s)"
            for (mark,) in cursor.execute(known, [list(adapter.MARK_FUNCTIONS)]).fetchall():
                cursor.execute(sql.SQL("SELECT {}()").format(sql.Identifier(mark)))
            columns = cursor.execute(
                "SELECT column_name FROM information_schema.columns"
                " WHERE table_name = 'wallet_policy'"
            ).fetchall()
            for kind in ("adjustment", "grant"):
                row = adapter.policy_row((name for (name,) in columns), kind)
                cursor.execute(
                    sql.SQL("INSERT INTO wallet_policy ({}) VALUES ({})").format(
                        sql.SQL(", ").join(map(sql.Identifier, row)),
                        sql.SQL(", ").join(map(sql.Literal, row.values())),
                    )
                )
        with self.site.signed_up(self.web.port) as one:
            one.get("wallet/")
        self._copy_players()
        return self._open_accounts()

    def _copy_players(self) -> None:
        """Make more players of the first one: rows with all the columns that this tree has."""
        with self.books() as cursor:
            cursor.execute(
                "INSERT INTO players_user OVERRIDING SYSTEM VALUE SELECT copy.*"
                " FROM players_user AS one, generate_series(1, %s) AS n,"
                " LATERAL jsonb_populate_record(one, jsonb_build_object("
                "  'id', nextval(pg_get_serial_sequence('players_user', 'id')),"
                "  'public_id', gen_random_uuid(), 'handle', 'copy' || n,"
                "  'email', 'copy' || n || '@example.com')) AS copy"
                " WHERE one.id = (SELECT max(id) FROM players_user)",
                [PLAYERS],
            )

    def _open_accounts(self) -> int:
        opening = self._call("ledger_open_account", adapter.OPENED, kind="deposit", player="u.id")
        source = self._call("ledger_open_account", adapter.OPENED, kind="promotions", player="NULL")
        grant = self._call(
            "ledger_post",
            adapter.POSTED,
            key="'fund:' || account",
            kind="grant",
            accounts="source, account",
            amounts=f"-{FUNDS_MINOR}, {FUNDS_MINOR}",
            count="2",
        )
        with self.books() as cursor:
            opened = cursor.execute(
                sql.SQL(
                    "SELECT min(a.id), max(a.id) FROM (SELECT id FROM players_user"
                    " WHERE handle LIKE 'copy%' ORDER BY id) AS u, LATERAL {} AS a"
                ).format(sql.SQL(opening))
            ).fetchone()
            first, last = opened or (0, 0)
            if last - first != PLAYERS - 1:
                raise CannotCompare("The accounts of the bench's players have gaps between them.")
            cursor.execute(
                sql.SQL(
                    "DO $$ DECLARE account bigint; source bigint := (SELECT a.id FROM {} AS a);"
                    " BEGIN FOR account IN {} .. {} LOOP PERFORM {}; COMMIT; END LOOP; END $$"
                ).format(sql.SQL(source), sql.Literal(first), sql.Literal(last), sql.SQL(grant))
            )
        return int(first)

    def token(self) -> str:
        """Return a new token of the finance interface that opens the journal."""
        made = self.site.manage(
            "create_finance_token", "--name", "bench", "--scope", "journal", **self.environment
        )
        return made.strip().splitlines()[-1]

    def journal(self, token: str) -> tuple[int, float]:
        """Read the whole journal as CSV over HTTP; return its lines and the seconds."""
        with Client(self.web.port, token=token) as client:
            began = time.monotonic()
            status, text = client.request(
                "GET", "/api/v1/finance/journal/?format=csv", headers={"Accept": "*/*"}
            )
            seconds = time.monotonic() - began
        if status != 200:
            raise CannotCompare(f"The journal was answered {status}: {text[:300]!r}")
        return text.count(b"\n"), seconds


def _value(cursor: psycopg.Connection[tuple[Any, ...]], query: str, values: Any = None) -> Any:
    row = cursor.execute(query, values).fetchone()
    return row[0] if row else None


def _rate(printed: str) -> float:
    """Return the rate that pgbench printed.

    >>> _rate("latency average = 1 ms\\ntps = 812.500000 (without initial connection time)\\n")
    812.5
    """
    [rate] = re.findall(r"^tps = ([0-9.]+)", printed, re.MULTILINE)
    return float(rate)
