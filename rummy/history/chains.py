"""Several history files of a table verified together, with the heads that a browser saw (RB 12.2).

A file of heads is exported by the page `/verify/`: after its first line, one value a line with the
table, the deal, and the number of moves made, or `commitment`, `chain` or `seed`; those of a deal
that was drawn again are followed by how often: `commitment-1`.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from rummy.errors import HistoryError
from rummy.history.files import BYTE_ORDER_MARK, History, loads

HEADS_LINE: Final = "rummy heads 1"
_NOTE: Final = re.compile(r"^# table ([0-9a-f-]{36}), deal (\d{1,9}),", re.MULTILINE)
_SEEN: Final = re.compile(
    r"([0-9a-f-]{36}) (\d{1,9}) ((?:commitment|chain|seed)(?:-\d)?|\d{1,4}) ([0-9a-f]{64})",
    re.ASCII,
)

# What a browser saw of each deal (table and number): values by name or number of moves.
Seen = Mapping[tuple[str, int], Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class Named:
    """A verified file, with the table and the number of the deal that its note names."""

    name: str
    text: str
    history: History
    deal: tuple[str, int] | None

    def refused(self, code: str, start: str, reason: str, *, skip: int = 0) -> HistoryError:
        """Return the refusal of the line that begins so, or of the one `skip` lines later.

        >>> file = Named("deal.txt", "rummy deal 2\\nplayers: 3", None, None)
        >>> file.refused("players_differ", "players:", "is another number")
        HistoryError("deal.txt: line 2: 'players: 3' is another number")
        """
        lines = list(enumerate(self.text.removeprefix(BYTE_ORDER_MARK).splitlines(), start=1))
        at = next(place for place, (_, line) in enumerate(lines) if line.strip().startswith(start))
        later = [row for row in lines[at:] if row[1].strip() and not row[1].strip().startswith("#")]
        number, line = later[skip]
        return HistoryError(code, f"{self.name}: line {number}: {line.strip()!r} {reason}")


def read(name: str, text: str) -> Named:
    """Verify one file by itself; the refusal begins with its name.

    >>> read("deal.txt", "")
    Traceback (most recent call last):
    ...
    rummy.errors.HistoryError: deal.txt: ...
    """
    try:
        history = loads(text)
    except HistoryError as error:
        raise HistoryError(error.code, f"{name}: {error.message}") from error
    note = _NOTE.search(text)
    return Named(name, text, history, (note[1], int(note[2])) if note else None)


def read_heads(name: str, text: str) -> Seen:
    """Parse a file of heads.

    >>> read_heads("seen.txt", "rummy heads 1\\n" + "0" * 36 + " 1 0 " + "ab" * 32)
    {('000000000000000000000000000000000000', 1): {'0': 'abab...abab'}}
    """
    seen: dict[tuple[str, int], dict[str, str]] = defaultdict(dict)
    for number, line in enumerate(text.removeprefix(BYTE_ORDER_MARK).splitlines(), start=1):
        if not line.strip() or line.strip() == HEADS_LINE:
            continue
        found = _SEEN.fullmatch(line.strip())
        if found is None:
            raise HistoryError("bad_file", f"{name}: line {number}: this is no head of a deal")
        seen[found[1], int(found[2])][found[3]] = found[4]
    return dict(seen)


def compare(file: Named, seen: Seen) -> int:
    """Compare a file with what a browser saw of its deal; return how many values were compared.

    >>> compare(Named("deal.txt", "", None, ("t", 1)), {("t", 2): {"chain": "00"}})
    0
    """
    values = seen.get(file.deal, {}) if file.deal else {}
    history = file.history
    reason = "is not what the browser saw"
    for named, value in values.items():
        name, _, draw = named.partition("-")
        is_last = int(draw or 0) == len(history.redrawn)
        if name == "commitment":
            committed = (*history.redrawn, history.commitment)
            if value not in committed[int(draw or 0) :][:1]:
                raise file.refused("seen_differs", "commitment:", reason)
        elif name == "chain":
            if is_last and history.chain != value:
                raise file.refused("seen_differs", "chain:", reason)
        elif name == "seed":
            if is_last and value not in history.client_seeds:
                raise file.refused("seen_differs", "toss:", "follows no seed of this browser")
        elif not history.is_bound or int(name) >= len(history.heads):
            raise file.refused("seen_differs", "[result]", f"comes before move {name}, seen before")
        elif history.heads[int(name)] != value:
            first = "[moves]" if int(name) else "first head:"
            raise file.refused("seen_differs", first, reason, skip=int(name))
    return len(values)


def in_order(files: Sequence[Named]) -> list[list[Named]]:
    """Return the files as chains, each deal behind the one before it (RB 12.1).

    Raise `HistoryError` if a table's chain has a gap or a fork, or its rules change. A chain may
    begin later than deal 1: a player of a points table sees only the deals since sitting down.

    >>> in_order([])
    []
    """
    unique = {file.text: file for file in files}.values()
    ends = {(file.history.chain, file.history.last_head): file for file in unique}
    after: dict[tuple[str, str], Named] = {}
    chains: list[list[Named]] = []
    for file in unique:
        link = file.history.chain_before, file.history.head_before
        before = ends.get(link) if link[0] else None
        if before is None:
            chains.append([file])
        elif link in after:
            raise file.refused(
                "chain_forks", "chain before:", f"is also that of {after[link].name}"
            )
        elif before.history.rules != file.history.rules:
            raise file.refused("rules_differ", "name:", f"begins other rules than {before.name}")
        else:
            after[link] = file
    for chain in chains:
        while (end := (chain[-1].history.chain, chain[-1].history.last_head)) in after:
            chain.append(after.pop(end))
    begun: dict[str, str] = {}
    for chain in sorted(chains, key=lambda chain: chain[0].deal or ("", 0)):
        table = chain[0].deal[0] if chain[0].deal else ""
        if table and table in begun:
            reason = f"is not the end of a deal given, {begun[table]} is of this table too"
            raise chain[0].refused("chain_broken", "chain before:", reason)
        begun[table] = chain[0].name
    return chains
