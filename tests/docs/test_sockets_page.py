"""The sockets' page and its AsyncAPI file describe what the code sends."""

from __future__ import annotations

import inspect
import json
import re

import jsonschema
import pytest

from docs import asyncapi
from tables.sockets import consumers, socket_limits
from tables.sockets.broadcaster import _said, _sent
from tables.sockets.socket_limits import error_text
from tables.view.table_view import table_views
from tests.builders.processes.product import CHECKOUT
from tests.builders.tables.making import make_game
from tests.builders.tables.playing import seat_at

PAGE = (CHECKOUT / "docs" / "integrators" / "sockets.md").read_text(encoding="utf-8")


def check(message: str) -> None:
    """Validate a message as a client would, by the schema of its type."""
    sent = json.loads(message)
    document = asyncapi.description()
    schema = document["components"]["messages"][sent["type"]]["payload"]
    jsonschema.validate(sent, schema | {"components": document["components"]})


def test_asyncapi_file_is_up_to_date() -> None:
    assert asyncapi.FILE.read_text(encoding="utf-8") == asyncapi.text(), "run make asyncapi"


@pytest.mark.django_db
def test_messages_sent_match_the_schemas() -> None:
    table = make_game(players=2)
    player = seat_at(table, 1).player

    for view in table_views(table, [player, None]):
        check(_sent(view).text)
    said = {"handle": "ravi", "phrase": "hello", "at": "2026-11-28T02:41:57+00:00"}
    check(_said(said, "hi").text)
    for code in asyncapi.ERRORS:
        check(error_text(code))
    with pytest.raises(jsonschema.ValidationError):
        check(error_text("nothing_like_this"))


def test_every_message_type_and_error_code_has_its_line_on_the_page() -> None:
    headings = re.findall(r"^### (\w+)$", PAGE, re.MULTILINE)
    rows = re.findall(r"^\| `(\w+)` \| (\d+|stays open) \|", PAGE, re.MULTILINE)

    assert headings == [*asyncapi.SENT, *asyncapi.RECEIVED]
    assert {code: int(closed) if closed.isdigit() else None for code, closed in rows} == (
        asyncapi.ERRORS
    )


def test_every_error_code_of_the_sockets_is_described() -> None:
    source = inspect.getsource(consumers) + inspect.getsource(socket_limits)
    codes = re.findall(r"(?:error_text\(|_close\(\w+, )\"(\w+)\"", source)

    assert len(codes) > 4
    assert set(codes) == set(asyncapi.ERRORS)
