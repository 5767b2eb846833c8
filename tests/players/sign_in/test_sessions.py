"""Sessions: their end takes effect immediately, because nothing is cached."""

from datetime import timedelta

import pytest
from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore as DjangoStore
from django.contrib.sessions.models import Session
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from players.accounts.models import User
from players.sign_in import sessions
from players.sign_in.sessions import SessionStore, player_of_session, player_of_socket, proofs_of
from players.templatetags.session_text import device
from tests.builders.people.sessions import change_password
from tests.builders.tables.making import make_player

pytestmark = pytest.mark.django_db

PLAYERS_ONLY = "/api/v1/tables/"


@pytest.fixture
def player():
    return make_player()


@pytest.fixture
def client(player):
    client = Client()
    client.force_login(player)
    assert client.get(PLAYERS_ONLY).status_code == 200
    return client


def test_a_session_of_staff_ends_after_twelve_hours_however_busy(clocks):
    client = Client()
    client.force_login(make_player(is_staff=True))
    began = timezone.now()
    ends = session_of(client).expire_date
    assert abs(ends - began - timedelta(hours=12)) < timedelta(minutes=1)

    clocks.move_clock(began + timedelta(hours=11, minutes=59))
    session = client.session
    session["looked_at"] = "a page"
    session.save()
    assert session_of(client).expire_date == ends
    assert client.get(PLAYERS_ONLY).status_code == 200

    clocks.move_clock(began + timedelta(hours=12, minutes=2))
    assert client.get(PLAYERS_ONLY).status_code in (401, 403)
    assert client.get("/account/").status_code == 302


def test_a_session_from_before_the_account_was_staffs_is_over(client, player):
    User.objects.filter(pk=player.pk).update(is_staff=True)

    assert client.get(PLAYERS_ONLY).status_code in (401, 403)
    assert client.get("/account/").status_code == 302


def test_a_session_of_a_player_lasts_as_before(client):
    assert session_of(client).expire_date > timezone.now() + timedelta(days=13)


def session_of(client):
    return Session.objects.get(pk=client.cookies[settings.SESSION_COOKIE_NAME].value)


def log_out(client, player):
    other = Client()
    other.cookies.update(client.cookies)
    other.logout()


def expire(client, player):
    Session.objects.update(expire_date=timezone.now() - timedelta(seconds=1))


def deactivate(client, player):
    User.objects.filter(pk=player.pk).update(is_active=False)


def tamper(client, player):
    session = session_of(client)
    text = session.session_data
    session.session_data = ("A" if text[0] != "A" else "B") + text[1:]
    session.save()


def name_somebody_else_without_their_proof(client, player):
    store = SessionStore(client.cookies[settings.SESSION_COOKIE_NAME].value)
    store[SESSION_KEY] = str(make_player().pk)
    store.save()


def leave_the_backends(client, player):
    store = SessionStore(client.cookies[settings.SESSION_COOKIE_NAME].value)
    store["_auth_user_backend"] = "django.contrib.auth.backends.ModelBackend"
    store.save()


@pytest.mark.parametrize(
    "end",
    [
        log_out,
        expire,
        deactivate,
        change_password,
        tamper,
        name_somebody_else_without_their_proof,
        leave_the_backends,
    ],
)
def test_ended_session_is_refused_immediately(client, player, end):
    end(client, player)

    assert client.get(PLAYERS_ONLY).status_code == 403


def test_a_session_written_by_django_is_read_and_the_other_way_round(player):
    django = DjangoStore()
    django["seen"] = ["a"]
    django.save()

    ours = SessionStore(django.session_key)
    ours["seen"].append("b")
    ours.save()

    assert DjangoStore(django.session_key)["seen"] == ["a", "b"]
    assert SessionStore(django.session_key)["seen"] == ["a", "b"]
    assert SessionStore("no such key").load() == {}


def test_a_session_is_in_force_with_the_proof_it_was_read_with_until_it_changes(client, player):
    key = client.cookies[settings.SESSION_COOKIE_NAME].value
    store = SessionStore(key)
    store.load()
    of_both = (key, player.pk)
    assert proofs_of([of_both, ("no such key", player.pk)]) == {of_both: store.proof}

    store["seen"] = ["a"]
    store.save()
    changed = SessionStore(key)
    changed.load()
    assert proofs_of([of_both]) == {of_both: changed.proof} != {of_both: store.proof}

    player.set_password("another long passphrase")
    player.save(update_fields=["password"])
    assert proofs_of([of_both])[of_both] != changed.proof

    User.objects.update(is_active=False)
    assert proofs_of([of_both]) == {}


def test_requests_do_not_share_session_objects():
    store = SessionStore()
    store["seen"] = ["a"]
    store.save()

    SessionStore(store.session_key)["seen"].append("b")

    assert SessionStore(store.session_key)["seen"] == ["a"]


def test_reading_session_and_player_takes_one_statement(client, django_assert_num_queries):
    with django_assert_num_queries(2):  # And the lobby's own.
        client.get(PLAYERS_ONLY)


def test_session_with_a_new_player_is_theirs(client, player):
    other, theirs = make_player(), Client()
    theirs.force_login(other)
    session = session_of(client)
    session.session_data = session_of(theirs).session_data
    session.save()

    for _ in range(2):
        assert client.get("/account/").context["user"] == other


def test_sessions_stay_valid_while_the_old_secret_key_is_a_fallback(client, settings):
    other = Client()
    other.force_login(make_player())
    settings.SECRET_KEY_FALLBACKS, settings.SECRET_KEY = [settings.SECRET_KEY], "n" * 50

    assert client.get(PLAYERS_ONLY).status_code == 200

    settings.SECRET_KEY_FALLBACKS = []
    assert client.get(PLAYERS_ONLY).status_code == 200  # It has been signed again.
    assert other.get(PLAYERS_ONLY).status_code == 403


def test_a_socket_opened_again_after_a_new_secret_key_leaves_its_session(client, player, settings):
    cookie = client.cookies[settings.SESSION_COOKIE_NAME].value
    settings.SECRET_KEY_FALLBACKS, settings.SECRET_KEY = [settings.SECRET_KEY], "n" * 50

    assert player_of_session(SessionStore(cookie)) is None  # A request renews it.
    assert player_of_socket(SessionStore(cookie)) == player

    assert client.cookies[settings.SESSION_COOKIE_NAME].value == cookie
    assert client.get(PLAYERS_ONLY).status_code == 200
    settings.SECRET_KEY_FALLBACKS = []
    assert player_of_socket(SessionStore(cookie)) is None


def test_a_process_that_never_saw_the_session_asks_for_its_player_by_a_planned_statement(
    client, player
):
    sessions._players.clear()
    store = SessionStore(session_of(client).session_key)
    with CaptureQueriesContext(connection) as asked:
        found = player_of_session(store)
    assert found == player
    assert [query["sql"].split(" FROM ")[1].split()[0] for query in asked] == [
        "django_session",
        "players_user",
    ]


@pytest.mark.parametrize(
    ("user_agent", "name"),
    [
        (
            "Mozilla/5.0 (Linux; Android 14) Chrome/142.0.0.0 Mobile Safari/537.36",
            "Chrome · Android",
        ),
        ("Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) Safari/604.1", "Safari · iPhone"),
        (
            "Mozilla/5.0 (Windows NT 10.0) Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0",
            "Edge · Windows",
        ),
        ("curl/8.9", "curl/8.9"),
    ],
)
def test_signed_in_browser_is_named_by_browser_and_system(user_agent, name):
    assert device(user_agent) == name
