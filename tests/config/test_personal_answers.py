"""Caches may store public responses and no personal ones."""

from uuid import UUID

import pytest
from django.test import Client
from django.urls import reverse

from finance.tokens.actions import create_token
from tests.builders.processes.routes import is_private, routes
from tests.builders.tables.making import make_game
from tests.builders.tables.playing import move, seat_at

pytestmark = pytest.mark.django_db
FILLINGS = {"uuid": str(UUID(int=1)), "int": "1", "slug": "pool", "str": "x", "path": "x"}


def addresses(table):
    """Every address of the site, filled with the table's id or something of its kind."""
    for path, view in routes():
        if "(?P" in path or not hasattr(view, "__name__"):
            continue
        filled = path
        while "<" in filled:
            before, _, rest = filled.partition("<")
            named, _, after = rest.partition(">")
            kind, _, name = named.rpartition(":")
            text = str(table.public_id) if name == "table_id" else FILLINGS[kind or "str"]
            filled = f"{before}{text}{after}"
        yield path, "/" + filled.replace("^", "").replace("$", "")


@pytest.mark.extended
def test_pages_of_staff_and_finance_are_not_cached(client):
    """`test_every_page.py` asks for all others."""
    table = make_game(players=2)
    client.force_login(seat_at(table, 1).player)
    client.raise_request_exception = False

    found = {
        path: client.get(address)
        for path, address in addresses(table)
        if path.startswith(("admin/", "api/v1/finance/")) and "logout" not in path
    }

    assert len(found) > 100
    assert {path for path, answer in found.items() if not is_private(answer)} == set()


@pytest.mark.extended
def test_moves_and_finance_reports_are_not_cached(client):
    table = make_game(players=2)
    client.force_login(seat_at(table, 1).player)
    body = {"move_id": str(UUID(int=7)), "move": "ds", "expected_version": table.version}
    path = f"/api/v1/tables/{table.public_id}/moves/"
    _, text = create_token(name="books", scopes=["rake"], created_by=None)

    made = [client.post(path, body, content_type="application/json") for _ in range(2)]
    bearer = {"Authorization": f"Bearer {text}"}
    read = Client().get("/api/v1/finance/rake/", headers=bearer)

    assert [answer.status_code for answer in (*made, read)] == [200, 200, 200]
    assert all(map(is_private, (*made, read)))


def test_public_answers_may_be_cached():
    table = make_game(players=2)
    move(table, 1, "ds")

    for address in ("/rules/", f"/api/v1/tables/{table.public_id}/public/", "/api/schema/"):
        answer = Client().get(address)

        assert answer.status_code == 200
        assert "no-store" not in answer.headers.get("Cache-Control", ""), address
    # A page with a form gives its reader a cookie, which is nobody else's.
    assert is_private(Client().get(reverse("account_login")))
