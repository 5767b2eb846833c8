"""Requests in other encodings than UTF-8 are refused before they are read."""

import pytest
from django.test import Client

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
