"""Every URL of the API answers as its description says, for any request."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from django.core import signals
from django.db import close_old_connections
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.checks import CHECKS, load_all_checks
from schemathesis.core.failures import FailureGroup

from config.wsgi import application
from players.sign_in.tokens.actions import new_token
from players.sign_in.tokens.models import PlayerToken
from tests.builders.tables.making import make_game
from tests.builders.tables.playing import move, seat_at

load_all_checks()
HELD = [
    CHECKS.get_one(name)
    for name in (
        "not_a_server_error",
        "status_code_conformance",
        "content_type_conformance",
        "response_schema_conformance",
    )
]

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _one_connection() -> Iterator[None]:
    """Keep the test's own connection over requests, as Django's test client does."""
    ends = (signals.request_started, signals.request_finished)
    for signal in ends:
        signal.disconnect(close_old_connections)
    yield
    for signal in ends:
        signal.connect(close_old_connections)


def seated(client: Any, how: str) -> tuple[str, dict[str, str]]:
    """A table in play and the headers of a player at it, by session or by token."""
    table = make_game(players=2)
    move(table, 1, "ds")
    player = seat_at(table, 1).player
    if how == "token":
        _token, text = new_token(player, name="A program", scopes=PlayerToken.Scope.values)
        return str(table.public_id), {"Authorization": f"Bearer {text}"}
    client.force_login(player)
    token = "a" * 32
    cookies = f"sessionid={client.cookies['sessionid'].value}; csrftoken={token}"
    return str(table.public_id), {"Cookie": cookies, "X-CSRFToken": token}


def call_everything(examples: int, headers: dict[str, str], table_id: str | None = None) -> int:
    """Send generated requests to every address; return how many operations there are."""
    api = schemathesis.openapi.from_wsgi("/api/schema/?format=json", application)
    operations = [found.ok() for found in api.get_all_operations()]
    wrong = []
    for operation in operations:

        def send(case: Any) -> None:
            if table_id and "table_id" in case.path_parameters:
                case.path_parameters["table_id"] = table_id
            case.call_and_validate(headers=headers, checks=HELD)

        amount = settings(
            max_examples=examples,
            derandomize=True,
            deadline=None,
            database=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        try:
            amount(given(operation.as_strategy())(send))()
        except FailureGroup as failure:
            wrong.append(f"{operation.label}: {failure}")
    assert not wrong, "\n".join(wrong)
    return len(operations)


@pytest.mark.extended
@pytest.mark.parametrize(("how", "examples"), [("session", 2), ("token", 1)])
def test_players_are_answered_as_described(client: Any, how: str, examples: int) -> None:
    table_id, headers = seated(client, how)

    assert call_everything(examples, headers, table_id) > 30


@pytest.mark.extended
def test_strangers_are_answered_as_described() -> None:
    assert call_everything(1, {}) > 30


@pytest.mark.soak
@pytest.mark.timeout(1_800)
@pytest.mark.parametrize("how", ["session", "token"])
def test_players_are_answered_as_described_at_length(client: Any, how: str) -> None:
    table_id, headers = seated(client, how)

    assert call_everything(200, headers, table_id) > 30
