"""The names that can differ between two checkouts; other modules use only this one's.

Each function looks for what a tree has and answers with it. A name that changes is added here,
beside the old one, for as long as somebody compares with a tree that has it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from bench.against.trees import CannotCompare, Tree

# All players have one IP address; bots move at once.
LIMITS: Final = {
    "THROTTLE_FACTOR": "1000",
    "GUEST_RATE": "20000/h/ip",
    "SOCKETS_PER_PLAYER": "100000",
    "SOCKETS_PER_ADDRESS": "100000",
    "FINANCE_RATE": "1000/min",
    "BOT_THINK_SECONDS": "60",
    "LOG_LEVEL": "WARNING",
}
# The modules that start the servers of a deployment, the present one first.
SERVE_MODULES: Final = ("config.serving.serve",)
# What each tree's process of periodic tasks has in its command line.
BEAT: Final = "beat"
# Posts without a document are allowed in a database that this function has marked.
MARK_FUNCTIONS: Final = ("ledger_mark_demo", "ledger_mark_trial")
# Values of the arguments of `ledger_post` by name; the others keep their defaults.
POSTED: Final = {
    "key": "{key}",
    "kind": "'{kind}'",
    "accounts": "ARRAY[{accounts}]::bigint[]",
    "amounts": "ARRAY[{amounts}]::bigint[]",
    "currencies": "array_fill(NULL::text, ARRAY[{count}])",
    "must_be_empty": "'{{}}'::bigint[]",
    "memo": "'of a table'",
    "actor": "'bench'",
    "effective_at": "NULL::timestamptz",
    "public_id": "gen_random_uuid()",
}
OPENED: Final = {
    "kind": "'{kind}'",
    "player": "{player}",
    "player_id": "{player}",
    "ref": "''",
    "currency": "'PTS'",
    "shard": "0",
    "public_id": "gen_random_uuid()",
}


def demo_command(tree: Tree, port: int, data: Path) -> list[str]:
    options = ("--port", str(port), "--data-dir", str(data))
    return [str(tree.python), "manage.py", "demo", *options]


def servers_of(data: Path) -> dict[str, str]:
    """Return the environment in which commands reach the servers of a running demo."""
    found: dict[str, str] = json.loads((data / "servers.json").read_text())
    return found


def web_command(tree: Tree, port: int) -> list[str]:
    """Return the command that serves pages and the API under WSGI, as a deployment does."""
    for module in SERVE_MODULES:
        if (tree.path / f"{module.replace('.', '/')}.py").exists():
            where = ("--host", "127.0.0.1", "--port", str(port))
            size = ("--workers", "2", "--threads", "4", "--stop-seconds", "1")
            return [str(tree.python), "-m", module, "web", *where, *size]
    raise CannotCompare(f"{tree.path} has none of {', '.join(SERVE_MODULES)}: name its successor.")


def private_kind(kinds: Iterable[Mapping[str, Any]], game: str) -> str:
    """Return the kind of a private table for play points; of a pool, one for two players.

    >>> rows = [{"kind": "a", "game": "pool", "seats_max": 6, "entry": {"currency": "PTS"}}]
    >>> rows += [{"kind": "b", "game": "pool", "seats_max": 2, "entry": {"currency": "PTS"}}]
    >>> private_kind(rows, "pool")
    'b'
    """
    found = sorted(
        (row["seats_max"] != 2 if game == "pool" else False, row["kind"])
        for row in kinds
        if row["game"] == game
        and row["entry"]["currency"] == "PTS"
        # Bots fill those for practice.
        and not row["kind"].startswith("practice")
    )
    if not found:
        raise CannotCompare(f"The site offers no private table of the game {game!r}.")
    kind: str = found[0][1]
    return kind


def private_table(answer: Mapping[str, Any]) -> tuple[str, str, int | None]:
    """Return a new private table's id, its code, and the largest stack of a points table.

    >>> private_table({"code": "c", "table": {"id": "t"}})
    ('t', 'c', None)
    >>> private_table({"id": "t", "code": "c", "table": {"stack_max": {"minor": 8}}})
    ('t', 'c', 8)
    """
    row = answer["table"]
    stack = row.get("stack_max")
    return answer.get("id") or row["id"], answer["code"], stack["minor"] if stack else None


def function_call(
    name: str, arguments: Sequence[str], required: int, values: Mapping[str, str]
) -> str:
    """Return a call of an SQL function by its arguments' names, which may begin with `p_`.

    The first `required` arguments have no default: each needs a value.

    >>> function_call("f", ["p_key", "p_new"], 1, {"key": "'k'"})
    "f(p_key => 'k')"
    """
    given = {name: values.get(name.removeprefix("p_")) for name in arguments}
    if missing := [name for name in arguments[:required] if given[name] is None]:
        raise CannotCompare(f"{name} has new arguments without a value: {', '.join(missing)}")
    texts = [f"{name} => {value}" for name, value in given.items() if value is not None]
    return f"{name}({', '.join(texts)})"


def policy_row(columns: Iterable[str], kind: str) -> dict[str, object]:
    """Return the row that lets a kind of transfer be posted without a document.

    >>> policy_row(["id", "kind", "document", "of_one_player"], "grant")
    {'kind': 'grant', 'document': '', 'of_one_player': False}
    """
    known: dict[str, object] = {"kind": kind, "document": "", "of_one_player": False}
    present = set(columns)
    return {name: value for name, value in known.items() if name in present}


def audit_figures(report: Mapping[str, Any]) -> tuple[float, int]:
    """Return the seconds and the entries of a clean audit; raise for one that found something."""
    if not report["ok"]:
        raise CannotCompare(f"The audit found differences: {report.get('findings')}")
    return float(report["seconds"]), int(report["entries"])
