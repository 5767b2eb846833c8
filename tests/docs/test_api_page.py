"""docs/api.md against the code: every code a caller can meet, every address."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from drf_spectacular.generators import SchemaGenerator

from core.exceptions import AlreadyDecided, CheckerIsMaker
from players.exceptions import NotEligible
from tables.exceptions import TableError
from tests.builders.processes.product import CHECKOUT
from tournaments.exceptions import TournamentError
from wallet.exceptions import WalletError

PAGE = (CHECKOUT / "docs" / "api.md").read_text()
# What the framework and `core.api.refusals` answer with.
OF_THE_API = {
    "invalid",
    "parse_error",
    "not_authenticated",
    "bad_token",
    "token_scope",
    "permission_denied",
    "not_found",
    "method_not_allowed",
    "not_acceptable",
    "body_too_large",
    "unsupported_media_type",
    "unknown_parameter",
    "bad_parameter",
    "throttled",
    "server_error",
    "unavailable",
    "shared_interest",
}
RULES = CHECKOUT / "rummy"
# Codes that reading a move may refuse with besides those of playing it.
OF_NOTATION = {"bad_card", "no_finish_card"}


def every(refusal: type[Exception]) -> Iterator[type[Exception]]:
    yield refusal
    for narrower in refusal.__subclasses__():
        yield from every(narrower)


def codes_of(base: type[Exception]) -> dict[str, int]:
    app = base.__module__.partition(".")[0]
    own = [refusal for refusal in every(base) if refusal.__module__.startswith(f"{app}.")]
    codes = {str(refusal.code): refusal for refusal in own}  # type: ignore[attr-defined]
    return {code: getattr(refusal, "status", 409) for code, refusal in codes.items()}


def illegal_moves() -> set[str]:
    """Every code the rules raise `IllegalMove` with, read from their source."""
    found = set()
    for path in RULES.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "IllegalMove":
                (first, *_) = node.args
                if isinstance(first, ast.Constant):
                    found.add(str(first.value))
    return found


def documented() -> dict[str, int]:
    rows = re.findall(r"^- `(\w+)` \((\d{3})\): \S", PAGE, re.MULTILINE)
    return {code: int(status) for code, status in rows}


def test_every_code_is_documented_with_its_status_and_no_other() -> None:
    moves = dict.fromkeys(illegal_moves() | OF_NOTATION, 409)
    refusals: dict[str, int] = {}
    for base in (
        TableError,
        TournamentError,
        WalletError,
        NotEligible,
        CheckerIsMaker,
        AlreadyDecided,
    ):
        refusals |= codes_of(base)

    shown = documented()

    assert moves.items() <= shown.items()
    assert refusals.items() <= shown.items()
    assert set(shown) == set(moves) | set(refusals) | OF_THE_API


def test_every_address_at_a_table_is_told() -> None:
    schema = SchemaGenerator().get_schema(request=None, public=True)
    paths = [path.removeprefix("/api/v1/") for path in schema["paths"] if "/tables/" in path]
    shown = re.sub(r"\{\w+\}", "{}", PAGE)

    missing = [path for path in paths if re.sub(r"\{\w+\}", "{}", path) not in shown]

    assert [path for path in missing if "rounds" not in path] == []


def test_the_example_is_as_short_as_the_page_says() -> None:
    source = Path(CHECKOUT / "docs" / "examples" / "bot_client.py").read_text()

    assert len(source.splitlines()) < 200
