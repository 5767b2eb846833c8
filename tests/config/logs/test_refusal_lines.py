"""A refusal that belongs to play is one line of the log at the level of information."""

import logging

import pytest
from django.test import Client

from tests.builders.tables.making import make_game, make_player

pytestmark = pytest.mark.django_db


class Lines(logging.Handler):
    def __init__(self):
        super().__init__()
        self.found = []

    def emit(self, record):
        self.found.append((record.name, record.levelname))


@pytest.fixture
def lines():
    handler = Lines()
    root = logging.getLogger()
    root.addHandler(handler)
    yield handler.found
    root.removeHandler(handler)


@pytest.mark.extended
def test_conflict_is_logged_as_info_and_another_refusal_as_warning(lines):
    table = make_game(players=2)
    client = Client()
    client.force_login(make_player())
    lines.clear()

    answer = client.post(f"/api/v1/tables/{table.public_id}/seats/", {}, "application/json")
    assert answer.status_code == 409
    assert Client().get("/nowhere/").status_code == 404

    assert lines == [("django.request", "INFO"), ("django.request", "WARNING")]
