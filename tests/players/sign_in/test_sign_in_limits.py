"""Limits of failed sign-ins: they count by account and address, and never lock out an owner."""

import re
import time
from datetime import timedelta

import pytest
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP, format_hotp_value, hotp_value
from axes.models import AccessAttempt
from django.core import mail
from django.db.models import F
from django.test import Client
from django.urls import reverse

from config.celery import app
from tests.builders.people.accounts import make_player

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("fresh_cache")]
PASSWORD = "a long enough pass phrase"
NAT, ELSEWHERE = "192.0.2.1", "198.51.100.7"
# Of one address, of all accounts: more than ten wrong passwords for one account come to.
GUESSES = 12
SECRET = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"


@pytest.fixture
def owner():
    return make_account("owner")


def make_account(handle):
    return make_player(handle, password=PASSWORD)


def sign_in(player, password=PASSWORD, *, address=NAT, browser=None):
    """Return the status of the answer, and whether the player is signed in now."""
    browser = browser or Client()
    email = player if isinstance(player, str) else player.email
    answer = browser.post(
        reverse("account_login"), {"login": email, "password": password}, REMOTE_ADDR=address
    )
    return answer.status_code, "_auth_user_id" in browser.session


def is_let_in(player, **how):
    return sign_in(player, **how)[1]


def known_browser(player, address=ELSEWHERE):
    """Return a browser in which the player has signed in and out again."""
    browser = Client()
    assert is_let_in(player, address=address, browser=browser)
    browser.post(reverse("account_logout"))
    assert "_auth_user_id" not in browser.session
    return browser


@pytest.fixture(autouse=True)
def _few_guesses_of_an_address(settings):
    """Lower the limit of failures by address, so that tests need fewer requests."""
    assert settings.ACCOUNT_RATE_LIMITS["password_failed"] == "30/m/ip,300/h/ip"
    rates = settings.ACCOUNT_RATE_LIMITS | {"password_failed": f"{GUESSES}/m/ip"}
    settings.ACCOUNT_RATE_LIMITS = rates


def guess_many_accounts(address=NAT):
    for number in range(GUESSES):
        sign_in(f"nobody{number}@example.com", "wrong", address=address)


def code(*, later=0):
    return format_hotp_value(hotp_value(SECRET, int(time.time() + later) // 30))


def test_right_sign_ins_of_one_address_are_not_counted(owner):
    assert [is_let_in(owner) for _ in range(GUESSES + 1)] == [True] * (GUESSES + 1)


def test_an_address_that_guesses_many_accounts_is_refused(owner):
    guess_many_accounts()

    assert not is_let_in(owner)
    assert is_let_in(owner, address=ELSEWHERE)


def test_known_browser_can_sign_in_after_failures_from_its_address(owner):
    neighbour, browser = make_account("neighbour"), known_browser(owner)
    guess_many_accounts()

    assert not is_let_in(neighbour, browser=browser), "the browser is known to the owner alone"
    assert is_let_in(owner, browser=browser)


def test_a_changed_cookie_makes_no_browser_known(owner):
    browser = known_browser(owner)
    guess_many_accounts()
    browser.cookies["known_browser"] = browser.cookies["known_browser"].value[:-2] + "xx"

    assert not is_let_in(owner, browser=browser)


def test_ten_wrong_passwords_lock_only_their_address_and_no_known_browser(owner):
    browser = known_browser(owner)
    tries = [sign_in(owner, "wrong")[0] for _ in range(11)]

    assert tries == [200] * 9 + [429] * 2
    assert not is_let_in(owner)
    assert not is_let_in(owner.email.upper())
    assert is_let_in(owner, address="203.0.113.5")
    assert is_let_in(owner, browser=browser)


def test_a_known_browser_has_ten_tries_whatever_its_address(owner):
    browser = known_browser(owner)
    addresses = [f"203.0.113.{number}" for number in range(11)]

    tries = [sign_in(owner, "wrong", address=one, browser=browser)[0] for one in addresses]

    assert tries == [200] * 9 + [429] * 2
    assert not is_let_in(owner, browser=browser)
    assert is_let_in(owner)


def test_attacked_account_allows_fewer_tries_except_in_a_known_browser(owner):
    browser = known_browser(owner)
    for number in range(10):
        for _ in range(3):
            sign_in(owner, "wrong", address=f"203.0.113.{number}")

    strangers = [sign_in(owner, "wrong", address="203.0.113.99")[0] for _ in range(3)]
    owners = [sign_in(owner, "wrong", browser=browser)[0] for _ in range(5)]

    assert strangers == [200, 200, 429]
    assert is_let_in(owner, address="203.0.113.98")
    assert owners == [200] * 5
    assert is_let_in(owner, browser=browser)


def test_further_guesses_do_not_extend_a_lockout(owner):
    for _ in range(10):
        sign_in(owner, "wrong")
    AccessAttempt.objects.update(attempt_time=F("attempt_time") - timedelta(minutes=14))

    assert [sign_in(owner, "wrong")[0] for _ in range(3)] == [429] * 3
    AccessAttempt.objects.update(attempt_time=F("attempt_time") - timedelta(minutes=2))

    assert is_let_in(owner)


def test_a_locked_guesser_uses_up_nothing_of_the_address(owner):
    for _ in range(2 * GUESSES):
        sign_in(owner, "wrong")

    assert is_let_in(make_account("neighbour"))


def test_a_right_password_makes_earlier_mistakes_count_no_more(owner):
    for _ in range(2):
        for _ in range(5):
            sign_in(owner, "wrong")
        assert is_let_in(owner)


def test_a_new_password_by_mail_opens_the_account_to_its_owner_at_once(owner, monkeypatch):
    monkeypatch.setattr(app.conf, "task_always_eager", True)
    for _ in range(10):
        sign_in(owner, "wrong")
    guess_many_accounts()
    assert not is_let_in(owner)

    browser = Client(REMOTE_ADDR=NAT)
    browser.post(reverse("account_reset_password"), {"email": owner.email})
    (letter,) = mail.outbox
    page = browser.get(re.search(r"http://[^/]+(/\S+)", letter.body)[1], follow=True)
    fields = dict.fromkeys(("password1", "password2"), "another pass phrase")
    browser.post(page.request["PATH_INFO"], fields)

    assert is_let_in(owner, password="another pass phrase", browser=browser)
    assert not is_let_in(make_account("neighbour"), browser=Client())


def test_an_address_longer_than_any_is_refused_like_others():
    email = f"{'a' * 60}@{'.'.join(['b' * 60] * 4)}.example"
    assert len(email) > 255

    assert sign_in(email, "wrong") == (200, False)


def test_reset_limit_of_one_mailbox_does_not_limit_others(owner):
    def ask(email, address=NAT):
        form = {"email": email}
        return Client().post(reverse("account_reset_password"), form, REMOTE_ADDR=address)

    answers = [ask(owner.email).status_code for _ in range(12)]

    assert answers == [302] * 10 + [200] * 2
    assert ask("neighbour@example.com").status_code == 302
    assert ask(owner.email, ELSEWHERE).status_code == 302


class Factor:
    """An account with a second factor, and a function to sign in."""

    def __init__(self, handle):
        self.player = make_account(handle)
        TOTP.activate(self.player, SECRET)
        RecoveryCodes.activate(self.player)

    def give(self, given, *, address=NAT):
        """Sign in with the password and a code; return the status and the user."""
        browser = Client()
        sign_in(self.player, address=address, browser=browser)
        answer = browser.post(reverse("mfa_authenticate"), {"code": given}, REMOTE_ADDR=address)
        return answer.status_code, "_auth_user_id" in browser.session


def test_wrong_codes_count_by_account_from_all_addresses():
    factor, other = Factor("guessed"), Factor("other")
    for number in range(10):
        assert factor.give("000000", address=f"203.0.113.{number}") == (200, False)

    assert factor.give(code(), address="203.0.113.99") == (200, False)
    assert other.give(code(), address="203.0.113.9") == (302, True)


def test_wrong_codes_do_not_lock_out_others_at_the_address():
    factor = Factor("guessed")
    for _ in range(GUESSES):
        factor.give("000000")

    assert is_let_in(make_account("neighbour"))


def test_right_code_does_not_reset_the_password_failures(owner):
    own = Factor("attacker")
    guess_many_accounts()

    own.give(code(), address=ELSEWHERE)
    browser = Client(REMOTE_ADDR=ELSEWHERE)
    browser.force_login(own.player)
    browser.post(reverse("mfa_reauthenticate"), {"code": code()}, REMOTE_ADDR=NAT)

    assert not is_let_in(owner)


def test_giving_the_right_password_again_is_not_counted(owner):
    browser = Client()
    browser.force_login(owner)
    again = reverse("account_reauthenticate")

    tries = [browser.post(again, {"password": PASSWORD}).status_code for _ in range(GUESSES + 1)]

    assert tries == [302] * (GUESSES + 1)
