"""Pages are compressed without revealing their secrets by size; data for programs is not."""

import gzip
import re

import pytest
from django.test import Client

from tests.builders.tables.making import make_game, make_player

TOKEN = re.compile(rb'name="csrfmiddlewaretoken" value="(\w+)"')


@pytest.fixture
def page(client):
    client.force_login(make_player())
    client.get("/wallet/")  # What is shown once is shown.
    return lambda **headers: client.get("/wallet/", headers=headers)


@pytest.mark.django_db
def test_page_is_compressed_if_the_client_accepts_it(page):
    plain, packed = page(), page(accept_encoding="gzip, br")

    assert "Content-Encoding" not in plain.headers
    assert packed.headers["Content-Encoding"] == "gzip"
    assert "Accept-Encoding" in packed.headers["Vary"]
    assert len(packed.content) < len(plain.content) / 2
    assert b"Recent transactions" in gzip.decompress(packed.content)


@pytest.mark.django_db
def test_size_of_a_page_does_not_reveal_its_secrets(page):
    answers = [page(accept_encoding="gzip").content for _ in range(12)]

    tokens = [TOKEN.findall(gzip.decompress(answer)) for answer in answers]
    assert all(tokens)
    assert len({found[0] for found in tokens}) == len(answers)
    assert len({len(answer) for answer in answers}) > 3


@pytest.mark.django_db
def test_data_for_programs_is_not_compressed(client):
    address = f"/api/v1/tables/{make_game().public_id}/public/"

    answer = client.get(address, headers={"accept-encoding": "gzip"})

    assert len(answer.json()["seats"]) == 2
    assert "Content-Encoding" not in answer.headers


FORM = "application/x-www-form-urlencoded"


@pytest.mark.parametrize("encoding", ["utf-16", "idna", "latin-1"])
@pytest.mark.parametrize("kind", [FORM, "multipart/form-data; boundary=x", "application/json"])
def test_request_in_another_encoding_is_refused(encoding, kind):
    stranger = Client(enforce_csrf_checks=True, raise_request_exception=False)

    answer = stranger.post("/play/", b"a=1", content_type=f"{kind}; charset={encoding}")

    assert (answer.status_code, answer.json()["code"]) == (415, "unsupported_media_type")


@pytest.mark.django_db
@pytest.mark.parametrize("encoding", ["utf-8", "UTF-8", "utf8"])
def test_utf_8_is_accepted_by_each_of_its_names(encoding):
    stranger = Client(enforce_csrf_checks=True, raise_request_exception=False)

    answer = stranger.post("/play/", b"a=1", content_type=f"{FORM}; charset={encoding}")

    assert answer.status_code == 403  # No token: the form was read.
