"""Requests are counted by player and by address; without Redis nothing is refused."""

import re
import socket
from contextlib import closing
from itertools import count
from threading import local
from uuid import uuid4

import pytest
import redis
from django.core.exceptions import ImproperlyConfigured
from django.test import Client

from config.serving.throttles import throttles
from core.http import rates
from core.http.problems import problem
from core.http.rates import Rate, Rates
from finance.tokens.actions import create_token
from tables.models.deals import Move
from tests.builders.tables.making import make_game, make_player
from tests.builders.tables.plain_turns import address_of, send, turn
from tests.builders.tables.playing import seat_at

pytestmark = pytest.mark.django_db
LOBBY = "/api/v1/tables/"
_numbers = count(1)


@pytest.fixture
def address():
    """Return an IP address without counted requests."""
    return f"2001:db8:{uuid4().hex[:4]}:{next(_numbers)}::1"


@pytest.fixture
def limit(settings):
    def set_limits(**scopes):
        settings.THROTTLES = settings.THROTTLES | scopes

    return set_limits


def visitor(address, player=None):
    client = Client(REMOTE_ADDR=address)
    if player is not None:
        client.force_login(player)
    return client


def rates_of(answer):
    """Return quota, requests left and seconds of the rate an answer names, all else refused."""
    left = re.fullmatch(r'"([a-z-]+)";r=(\d+);t=(\d+)', answer["RateLimit"])
    policies = dict(re.findall(r'"([a-z-]+)";q=(\d+);w=\d+', answer["RateLimit-Policy"]))
    return [int(policies[left[1]]), int(left[2]), int(left[3])]


def test_player_over_the_read_rate_is_refused_with_the_time_left(address, limit):
    limit(reads=Rates(Rate(2, 3_600), None))
    client = visitor(address, make_player())

    answers = [client.get(LOBBY) for _ in range(3)]

    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert [rates_of(answer)[:2] for answer in answers] == [[2, 1], [2, 0], [2, 0]]
    refused = answers[2]
    assert refused.json() == problem(
        status=429, code="throttled", message="Too many requests. Try again later."
    )
    assert 3_590 < int(refused["Retry-After"]) == rates_of(refused)[2] <= 3_600
    assert "Retry-After" not in answers[1]
    assert visitor(address, make_player()).get(LOBBY).status_code == 200


def test_players_of_one_network_share_the_rate_of_the_address(limit, address):
    limit(reads=Rates(Rate(100, 3_600), Rate(2, 3_600)))
    beside = address.replace("::1", ":ffff::2")

    answers = [visitor(where, make_player()).get(LOBBY) for where in (address, beside, address)]

    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert answers[0]["RateLimit-Policy"] == '"reads";q=100;w=3600, "reads-address";q=2;w=3600'
    assert answers[0]["RateLimit"].startswith('"reads-address";r=1;t=')
    assert visitor("198.51.100.200", make_player()).get(LOBBY).status_code == 200


def test_strangers_are_counted_before_they_are_refused_and_on_pages_too(limit, address):
    limit(strangers=Rates(None, Rate(2, 3_600)))
    client = visitor(address)

    assert [client.get(LOBBY).status_code for _ in range(3)] == [403, 403, 429]
    page = client.get("/rules/")
    assert (page.status_code, page["Content-Type"]) == (429, "text/html; charset=utf-8")
    assert int(page["Retry-After"]) > 0
    # Who has signed in is not held up by strangers of the same address.
    assert visitor(address, make_player()).get("/rules/").status_code == 200


@pytest.mark.parametrize("path", ["/nothing/", "/api/v1/nothing/"])
def test_unknown_paths_are_counted(limit, address, path):
    limit(strangers=Rates(None, Rate(2, 3_600)))
    client = visitor(address)

    answers = [client.get(each) for each in (path, "/rules/no/thing/", path, "/rules/")]

    assert [answer.status_code for answer in answers] == [404, 404, 429, 429]
    assert int(answers[2]["Retry-After"]) > 0


def test_a_table_that_does_not_exist_is_counted_once(limit, address):
    limit(strangers=Rates(None, Rate(9, 3_600)))

    answer = visitor(address).get(f"/api/v1/tables/{uuid4()}/open-pile/")

    assert (answer.status_code, rates_of(answer)[1]) == (404, 8)


def test_forms_without_their_token_are_counted(limit, address):
    limit(strangers=Rates(None, Rate(1, 3_600)))
    client = Client(REMOTE_ADDR=address, enforce_csrf_checks=True)

    answers = [client.post("/accounts/login/", {"login": "x"}) for _ in range(2)]

    assert [answer.status_code for answer in answers] == [403, 429]


def test_forwarded_header_without_a_proxy_does_not_change_the_address(limit, address):
    limit(strangers=Rates(None, Rate(1, 3_600)))
    client = visitor(address)
    client.get("/rules/")

    headers = {"X-Forwarded-For": "203.0.113.77", "X-Real-Ip": "203.0.113.77"}

    assert client.get("/rules/", headers=headers).status_code == 429


@pytest.mark.parametrize("scope", ["writes", "money"])
def test_writes_and_orders_about_money_have_rates_of_their_own(limit, address, scope):
    limit(**{scope: Rates(Rate(1, 3_600), None)})
    client = visitor(address, make_player())
    path = "/api/v1/wallet/refill/" if scope == "money" else "/api/v1/quick-seat/"

    first = client.post(path)
    again = client.post(path)

    assert first.status_code != 429
    assert again.json()["code"] == "throttled"
    assert client.get(LOBBY).status_code == 200


def test_each_move_is_counted_once(limit, address):
    limit(moves=Rates(Rate(3, 3_600), None))
    table = make_game(players=2)
    client = visitor(address, seat_at(table, 1).player)

    quick = send(client, table)
    refused = send(client, table)  # Drawn already: the long way.
    long = client.post(address_of(table), turn(table), "application/json; charset=utf-8")
    over = send(client, table)

    assert [one.status_code for one in (quick, refused, long, over)] == [200, 409, 409, 429]
    assert [rates_of(one)[1] for one in (quick, refused, long, over)] == [2, 1, 0, 0]
    assert (over.json()["code"], Move.objects.count()) == ("throttled", 1)


def test_rate_of_bad_tokens_does_not_limit_valid_ones(limit, address):
    limit(failures=Rates(None, Rate(3, 3_600)))
    client = visitor(address)
    path = "/api/v1/finance/trial-balance/"
    _, good = create_token(name="books", scopes=["trial-balance"], created_by=None)

    def ask(text):
        return client.get(path, headers={"Authorization": f"Bearer {text}"})

    assert [ask(good).status_code for _ in range(4)] == [200] * 4
    assert [ask(f"wrong.{no}").status_code for no in range(3)] == [401, 401, 401]
    refused = ask("wrong.4")
    assert (refused.status_code, refused.json()["code"]) == (429, "throttled")
    assert int(refused["Retry-After"]) > 0
    assert ask(good).status_code == 200


@pytest.fixture
def another_redis(settings, monkeypatch):
    """Point the throttles, and nothing else, at another address."""

    def point(url):
        settings.REDIS_URL = url
        monkeypatch.setattr(rates, "_of_thread", local())
        monkeypatch.setattr(rates._rest, "until", 0.0)

    return point


def test_connection_closed_by_redis_is_reopened(limit, address, settings):
    limit(strangers=Rates(None, Rate(9, 3_600)))
    counts = [rates.take("strangers", network=address)]

    own = rates._script().registered_client
    another = redis.Redis.from_url(settings.REDIS_URL)
    assert another.client_kill_filter(_id=own.client_id()) == 1
    counts.append(rates.take("strangers", network=address))

    assert [found.remaining for found in counts] == [8, 7]


def test_moves_do_not_wait_for_an_unavailable_redis(limit, address, another_redis):
    """One that is silent is worse than one that is gone: it is asked once, and then left alone."""
    limit(moves=Rates(Rate(1, 3_600), None))
    table = make_game(players=2)
    client = visitor(address, seat_at(table, 1).player)
    with closing(socket.create_server(("127.0.0.1", 0))) as silent:
        another_redis(f"redis://127.0.0.1:{silent.getsockname()[1]}/0")

        drawn = send(client, table)
        thrown = send(client, table, move=f"x {drawn.json()['me']['drawn']}")

        assert [drawn.status_code, thrown.status_code] == [200, 200]
        assert "RateLimit" not in thrown
        silent.settimeout(0)
        silent.accept()[0].close()
        with pytest.raises(BlockingIOError):
            silent.accept()
    gone = another_redis("redis://127.0.0.1:1/0")
    assert (gone, client.get(LOBBY).status_code) == (None, 200)


@pytest.mark.parametrize(
    "text",
    [
        "moves=10 1/s",
        "moves=10/min",
        "moves=x/min 2/min",
        "moves=0/min none",
        "moves=1/min 2/min 3/min",
        "movs=1/min 2/min",
        "moves",
    ],
)
def test_rates_that_cannot_be_read_stop_the_start(monkeypatch, text):
    monkeypatch.setenv("THROTTLES", text)

    with pytest.raises(ImproperlyConfigured):
        throttles()


def test_an_installation_sets_its_own_rates_and_a_factor_multiplies_all(monkeypatch):
    monkeypatch.setenv("THROTTLES", "moves=5/2s none")
    monkeypatch.setenv("THROTTLE_FACTOR", "10")

    found = throttles()

    assert found["moves"] == Rates(Rate(50, 2), None)
    assert found["reads"] == Rates(Rate(6_000, 60), Rate(120_000, 60))
