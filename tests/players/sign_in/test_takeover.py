"""An intruder at a signed-in browser cannot take over the account."""

import re

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.core import mail
from django.test import Client
from django.urls import reverse

from config.celery import app
from players.sign_in.security import code_page, middleware
from players.sign_in.tokens.models import PlayerToken
from tests.builders.people.accounts import unverify
from tests.builders.people.sessions import prove
from tests.builders.processes.routes import named_routes
from tests.builders.wallet.players import make_player
from wallet.bonuses.play_points import sign_up_guest

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("fresh_cache", "lawful")]
PASSWORD, STRANGERS = "the owner's long pass phrase", "the stranger's long pass phrase"
OTHER = "stranger@example.com"
PAYEE = {"payee_name": "Asha Rao", "bank_account": "000111222333", "ifsc": "HDFC0001234"}
CODE_PAGE_PATH = "/accounts/reauthenticate/code/"
PLACE = {"country": "IN", "region": "KA"}


@pytest.fixture(autouse=True)
def _letters_at_once(monkeypatch):
    monkeypatch.setattr(app.conf, "task_always_eager", True)


@pytest.fixture
def owner():
    return make_player(password=PASSWORD, **PLACE)


@pytest.fixture
def browser(client, owner):
    """Return a browser in which the owner is signed in."""
    client.post(reverse("account_login"), {"login": owner.email, "password": PASSWORD})
    assert client.session["_auth_user_id"] == str(owner.pk)
    return client


def follow_link(client, *, to, path):
    """Open the newest link under `path` in the e-mails to an address."""
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


def code_in_the_mail():
    return re.findall(r"^\s*([0-9A-Z]{4}-[0-9A-Z]{4})\s*$", mail.outbox[-1].body, re.MULTILINE)[0]


@pytest.fixture
def without_password(client):
    """Return a player with an account without a password, created by staff, and their browser."""
    player = make_player(**PLACE)
    client.force_login(player)
    return player, client


PAGES_THAT_ASK = {
    "account_set_password",
    "mfa_activate_totp",
    "mfa_deactivate_totp",
    "mfa_generate_recovery_codes",
    "mfa_view_recovery_codes",
    "mfa_download_recovery_codes",
}


@pytest.mark.parametrize("has_password", [True, False])
def test_allauth_pages_require_proof_unless_listed_as_open(client, has_password):
    """New pages of allauth also require re-authentication."""
    player = make_player(password=PASSWORD if has_password else None, **PLACE)
    client.force_login(player)
    names = {
        name
        for name, path, _view in named_routes("/accounts/")
        if not set("<(^") & set(path) and name not in middleware.OPEN
    }
    proof = reverse("account_reauthenticate") if has_password else CODE_PAGE_PATH

    asked = {name for name in names if asks(client, reverse(name), proof)}

    assert names - asked == ({"account_change_password"} if has_password else set())
    assert asked >= PAGES_THAT_ASK | {"account_email"}


def asks(client, url, proof):
    answer = client.post(url, {"action_add": "", "email": OTHER})
    return answer.status_code == 302 and answer["Location"].startswith(proof)


def test_the_addresses_may_be_read_and_a_verification_sent_again(browser, owner):
    unverify(owner)
    page = reverse("account_email")

    assert browser.get(page).status_code == 200
    browser.post(page, {"action_send": "", "email": owner.email})
    browser.post(page, {"action_send": "", "action_add": "", "email": OTHER})

    assert [letter.to for letter in mail.outbox] == [[owner.email]]
    assert not EmailAddress.objects.filter(email=OTHER).exists()


def test_refused_request_is_not_executed_after_reauthentication(browser, owner):
    """A refused request is not executed after re-authentication."""
    page = reverse("account_email")
    asked = browser.post(page, {"action_add": "", "email": OTHER})

    back = browser.post(asked["Location"], {"password": PASSWORD})

    assert back["Location"] == page
    assert not EmailAddress.objects.filter(email=OTHER).exists()
    browser.post(page, {"action_add": "", "email": OTHER})
    assert EmailAddress.objects.filter(user=owner, email=OTHER).exists()


@pytest.mark.parametrize(
    "headers", [{"accept": "application/json"}, {"x-requested-with": "XMLHttpRequest"}]
)
def test_a_program_without_a_proof_reads_a_refusal_and_no_page(browser, owner, headers):
    """A redirect would end at a page with status 200, as if the change were made."""
    sent = {"action_add": "", "email": OTHER}
    for name in ("account_email", "tokens", "payees", "mfa_generate_recovery_codes"):
        answer = browser.post(reverse(name), sent, headers=headers, follow=True)
        assert (answer.status_code, answer.redirect_chain) == (403, []), name
        assert answer.json()["code"] == "reauthentication_required"

    prove(browser)
    assert browser.post(reverse("account_email"), sent, headers=headers).status_code == 200
    assert EmailAddress.objects.filter(user=owner, email=OTHER).exists()


@pytest.mark.parametrize(("seconds", "is_asked"), [(595, False), (605, True)])
def test_a_proof_counts_for_ten_minutes(browser, seconds, is_asked):
    prove(browser, seconds_ago=seconds)

    answer = browser.post(reverse("tokens"), {"name": "mine", "scopes": ["read"]})

    assert (answer.status_code == 302) == is_asked


def test_a_wrong_password_proves_nothing_and_few_may_be_tried(browser, owner):
    page = reverse("account_reauthenticate")
    tried = [browser.post(page, {"password": f"wrong {n}"}).status_code for n in range(10)]

    assert tried == [200] * 9 + [429]
    assert browser.post(page, {"password": PASSWORD}).status_code == 200, "none is tried any more"
    assert asks(browser, reverse("tokens"), reverse("account_reauthenticate"))


def test_with_a_second_factor_the_password_alone_proves_nothing(browser, owner):
    Authenticator.objects.create(user=owner, type="totp", data={"secret": "A" * 32})

    answer = browser.post(reverse("account_reauthenticate"), {"password": PASSWORD})

    assert answer["Location"].startswith(reverse("mfa_reauthenticate"))
    assert asks(browser, reverse("tokens"), reverse("mfa_reauthenticate"))
    assert asks(browser, reverse("account_change_password"), reverse("mfa_reauthenticate"))


def test_player_without_a_password_reauthenticates_by_code(without_password):
    player, client = without_password
    page = reverse("tokens")
    asked = client.post(page, {"name": "mine", "scopes": ["read"]})
    assert asked["Location"] == f"{CODE_PAGE_PATH}?next=%2Faccount%2Ftokens%2F"

    client.post(asked["Location"], {"send": "1", "next": page})
    [letter] = mail.outbox
    assert letter.to == [player.email]
    wrong = client.post(CODE_PAGE_PATH, {"code": "AAAA-AAAA", "next": page})
    right = client.post(CODE_PAGE_PATH, {"code": code_in_the_mail().lower(), "next": page})

    assert wrong.status_code == 200
    assert right["Location"] == page
    made = client.post(page, {"name": "mine", "scopes": ["read"]})
    assert made.status_code == 200
    assert PlayerToken.objects.of_player(player).count() == 1


def test_a_code_ends_after_three_tries_with_use_and_with_time(without_password, clocks):
    _player, client = without_password

    def sent():
        client.post(CODE_PAGE_PATH, {"send": "1"})
        return code_in_the_mail()

    def opens(code):
        return client.post(CODE_PAGE_PATH, {"code": code}).status_code == 302

    code = sent()
    assert [opens(f"BBBB-BBB{n}") for n in (2, 3, 4)] == [False] * 3
    assert not opens(code)
    first, second = sent(), sent()
    assert not opens(first)
    assert opens(second)
    assert not opens(second)
    late = sent()
    clocks.let_pass(seconds=code_page.SECONDS + 1)
    assert not opens(late)


def test_neither_codes_nor_guesses_of_them_are_without_end(without_password):
    """New codes give an intruder no more guesses."""
    player, client = without_password

    def send():
        return client.post(CODE_PAGE_PATH, {"send": "1"}).status_code

    for _ in range(5):
        assert send() == 200
        for number in (2, 3):
            client.post(CODE_PAGE_PATH, {"code": f"BBBB-BBB{number}"})
    code = code_in_the_mail()
    assert client.post(CODE_PAGE_PATH, {"code": code}).status_code == 200
    assert asks(client, reverse("tokens"), CODE_PAGE_PATH), "nor is a right one taken any more"

    assert [send() for _ in range(6)] == [200] * 5 + [429]
    assert len([letter for letter in mail.outbox if letter.to == [player.email]]) == 10


def test_a_guest_keeps_the_account_without_a_proof_and_has_no_other_way_to_an_address(client):
    guest = sign_up_guest()
    client.force_login(guest)

    for name in ("account_email", "account_set_password", "mfa_activate_totp"):
        answer = client.post(reverse(name), {"action_add": "", "email": OTHER})
        assert answer["Location"] == reverse("account-keep")
    assert not EmailAddress.objects.filter(user=guest).exists()
    kept = {"email": "kept@example.com", "handle": "kept_guest", "password": PASSWORD}
    assert client.post(reverse("account-keep"), kept)["Location"] == reverse("lobby")
    guest.refresh_from_db()
    assert (guest.is_guest, guest.email) == (False, "kept@example.com")


def test_routes_that_change_payees_tokens_or_limits_require_proof(browser, owner):
    """The pages and the API, side by side; a lower limit and a break never ask."""
    prove(browser)
    browser.post(reverse("payees"), PAYEE)
    browser.post(reverse("tokens"), {"name": "mine", "scopes": ["read"]})
    browser.post(reverse("own-bots"), {"handle": "owners_bot"})
    payee, token = owner.payees.get(), PlayerToken.objects.of_player(owner).get()
    bot = owner.declared_bots.get()
    day = {"period": "day", "amount": "100"}
    browser.post(reverse("deposit-limits"), day)
    browser.post(reverse("own-play"), {"what": "tables:", "most": "3"})
    prove(browser, seconds_ago=3600)
    proof = reverse("account_reauthenticate")

    pages = [
        (reverse("payees"), PAYEE | {"bank_account": "000999888777"}),
        (reverse("remove-payee", args=[payee.public_id]), {}),
        (reverse("tokens"), {"name": "theirs", "scopes": ["read"]}),
        (reverse("token-end", args=[token.pk]), {}),
        (reverse("own-bots"), {"handle": "their_bot"}),
        (reverse("own-bot", args=[bot.pk, "token"]), {}),
        (reverse("own-bot", args=[bot.pk, "end"]), {}),
        (reverse("deposit-limits"), day | {"amount": "200"}),
        (reverse("deposit-limits"), {"period": "day", "amount": ""}),
        (reverse("own-play"), {"what": "tables:", "most": "4"}),
        (reverse("own-play"), {"what": "tables:", "most": ""}),
        (reverse("account-close"), {}),
    ]
    for url, sent in pages:
        assert browser.post(url, sent).get("Location", "").startswith(proof), url
    api = [
        ("post", "/api/v1/wallet/payees/", PAYEE | {"bank_account": "000999888777"}),
        ("delete", f"/api/v1/wallet/payees/{payee.public_id}/", {}),
        (
            "post",
            "/api/v1/wallet/deposits/limits/",
            {"period": "day", "amount_minor": 200_00, "currency": "INR"},
        ),
        ("post", "/api/v1/account/limits/", {"kind": "tables", "number": 4}),
        ("post", "/api/v1/account/limits/", {"kind": "tables", "number": None}),
    ]
    for method, url, body in api:
        answer = getattr(browser, method)(url, body, content_type="application/json")
        assert (answer.status_code, answer.json()["code"]) == (403, "reauthentication_required")
    lower = {"kind": "tables", "number": 2}
    assert browser.post(api[-1][1], lower, content_type="application/json").status_code == 200
    assert owner.payees.get().removed_at is None
    assert PlayerToken.objects.of_player(owner).get() == token
    assert [each.most for each in owner.own_limits.order_by("pk")] == [100_00, 3, 2]

    free = [
        (reverse("own-bot", args=[bot.pk, "refill"]), {}, "own-bots"),
        (reverse("deposit-limits"), day | {"amount": "50"}, "deposit-limits"),
        (reverse("own-play"), {"what": "tables:", "most": "1"}, "own-play"),
    ]
    for url, sent, page in free:
        assert browser.post(url, sent)["Location"] == reverse(page)
    exclude = {"length": "forever"}
    assert "reauthenticate" not in browser.post(reverse("break"), exclude).get("Location", "")
