"""Breaks on the page and in the API."""

from datetime import timedelta

import pytest
from django.urls import reverse

from players.eligibility.break_models import Break
from players.eligibility.breaks import take_break
from tests.builders.tables.making import make_table
from tests.builders.wallet.players import make_player

pytestmark = pytest.mark.django_db


@pytest.fixture
def player(client):
    player = make_player()
    client.force_login(player)
    return player


def take_a_seat(client, **more):
    address = f"/api/v1/tables/{make_table().public_id}/seats/"
    return client.post(address, {}, content_type="application/json", **more)


def test_a_break_is_taken_on_the_page_and_shown_there(client, player):
    page = client.post(
        reverse("break"), {"length": "cool_off:7", "is_sure": "on"}, follow=True
    ).text

    [taken] = Break.objects.all()
    assert (taken.player, taken.ends_at - taken.began_at) == (player, timedelta(days=7))
    assert f'datetime="{taken.ends_at.astimezone().strftime("%Y-%m-%d")}' in page
    assert "but not shorten it" in page


@pytest.mark.parametrize("said", [{"length": "cool_off:7"}, {"is_sure": "on"}, {"length": "x:1"}])
def test_break_needs_a_valid_length_and_confirmation(client, player, said):
    page = client.post(reverse("break"), said)

    assert "errorlist" in page.text
    assert not Break.objects.exists()


def test_permanently_excluded_player_is_offered_no_other_break(client, player):
    take_break(player=player, kind=Break.Kind.EXCLUSION, length=None)

    page = client.get(reverse("break")).text

    assert "For good" in page
    assert 'name="length"' not in page


def test_the_page_and_the_refusal_are_in_hindi_too(client, player):
    hindi = {"Accept-Language": "hi"}
    client.post(reverse("break"), {"length": "cool_off:7", "is_sure": "on"})

    page = client.get(reverse("break"), headers=hindi).text
    refused = take_a_seat(client, headers=hindi)

    assert "विराम" in page
    assert "Take a break" not in page
    assert "विराम" in refused.json()["detail"]


def test_the_api_begins_a_break_and_refusals_say_since_when(client, player):
    answer = client.post(
        reverse("api-breaks"), {"kind": "cool_off", "days": 2}, content_type="application/json"
    )
    refused = take_a_seat(client)

    begun = Break.objects.get()
    assert (answer.status_code, answer.json()["kind"]) == (201, "cool_off")
    assert client.get(reverse("api-breaks")).json()["results"] == [answer.json()]
    assert (refused.status_code, refused.json()["code"]) == (403, "cooling_off")
    assert refused.json()["since"] == begun.began_at.isoformat()
    assert refused.json()["until"] == begun.ends_at.isoformat()
