"""Requests with a current ETag get 304."""

import pytest

from tests.builders.tables.making import make_table
from tests.builders.wallet.players import fund, make_player

pytestmark = pytest.mark.django_db


PATHS = ["/api/v1/tables/", "/api/v1/wallet/", "/api/v1/wallet/statement/"]


@pytest.mark.parametrize("path", PATHS)
def test_unchanged_answer_is_304_without_a_body(client, path):
    client.force_login(make_player())
    first = client.get(path)

    again = client.get(path, headers={"If-None-Match": first["ETag"]})

    assert (first.status_code, again.status_code) == (200, 304)
    assert (again.content, again["ETag"]) == (b"", first["ETag"])
    assert again["Cache-Control"] == first["Cache-Control"] == "private, no-store"


def test_changed_answer_is_sent_in_full(client):
    player = make_player()
    client.force_login(player)
    paths = ("/api/v1/tables/", "/api/v1/wallet/")
    before = {path: client.get(path)["ETag"] for path in paths}

    make_table()
    fund(player, deposit=100_00)

    for path in paths:
        answer = client.get(path, headers={"If-None-Match": before[path]})
        assert answer.status_code == 200
        assert answer["ETag"] != before[path]
        assert answer.json()


def test_etag_gives_no_access_after_the_session(client):
    client.force_login(make_player())
    tag = client.get("/api/v1/wallet/")["ETag"]
    client.logout()

    assert client.get("/api/v1/wallet/", headers={"If-None-Match": tag}).status_code == 403


def test_moves_and_pages_have_no_etags(client):
    client.force_login(make_player())

    assert "ETag" not in client.get("/wallet/")
    assert "ETag" not in client.post("/api/v1/wallet/refill/")
