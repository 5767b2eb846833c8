"""Display settings: theme, suits, sound and language, stored in cookies."""

import pytest
from django.urls import reverse

from players.accounts.models import User

pytestmark = pytest.mark.django_db


def test_a_choice_is_kept_by_the_browser_and_shown_on_every_page(client):
    answer = client.post(reverse("look"), {"theme": "dark", "suits": "four", "next": "/rules/"})

    assert (answer.status_code, answer["Location"]) == (302, "/rules/")
    page = client.get("/rules/").content.decode()
    assert 'data-theme="dark" data-suits="four" data-sound="off"' in page
    assert '<meta name="color-scheme" content="dark">' in page


def test_omitted_display_settings_stay_unchanged(client):
    client.post(reverse("look"), {"theme": "light"})
    client.post(reverse("look"), {"sound": "on"})

    assert 'data-theme="light" data-suits="two" data-sound="on"' in (
        client.get("/rules/").content.decode()
    )


def test_unknown_display_cookie_is_ignored(client):
    client.cookies["theme"] = '"><script>'

    page = client.get("/rules/").content.decode()

    assert 'data-theme="system"' in page
    assert "<script>" not in page


def test_an_unknown_choice_is_refused_and_nothing_is_kept(client):
    answer = client.post(reverse("look"), {"theme": "neon", "sound": "on"})

    assert answer.status_code == 200
    assert b"neon" in answer.content
    assert not answer.cookies.keys() & {"theme", "sound"}


@pytest.mark.parametrize("away", ["https://elsewhere.example/", "//elsewhere.example", ""])
def test_display_settings_do_not_redirect_to_another_site(client, away):
    answer = client.post(reverse("look"), {"theme": "dark", "next": away})

    assert answer["Location"] == reverse("look")


def test_a_players_language_goes_to_the_account(client):
    player = User.objects.create_user(handle="polyglot", email="p@example.com", language="xx")
    other = User.objects.create_user(handle="other", email="o@example.com", language="xx")
    client.force_login(player)

    client.post(reverse("look"), {"language": "en"})

    player.refresh_from_db()
    other.refresh_from_db()
    assert (player.language, other.language) == ("en", "xx")


@pytest.mark.parametrize(("language", "kept"), [("hi", "hi"), ("en", "en"), ("xx", None)])
def test_signing_in_brings_the_accounts_language_to_the_browser(client, language, kept):
    player = User.objects.create_user(
        handle="polyglot", email="p@example.com", password="marigold-felt-27", language=language
    )

    answer = client.post(
        reverse("account_login"), {"login": player.email, "password": "marigold-felt-27"}
    )

    assert answer.status_code == 302
    cookie = answer.cookies.get("django_language")
    assert (cookie.value if cookie else None) == kept
