"""Read the catalogues of statements that forge rows, and of those that corrupt them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

HEADING = re.compile(r"^\[(\w+)\]$")


@dataclass(frozen=True)
class Forgery:
    """A name, what should come of the statements, and the statements with `{keys}`."""

    name: str
    outcomes: tuple[str, ...]
    text: str

    def statements(self, keys: dict[str, object]) -> list[str]:
        return filled(self.text, keys).split(";")


def filled(text: str, keys: dict[str, object]) -> str:
    """Return the text with the values of keys; other braces are PostgreSQL's."""
    for name, value in keys.items():
        text = text.replace(f"{{{name}}}", str(value))
    return text


def read(catalogue: str) -> dict[str, list[Forgery]]:
    """Return the statements of a catalogue of this folder by its sections."""
    lines = Path(__file__).with_name(catalogue).read_text().splitlines()
    sections: dict[str, list[Forgery]] = {}
    for line in (line for line in lines if line and not line.startswith("#")):
        if heading := HEADING.match(line):
            mine = sections[heading[1]] = []
        elif line.startswith(" "):
            last = mine.pop()
            mine.append(Forgery(last.name, last.outcomes, f"{last.text}\n{line.strip()}".strip()))
        else:
            name, _, outcomes = line.partition(" | ")
            mine.append(Forgery(name, tuple(outcomes.split(", ")), ""))
    return sections
