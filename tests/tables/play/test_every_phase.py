"""Every URL of a table answers every viewer in every phase of every game without an error.

The addresses come from the resolver, so that a new one is walked from its first day.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection, transaction
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from players.accounts.models import User
from tables.models.tables import Table
from tests.builders.tables.every_phase import EACH_KIND, FIRST, TABLES
from tests.builders.tables.making import make_player
from tests.builders.tables.playing import reread

pytestmark = pytest.mark.django_db

METHODS = ("get", "post", "put", "patch", "delete")
# What each writing address reads, and is best asked, so that the refusal is the phase's own. A
# list means several requests.
BODIES: dict[str, list[dict[str, Any]]] = {
    "moves/": [
        {"move_id": "{uuid}", "expected_version": "{version}", "move": "ds"},
        {"move_id": "{uuid}", "expected_version": "{version}", "move": "drop"},
        {"move_id": "{uuid}", "window_id": "{window}", "move": "meld"},
    ],
    "groups/": [{"groups": ""}, {"groups": "2C 3C 4C"}],
    "client-seed/": [{"text": "marigold"}],
    "answer/": [{"answer": "yes"}, {"answer": "no"}],
    "split/": [{"after_deal": "{deal}"}],
    "top-up/": [{"no": 2, "amount_minor": 100_00}],
    "sit-out/": [{}],
    "come-back/": [{}],
    "seats/": [{}, {"amount_minor": 100_00}, {"code": "a-code"}],
    "seats/mine/": [{}],
    "disputes/": [{"ply": 0, "category": "cards", "text": "Look at this."}],
    "dispute/": [{"category": "cards", "text": "Look at this."}],
    "join/": [{}, {"stack": "100.00"}],
    "leave/": [{}],
}


Caller = tuple[str, User | None]
Callers = Callable[[list[Caller]], list[Caller]]


@dataclass(frozen=True)
class Address:
    """A route of the tables with its converters' names, and what its view takes."""

    route: str
    methods: tuple[str, ...]

    @property
    def is_api(self) -> bool:
        return self.route.startswith("api/")

    def bodies(self) -> list[dict[str, Any]]:
        tail = self.route.rpartition("<uuid:table_id>/")[2]
        names = [tail, tail.rpartition("/")[0].rpartition("/")[2] + "/"]
        return next((BODIES[name] for name in names if name in BODIES), [{}])


def addresses() -> Iterator[Address]:
    """Every address that names a table, whichever application serves it."""
    for route, pattern in _walk(get_resolver().url_patterns, ""):
        view = getattr(pattern.callback, "view_class", None) or getattr(
            pattern.callback, "cls", None
        )
        if "table_id" in route and view is not None:
            methods = tuple(name for name in METHODS if hasattr(view, name))
            yield Address(route, methods)


def _walk(
    patterns: list[URLPattern | URLResolver], before: str
) -> Iterator[tuple[str, URLPattern]]:
    for pattern in patterns:
        route = before + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from _walk(pattern.url_patterns, route)
        else:
            yield route, pattern


def fill(address: Address, table: Table) -> str:
    window = table.windows.last()
    values = {
        "<uuid:table_id>": table.public_id,
        "<uuid:window_id>": window.public_id if window else uuid4(),
        "<int:no>": max(1, table.deal_no),
        "<int:ply>": 0,
    }
    path = "/" + address.route
    for name, value in values.items():
        path = path.replace(name, str(value))
    assert "<" not in path, f"the test knows no value for a part of {address.route}"
    return path


def body_for(body: dict[str, Any], table: Table) -> dict[str, Any]:
    values = {
        "{uuid}": str(uuid4()),
        "{version}": table.version,
        "{deal}": table.deal_no or 1,
        "{window}": str(table.window_id or uuid4()),
    }
    return {name: values.get(value, value) for name, value in body.items()}


@contextmanager
def undone(client: Client) -> Iterator[None]:
    """Take back what one request writes, its deferred promises kept first, and who is signed in."""
    cookies = deepcopy(client.cookies)
    block = transaction.atomic()
    block._from_testcase = True  # A durable block may begin inside, as in Django's own tests.
    with block:
        yield
        if not connection.needs_rollback:
            connection.check_constraints()
        transaction.set_rollback(True)
    client.cookies = cookies


def complaints(client: Client, table: Table, address: Address, who: str) -> Iterator[str]:
    path = fill(address, table)
    for method in address.methods:
        for body in address.bodies() if method != "get" else [{}]:
            with undone(client):
                answer = send(client, method, path, body_for(body, table), is_api=address.is_api)
                wrong = what_is_wrong(answer, address)
            if wrong:
                yield f"{method} {address.route} by {who} with {body}: {wrong}"


def send(client: Client, method: str, path: str, body: dict[str, Any], *, is_api: bool) -> Any:
    call = getattr(client, method)
    if method == "get":
        return call(path)
    return call(path, body, "application/json") if is_api else call(path, body)


def what_is_wrong(answer: Any, address: Address) -> str:
    if answer.status_code >= 500:
        return f"{answer.status_code} {answer.exc_info!r}"
    if address.is_api and answer.status_code >= 400 and not answer.json().get("code"):
        return f"{answer.status_code} without a code"
    return ""


def client_of(player: User | None) -> Client:
    client = Client(raise_request_exception=False)
    if player is not None:
        client.force_login(player)
    return client


def test_the_walk_finds_every_kind_of_address():
    found = {address.route for address in addresses()}

    assert {
        "api/v1/tables/<uuid:table_id>/split/",
        "api/v1/tables/<uuid:table_id>/windows/<uuid:window_id>/answer/",
        "api/v1/tables/<uuid:table_id>/deals/<int:no>/history.txt",
        "history/<uuid:table_id>/<int:no>/<int:ply>/dispute/",
        "tables/<uuid:table_id>/join/",
    } <= found
    tails = {address.route.rpartition("<uuid:table_id>/")[2] for address in addresses()}
    unread = {name for name in BODIES if not any(tail.endswith(name) for tail in tails)}
    assert unread == set()


def test_the_chosen_tables_are_of_every_phase():
    assert {TABLES[name][1] for name in EACH_KIND} == set(Table.Phase.values)


def complaints_at(name: str, addresses: Sequence[Address], whom: Callers) -> list[str]:
    """Walk these addresses of a table as those callers; seats that are still there come first."""
    build, phase = TABLES[name]
    table = reread(build())
    assert table.phase == phase
    seats = list(table.seats.order_by("left_at", "number", "pk").select_related("player"))
    seats.sort(key=lambda seat: seat.left_at is not None)
    callers: list[Caller] = [(f"seat {seat.number}", seat.player) for seat in seats]
    callers += [("a stranger", make_player()), ("nobody", None)]
    return [
        text
        for who, player in whom(callers)
        for client in [client_of(player)]
        for at in addresses
        for text in complaints(client, table, at, who)
    ]


def the_first_seat(callers: list[Caller]) -> list[Caller]:
    return callers[:1]


def one_of_each_other_kind(callers: list[Caller]) -> list[Caller]:
    """Return the player of the last seat, who may have left, another player, and None."""
    return callers[-3:]


def everybody(callers: list[Caller]) -> list[Caller]:
    return callers


def commands() -> list[Address]:
    """What a seat may ask for over the API."""
    found = [at for at in addresses() if at.is_api and set(at.methods) - {"get"}]
    return [Address(at.route, tuple(name for name in at.methods if name != "get")) for at in found]


@pytest.fixture
def one_body_each(monkeypatch):
    """Let each address be sent the first of its bodies alone."""
    bodies = Address.bodies
    monkeypatch.setattr(Address, "bodies", lambda self: bodies(self)[:1])


@pytest.mark.parametrize("name", FIRST)
def test_every_command_of_a_seat_is_answered_in_every_phase(name, one_body_each):
    assert complaints_at(name, commands(), the_first_seat) == []


@pytest.mark.extended
@pytest.mark.parametrize("name", EACH_KIND)
def test_every_page_and_view_answers_a_player_in_every_phase(name, one_body_each):
    assert complaints_at(name, list(addresses()), the_first_seat) == []


@pytest.mark.extended
@pytest.mark.parametrize("name", FIRST)
def test_every_address_answers_others_than_the_player(name, one_body_each):
    assert complaints_at(name, list(addresses()), one_of_each_other_kind) == []


@pytest.mark.soak
@pytest.mark.parametrize("name", TABLES)
def test_every_address_answers_everybody_whatever_they_send(name):
    assert complaints_at(name, list(addresses()), everybody) == []
