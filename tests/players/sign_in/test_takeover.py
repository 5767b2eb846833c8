"""A signed-in browser that somebody else sits at does not give them the account."""

import re

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.test import Client
from django.urls import reverse

from config.celery import app
from players.tokens.models import PlayerToken
from tests.builders.wallet.players import make_player

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.usefixtures("fresh_cache", "lawful"),
]
PASSWORD, STRANGERS = "the owner's long pass phrase", "the stranger's long pass phrase"
OTHER = "stranger@example.com"
PAYEE = {"payee_name": "Asha Rao", "bank_account": "000111222333", "ifsc": "HDFC0001234"}
PLACE = {"country": "IN", "region": "KA"}


@pytest.fixture(autouse=True)
def _letters_at_once(monkeypatch):
    monkeypatch.setattr(app.conf, "task_always_eager", True)


@pytest.fixture
def owner():
    return make_player(password=PASSWORD, **PLACE)


@pytest.fixture
def browser(client, owner):
    """Return a browser in which the owner has signed in and which they have left open."""
    client.post(reverse("account_login"), {"login": owner.email, "password": PASSWORD})
    assert client.session["_auth_user_id"] == str(owner.pk)
    return client


def follow_link(client, *, to, path):
    """Open the newest link under `path` in the mail to an address, as its reader does."""
    letters = [letter for letter in mail.outbox if to in letter.to and path in letter.body]
    [link] = re.findall(rf"https?://[^/\s]+(/{path}\S+)", letters[-1].body)
    return client.get(link, follow=True), link


def test_an_open_browser_does_not_take_the_account(browser, owner):
    """The whole attack: add an address, make it primary, remove the old, reset the password."""
    page = reverse("account_email")
    browser.post(page, {"action_add": "", "email": OTHER})
    for letter in mail.outbox:
        if OTHER in letter.to:
            _page, link = follow_link(browser, to=OTHER, path="accounts/confirm-email/")
            browser.post(link)
    browser.post(page, {"action_primary": "", "email": OTHER})
    browser.post(page, {"action_remove": "", "email": owner.email})
    stranger = Client()
    stranger.post(reverse("account_reset_password"), {"email": OTHER})
    resets = [
        each for each in mail.outbox if OTHER in each.to and "password/reset/key" in each.body
    ]
    if resets:
        shown, _link = follow_link(stranger, to=OTHER, path="accounts/password/reset/key/")
        form = {"password1": STRANGERS, "password2": STRANGERS}
        stranger.post(shown.redirect_chain[-1][0], form)

    owner.refresh_from_db()
    assert owner.check_password(PASSWORD)
    assert [*EmailAddress.objects.filter(user=owner).values_list("email", flat=True)] == [
        owner.email
    ]
    assert not any(OTHER in letter.to for letter in mail.outbox if "confirm-email" in letter.body)
    assert resets == []


def test_an_open_browser_makes_no_token(browser, owner):
    browser.post(reverse("tokens"), {"name": "theirs", "scopes": ["read", "play"]})

    assert not PlayerToken.objects.of_player(owner).exists()


def test_an_open_browser_registers_no_bank_account_on_the_page_or_over_the_api(browser, owner):
    page = browser.post(reverse("payees"), PAYEE)
    api = browser.post("/api/v1/wallet/payees/", PAYEE, content_type="application/json")

    assert page.status_code == 302
    assert page["Location"].startswith(reverse("account_reauthenticate"))
    assert (api.status_code, api.json()["code"]) == (403, "reauthentication_required")
    assert not owner.payees.exists()


def test_an_open_browser_raises_no_limit_but_lowers_one(browser, owner):
    ask = {"kind": "loss", "period": "day", "currency": "INR"}

    def limit(most):
        body = ask | {"amount_minor": most}
        answer = browser.post("/api/v1/account/limits/", body, content_type="application/json")
        return answer.status_code, answer.json().get("code")

    assert limit(500_00) == (200, None)
    assert limit(100_00) == (200, None)
    assert limit(200_00) == (403, "reauthentication_required")
    assert limit(None) == (403, "reauthentication_required")
    assert [act.amount_minor for act in owner.own_limits.order_by("pk")] == [500_00, 100_00]
