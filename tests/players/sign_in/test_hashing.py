"""Password hashing holds no connection, and other requests are answered meanwhile."""

import re
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import ClassVar

import pytest
from axes.models import AccessAttempt
from django.contrib.auth.hashers import MD5PasswordHasher
from django.core import mail
from django.db import connection
from django.test import Client
from django.urls import reverse

from config.celery import app
from config.serving.serve import password_limits
from core.exceptions import Busy
from players.accounts.models import User
from players.sign_in import hashing
from tests.builders.people import accounts
from tests.builders.people.sessions import prove
from tests.builders.processes import threads
from tests.builders.processes.threads import at_once
from tests.builders.processes.waiting import until
from tests.builders.wallet.players import make_player
from wallet.bonuses.play_points import sign_up_guest

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("fresh_cache")]
PASSWORD = "a long enough pass phrase"
PATIENCE_SECONDS = 60
PUBLIC = "/api/v1/tournaments/"


class Watched(MD5PasswordHasher):
    """Record the state of the connection during each hash; wait while a test blocks it."""

    go_on = threading.Event()
    held: ClassVar[list[bool]] = []

    def encode(self, password, salt):
        self.held.append(connection.connection is not None)
        assert self.go_on.wait(PATIENCE_SECONDS)
        return super().encode(password, salt)


class Hasher(hashing.BoundedHashing, Watched):
    """The product's limit around a hash with a duration set by the test."""


@pytest.fixture(autouse=True)
def pool(settings, monkeypatch):
    """Let Django connect through a pool of two connections, as a deployment does with twelve."""
    monkeypatch.setattr(threads, "_kept", [])  # Kept threads have connections of no pool.
    found, options = connection.settings_dict, connection.settings_dict["OPTIONS"]
    connection.close()
    found["OPTIONS"] = {name: options[name] for name in options if name != "assume_role"} | {
        "session": {"role": "rummy_app"},
        "pool": {"min_size": 2, "max_size": 2, "timeout": PATIENCE_SECONDS},
    }
    settings.PASSWORD_HASHERS = [f"{__name__}.Hasher"]
    Watched.go_on.set()
    Watched.held.clear()
    yield connection.pool
    Watched.go_on.set()
    connection.close()
    connection.close_pool()
    found["OPTIONS"] = options


def make_account():
    return accounts.make_player("owner", password=PASSWORD)


def sign_in(email="owner@example.com", password=PASSWORD, browser=None, page="account_login"):
    browser = browser or Client()
    return browser.post(reverse(page), {"login": email, "password": password})


@contextmanager
def signing_in(count):
    """Start sign-ins until this many are hashing or waiting."""
    Watched.go_on.clear()
    connection.close()
    with ThreadPoolExecutor(1) as executor:
        answers = executor.submit(at_once, [sign_in] * count)
        try:
            until(lambda: hashing.gate.inside + hashing.gate.waiting == count)
            yield answers
        finally:
            Watched.go_on.set()


def test_other_requests_are_answered_while_more_people_sign_in_than_there_are_connections(
    pool, settings
):
    settings.PASSWORDS_AT_ONCE, settings.PASSWORDS_WAITING = 3, 20
    make_account()

    with signing_in(8) as answers:
        assert (hashing.gate.inside, hashing.gate.waiting) == (3, 5)
        assert pool.get_stats()["pool_available"] == 2
        strangers = at_once([lambda: Client().get(PUBLIC).status_code] * 2)
        assert pool.get_stats()["pool_available"] == 2
        assert not answers.done()

    assert strangers == [200, 200]
    assert [answer.status_code for answer in answers.result()] == [302] * 8
    assert (hashing.gate.inside, hashing.gate.waiting) == (0, 0)
    assert pool.get_stats().get("requests_errors", 0) == 0


def test_sign_in_with_a_full_queue_is_refused(pool, settings):
    settings.PASSWORDS_AT_ONCE, settings.PASSWORDS_WAITING = 1, 1
    make_account()

    with signing_in(2) as answers:
        refused = sign_in()
        page = Client().get(PUBLIC)

    assert (refused.status_code, refused["Retry-After"]) == (503, "3")
    assert "Too many people are signing in right now" in refused.text
    assert page.status_code == 200
    assert [answer.status_code for answer in answers.result()] == [302, 302]
    assert not AccessAttempt.objects.exists(), "nobody has failed"
    assert sign_in().status_code == 302


def test_sign_in_that_waits_too_long_is_refused(settings, monkeypatch):
    settings.PASSWORDS_AT_ONCE, settings.PASSWORDS_WAITING = 1, 5
    monkeypatch.setattr(hashing, "PATIENCE_SECONDS", 0.01)
    make_account()

    with signing_in(1), pytest.raises(Busy), hashing.gate.entered():
        pass

    assert (hashing.gate.inside, hashing.gate.waiting) == (0, 0)


def keep_account():
    browser = Client()
    browser.force_login(sign_up_guest())
    form = {"email": "kept@example.com", "handle": "kept", "password": PASSWORD}
    return browser.post(reverse("account-keep"), form)


def signed_in():
    browser = Client()
    browser.force_login(User.objects.get(handle="owner"))
    return browser


def change_password():
    new = dict.fromkeys(("password1", "password2"), "another pass phrase")
    return signed_in().post(reverse("account_change_password"), {"oldpassword": PASSWORD, **new})


def reset_password():
    browser = Client()
    browser.post(reverse("account_reset_password"), {"email": "owner@example.com"})
    page = browser.get(re.search(r"http://[^/]+(/\S+)", mail.outbox[-1].body)[1], follow=True)
    new = dict.fromkeys(("password1", "password2"), "another pass phrase")
    return browser.post(page.request["PATH_INFO"], new)


def sign_up():
    form = {"email": "new@example.com", "handle": "newcomer", "password1": PASSWORD}
    return Client().post(reverse("account_signup"), form | {"mobile": "9876543210"})


def give_password_again():
    return signed_in().post(reverse("account_reauthenticate"), {"password": PASSWORD})


WAYS = {
    "sign in": (sign_in, 302),
    "sign in with a wrong password": (lambda: sign_in(password="wrong"), 200),
    "sign in to no account": (lambda: sign_in("nobody@example.com"), 200),
    "sign up": (sign_up, 302),
    "keep a guest's account": (keep_account, 302),
    "change the password": (change_password, 302),
    "set a new password by mail": (reset_password, 302),
    "give the password again": (give_password_again, 302),
}


@pytest.mark.parametrize("way", WAYS)
def test_a_password_is_hashed_with_no_connection_held(way, monkeypatch):
    monkeypatch.setattr(app.conf, "task_always_eager", True)
    make_account()
    act, status = WAYS[way]
    Watched.held.clear()

    answer = act()

    assert answer.status_code == status, answer.text
    assert Watched.held, "a password was hashed"
    assert not any(Watched.held)


def test_a_password_set_within_a_transaction_keeps_its_connection(pool):
    boss, player = make_player(is_staff=True, is_superuser=True), make_account()
    browser = Client()
    browser.force_login(boss)
    prove(browser)
    Watched.held.clear()
    new = dict.fromkeys(("password1", "password2"), "another pass phrase")

    page = reverse("admin:auth_user_password_change", args=[player.pk])
    answer = browser.post(page, new | {"usable_password": "true"})

    assert (answer.status_code, Watched.held) == (302, [True])
    player.refresh_from_db()
    assert player.check_password("another pass phrase")


def test_the_products_hasher_keeps_djangos_format(settings):
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.PBKDF2PasswordHasher"]
    player = make_account()
    settings.PASSWORD_HASHERS = ["players.sign_in.hashing.PasswordHasher"]

    assert player.check_password(PASSWORD)
    assert not player.check_password("wrong")


@pytest.mark.parametrize("threads", [2, 3, 4, 8, 16])
def test_a_server_of_several_threads_leaves_one_to_other_requests(threads):
    assert 1 <= sum(password_limits(threads).values()) <= threads - 1
