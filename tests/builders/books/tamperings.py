"""Read the catalogue of tamperings, and apply one."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

CATALOGUE = Path(__file__).with_suffix(".txt")
KEYS = {
    "wallet_bookedday": "day",
    "finance_dailyclose": "day",
    "players_playername": "player_id",
    "tables_address": "public_id",
    "tables_reveal": "deal_id",
    "tables_dealsecret": "deal_id",
    "tournaments_tournamentsecret": "tournament_id",
}
BY_ITS_VERSION = "SELECT max(xid) FROM wallet_rowversion WHERE relation = %s AND row_key = %s"
WRITTEN_IN = {
    "wallet_transfer": "SELECT xid FROM wallet_transfer WHERE %s <> '' AND id = %s",
    "wallet_rowversion": "SELECT xid FROM wallet_rowversion WHERE %s <> '' AND id = %s",
    "wallet_entry": """
        SELECT t.xid FROM wallet_entry AS e JOIN wallet_transfer AS t ON t.id = e.transfer_id
        WHERE %s <> '' AND e.id = %s""",
    # Its identity when it was opened, its balance with its last entry.
    "wallet_account": """
        SELECT least(
            (SELECT max(v.xid) FROM wallet_rowversion AS v
             WHERE v.relation = said.relation AND v.row_key = said.key),
            (SELECT max(t.xid)
             FROM wallet_entry AS e JOIN wallet_transfer AS t ON t.id = e.transfer_id
             WHERE e.account_id = said.key::bigint))
        FROM (VALUES (%s, %s)) AS said (relation, key)""",
    # Its version is newer than the entries it closes.
    "wallet_seal": "SELECT from_xid FROM wallet_seal WHERE %s <> '' AND id = %s",
    # Their rows do not contain the values that they are compared with.
    "tables_move": "SELECT 0 WHERE %s <> %s",
}
SHORT = {
    "{another}": "(SELECT max(id) FROM players_user)",
    "{sealed}": "xid < (SELECT max(to_xid) FROM wallet_seal)",
}


@dataclass(frozen=True)
class Tampering:
    """An UPDATE or DELETE of one row, and the check that should report it."""

    name: str
    table: str
    change: str
    where: str
    check: str
    subject: str
    drops: str

    def do(self, cursor: Any) -> str:
        """Tamper with the row and return its name."""
        return self.do_and_date(cursor)[0]

    def do_and_date(self, cursor: Any) -> tuple[str, int]:
        """Tamper with the row; return its name and the database transaction that wrote it last.

        It is 0 where that is not known.
        """
        if self.drops.startswith("TRIGGER "):
            cursor.execute(f"DROP {self.drops} ON {self.table}")
        elif self.drops:
            cursor.execute(f"ALTER TABLE {self.table} DROP {self.drops}")
        found = self._row(cursor)
        pk = found[self._key]
        cursor.execute(WRITTEN_IN.get(self.table, BY_ITS_VERSION), [self.table, str(pk)])
        written_in = cursor.fetchone()[0] or 0
        cursor.execute(self._change(pk))
        assert cursor.rowcount == 1
        return self.subject.format(table=self.table, pk=pk, **found), written_in

    def statement(self, cursor: Any) -> str:
        """Return the statement that tampers with the row, by its key."""
        return self._change(self._row(cursor)[self._key])

    @property
    def _key(self) -> str:
        return KEYS.get(self.table, "id")

    def _row(self, cursor: Any) -> dict[str, Any]:
        cursor.execute(
            f"SELECT * FROM {self.table} WHERE {self.where} ORDER BY {self._key} LIMIT 1"
        )
        row = cursor.fetchone()
        assert row is not None, f"nothing to tamper with: {self.table} where {self.where}"
        return dict(zip((column.name for column in cursor.description), row, strict=True))

    def _change(self, key: object) -> str:
        verb = f"UPDATE {self.table} SET {self.change}"
        if self.change == "DELETE":
            verb = f"DELETE FROM {self.table}"
        return f"{verb} WHERE {self._key} = '{key}'"


def read() -> list[Tampering]:
    """Return the catalogue's tamperings, in its order."""
    lines = CATALOGUE.read_text().splitlines()
    return [_parse(line) for line in lines if line and not line.startswith("#")]


def _parse(line: str) -> Tampering:
    for short, sql in SHORT.items():
        line = line.replace(short, sql)
    name, table, change, where, found, *drops = line.split(" | ")
    check, _, subject = found.partition(" ")
    return Tampering(
        name=name,
        table=table,
        change=change,
        where=where or "true",
        check=check,
        subject=subject or "{table} {pk}",
        drops=drops[0].removeprefix("drops ") if drops else "",
    )
