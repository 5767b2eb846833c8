"""Catalogues of altered rows: what is altered, in which game, and what the audit says of it."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from tests.builders.wallet.tax_office import unguarded


class Tampering(NamedTuple):
    name: str
    game: str
    statement: str
    named: str


def read(path: Path) -> list[Tampering]:
    lines = path.read_text(encoding="utf-8").splitlines()
    return [Tampering(*line.split(" | ")) for line in lines if line and not line.startswith("#")]


def tamper(of: int, statement: str) -> object:
    """Execute the statement with the guards off, and return the key that it chose."""
    which, _, then = statement.rpartition(" -> ")
    with unguarded() as cursor:
        key = None
        if which:
            cursor.execute(which.format(t=of))
            key = cursor.fetchone()[0]
        cursor.execute(then.format(t=of, one=key))
        assert cursor.rowcount != 0
    return key


CATALOGUE = read(Path(__file__).with_suffix(".txt"))
