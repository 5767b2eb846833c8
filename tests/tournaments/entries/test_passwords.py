"""Tournaments with a password: registration by page and API, refusals and the rate of attempts."""

import pytest
from django.contrib.auth.hashers import make_password
from django.urls import reverse

from core.http.rates import Rate, Rates
from tests.builders.tables.making import make_player
from tests.builders.tournaments.tournaments import make_tournament
from tournaments.entries.models import Entry
from wallet.stakes.models import Stake

pytestmark = pytest.mark.django_db
PASSWORD = "monsoon-cup"


@pytest.fixture
def tournament():
    return make_tournament(password_hash=make_password(PASSWORD))


def attempt(client, tournament, **body):
    address = reverse("tournament-entry-api", args=[tournament.public_id])
    return client.post(address, body, content_type="application/json")


def test_registration_needs_the_password(client, tournament):
    player = make_player()
    client.force_login(player)

    for body in ({}, {"password": "monsoon"}):
        answer = attempt(client, tournament, **body)
        assert (answer.status_code, answer.json()["code"]) == (403, "wrong_password")
    assert not Stake.objects.exists()
    page = reverse("tournament-register", args=[tournament.public_id])
    assert "not the password" in client.post(page, {"password": "?"}, follow=True).text

    assert attempt(client, tournament, password=PASSWORD).status_code == 201
    assert Entry.objects.get().player == player


def test_page_and_api_show_that_there_is_a_password_and_not_the_hash(client, tournament):
    client.force_login(make_player())
    page = client.get(reverse("tournament", args=[tournament.public_id])).text
    shown = client.get(reverse("tournament-api", args=[tournament.public_id]))
    listed = client.get(reverse("tournaments-api"))

    assert 'type="password"' in page
    assert shown.json()["has_password"] is True
    assert [row["has_password"] for row in listed.json()["results"]] == [True]
    for text in (page, shown.text, listed.text):
        assert tournament.password_hash not in text
        assert "password_hash" not in text


def test_attempts_are_limited(client, tournament, settings):
    settings.THROTTLES = settings.THROTTLES | {"passwords": Rates(Rate(2, 3_600), None)}
    client.force_login(make_player())

    answers = [attempt(client, tournament, password=word) for word in ("a", "b", PASSWORD)]

    assert [answer.json()["code"] for answer in answers[:2]] == ["wrong_password"] * 2
    assert (answers[2].status_code, answers[2].json()["code"]) == (429, "too_many_passwords")
    assert not Entry.objects.exists()
