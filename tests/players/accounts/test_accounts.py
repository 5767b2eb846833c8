"""Accounts: sign-up, handles and consent."""

import pytest
from django.db import IntegrityError, transaction
from django.urls import reverse

from players.accounts import consent
from players.accounts.models import User
from players.eligibility.verdicts import Act, may
from tests.builders.people.accounts import PASSWORD, sign_up
from tests.builders.people.regions import open_region
from tests.builders.wallet.players import admit_to_cash, make_player

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("handle", ["ab", "has space", "x" * 21, "<script>"])
def test_a_malformed_handle_is_refused_with_the_reason(client, handle):
    response = sign_up(client, handle=handle)

    assert response.status_code == 200
    assert "3 to 20" in response.content.decode() or "at most 20" in response.content.decode()
    assert not User.objects.exists()


def test_a_handle_is_taken_in_any_spelling(client):
    User.objects.create_user(handle="Newcomer", email="old@example.com", password=PASSWORD)

    response = sign_up(client)

    assert "This player name is taken" in response.content.decode()
    assert User.objects.count() == 1


def test_sign_up_shows_the_stored_data_and_makes_a_player_who_agreed_to_it(client):
    text, page = client.get(reverse("account_signup")).text, reverse("network-data")
    assert f'href="{page}"' in text.split("<main")[1].split("</main>")[0]
    assert sign_up(client).status_code == 302

    player = User.objects.get(handle="newcomer", email="new@example.com")
    assert client.session["_auth_user_id"] == str(player.pk)
    assert player.consent_version == consent.VERSION
    assert f"You have agreed to version {consent.VERSION}" in client.get(page).text


def test_player_who_agreed_to_an_earlier_text_is_asked_again(client):
    sign_up(client)
    player, page = User.objects.get(), reverse("network-data")
    assert "has changed since you agreed" not in client.get(reverse("lobby")).text
    User.objects.update(consent_version="2020-01-01")

    asked = client.get(reverse("lobby")).text
    assert "has changed since you agreed" in asked
    assert f'href="{page}"' in asked.split("has changed since you agreed")[1][:200]
    shown = client.get(page).text
    assert "You have agreed to version 2020-01-01" in shown
    client.post(page, {"version": "2020-01-01"})  # Of a page opened before the text changed.
    player.refresh_from_db()
    assert player.must_agree
    client.post(page, {"version": consent.VERSION})

    player.refresh_from_db()
    assert player.consent_version == consent.VERSION
    assert "has changed since you agreed" not in client.get(reverse("lobby")).text
    assert "I agree" not in client.get(page).text


def test_account_created_by_staff_is_asked_for_consent_before_play_for_money(client):
    client.force_login(make_player(is_staff=True, is_superuser=True))
    fields = {"email": "made@example.com", "handle": "made", "usable_password": "true"}
    fields |= {"password1": PASSWORD, "password2": PASSWORD}
    assert client.post(reverse("admin:players_user_add"), fields).status_code == 302
    player = User.objects.get(handle="made")
    open_region("IN-KA")
    admit_to_cash(player)

    refused = may(player, Act.CASH)
    client.force_login(player)
    asked = client.get(reverse("lobby")).text
    client.post(reverse("network-data"), {"version": consent.VERSION})

    assert refused.code == "consent_outdated"
    assert "has changed since" not in refused.sentence + asked
    assert "agree to what we store about your network" in asked
    assert may(User.objects.get(pk=player.pk), Act.CASH).is_allowed
    assert may(player, Act.WITHDRAW).is_allowed


def test_strangers_agree_to_nothing(client):
    page = reverse("network-data")
    assert "I agree" not in client.get(page).text

    assert client.post(page, {"version": consent.VERSION}).status_code == 302


def test_people_need_an_email_and_bots_do_not():
    User.objects.create_user(handle="bot_one", is_bot=True)

    with pytest.raises(IntegrityError, match="players_user_email_unless"), transaction.atomic():
        User.objects.create_user(handle="nobody")


def test_staff_use_the_login_page_of_players(client):
    response = client.get("/admin/login/")

    assert response.status_code == 302
    assert response["Location"].startswith(reverse("account_login"))


def test_second_factors_are_not_shown_in_the_admin(client):
    client.force_login(
        User.objects.create_superuser(handle="admin", email="a@example.com", password=PASSWORD)
    )

    assert client.get("/admin/").status_code == 200
    assert client.get("/admin/mfa/authenticator/").status_code == 404


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
