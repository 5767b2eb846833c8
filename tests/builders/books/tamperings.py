"""Reads the catalogue of tamperings, and carries one out."""

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
SHORT = {
    "{another}": "(SELECT max(id) FROM players_user)",
    "{sealed}": "xid < (SELECT max(to_xid) FROM wallet_seal)",
}


@dataclass(frozen=True)
class Tampering:
    """An UPDATE or DELETE of one row, and how the audit should call it."""

    name: str
    table: str
    change: str
    where: str
    check: str
    subject: str
    drops: str

    def do(self, cursor: Any) -> str:
        """Tamper with the row and return its name."""
        if self.drops:
            cursor.execute(f"ALTER TABLE {self.table} DROP CONSTRAINT {self.drops}")
        key = KEYS.get(self.table, "id")
        cursor.execute(f"SELECT * FROM {self.table} WHERE {self.where} ORDER BY {key} LIMIT 1")
        row = cursor.fetchone()
        assert row is not None, f"nothing to tamper with: {self.table} where {self.where}"
        names = [column.name for column in cursor.description]
        found = dict(zip(names, row, strict=True))
        verb = f"UPDATE {self.table} SET {self.change}"
        if self.change == "DELETE":
            verb = f"DELETE FROM {self.table}"
        cursor.execute(f"{verb} WHERE {key} = %s", [found[key]])
        assert cursor.rowcount == 1
        return self.subject.format(table=self.table, pk=found[key], **found)


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
