"""A game is played to its end beside thousands of idle connections and a slow client."""

import json
import resource
import socket
import threading
import time
from contextlib import ExitStack, contextmanager
from http.client import HTTPConnection
from uuid import uuid4

import pytest
from django.conf import settings
from django.test import Client
from websockets.sync.client import connect

from tables.models.tables import Table
from tests.builders.processes.live_server import running
from tests.builders.tables.making import make_game, make_rules
from tests.builders.tables.playing import reread, seat_at

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.process,
    pytest.mark.extended,
    pytest.mark.timeout(400),
]

IDLE = 3_000
OTHER_FILES = 500
TOKEN = "t" * 32
ANSWER_SECONDS = 60


@pytest.fixture(autouse=True)
def _many_files():
    """Allow this process as many open files as the idle connections are."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = IDLE + OTHER_FILES
    if soft != resource.RLIM_INFINITY and soft < wanted:
        if hard != resource.RLIM_INFINITY and hard < wanted:
            pytest.skip(f"only {hard} open files are allowed here")
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@contextmanager
def idle_connections(port):
    """Hold idle connections open, silent ones and kept-alive ones, and replace those closed."""
    stop = threading.Event()
    lines = []

    def opened(number):
        line = socket.create_connection(("127.0.0.1", port), timeout=ANSWER_SECONDS)
        if number % 2:
            line.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        return line

    def keep_up():
        number = 0
        while not stop.is_set():
            try:
                lines[number].close()
                lines[number] = opened(number)
            except OSError:
                pass  # Refused at the limit: the next one may be let in.
            number = (number + 1) % IDLE
            stop.wait(0.002)

    try:
        lines.extend(opened(number) for number in range(IDLE))
        keeper = threading.Thread(target=keep_up)
        keeper.start()
        yield
        stop.set()
        keeper.join()
    finally:
        for line in lines:
            line.close()


@contextmanager
def slow_header(port):
    """Send a request's head one byte at a time, again and again."""
    stop = threading.Event()

    def trickle():
        while not stop.is_set():
            with socket.create_connection(("127.0.0.1", port)) as line:
                try:
                    for byte in b"GET / HTTP/1.1\r\nX-Slow: " + b"x" * 10_000:
                        if stop.wait(0.05):
                            return
                        line.sendall(bytes([byte]))
                except OSError:
                    continue  # The server has closed it, as it should.

    thread = threading.Thread(target=trickle)
    thread.start()
    yield
    stop.set()
    thread.join()


class Player:
    """A signed-in client that plays over HTTP: a connection for each request."""

    def __init__(self, port, table, seat):
        client = Client()
        client.force_login(seat.player)
        session = client.cookies[settings.SESSION_COOKIE_NAME].value
        self.cookie = f"{settings.SESSION_COOKIE_NAME}={session}; csrftoken={TOKEN}"
        self.port, self.path = port, f"/api/v1/tables/{table.public_id}/moves/"

    def play(self, text, version):
        line = HTTPConnection("127.0.0.1", self.port, timeout=ANSWER_SECONDS)
        body = {"move_id": str(uuid4()), "move": text, "expected_version": version}
        headers = {"Cookie": self.cookie, "X-CSRFToken": TOKEN, "Content-Type": "application/json"}
        line.request("POST", self.path, json.dumps(body), headers)
        answer = line.getresponse()
        view = json.loads(answer.read())
        line.close()
        assert answer.status == 200, view
        return view


@pytest.mark.parametrize("server", [pytest.param("live", marks=pytest.mark.soak), "web"])
def test_a_game_is_played_beside_three_thousand_idle_connections(server, test_database, tmp_path):
    table = make_game(players=2, rules=make_rules(turn_seconds=600, extra_seconds=0))
    environment = test_database | {"SOCKETS_PER_ADDRESS": "5000", "THROTTLE_FACTOR": "1000"}

    with ExitStack() as stack:
        port, _ = stack.enter_context(running(server, environment, tmp_path / "server.log"))
        stack.enter_context(idle_connections(port))
        stack.enter_context(slow_header(port))
        players = [Player(port, table, seat_at(table, position)) for position in (1, 2)]
        version, turns = reread(table).version, []
        for turn in range(10):
            began = time.monotonic()
            drawn = players[turn % 2].play("ds", version)
            thrown = players[turn % 2].play(f"x {drawn['me']['drawn']}", drawn["version"])
            version = thrown["version"]
            turns.append(time.monotonic() - began)
        if server == "live":  # A socket opened beside them receives its view.
            here = f"127.0.0.1:{port}"
            address = f"ws://{here}/ws/tables/{table.public_id}/"
            with connect(address, origin=f"http://{here}", open_timeout=ANSWER_SECONDS) as ws:
                assert json.loads(ws.recv(timeout=ANSWER_SECONDS))["view"]["version"] == version
                dropped = players[0].play("drop", version)
                received = json.loads(ws.recv(timeout=ANSWER_SECONDS))["view"]
                assert received["version"] >= dropped["version"]
        else:
            players[0].play("drop", version)

    assert reread(table).phase != Table.Phase.PLAYING
    assert len(turns) == 10


def test_a_game_is_played_at_the_demos_server_beside_fifty_slow_bodies(test_database, tmp_path):
    """On `web` each slow body would occupy a thread; there a proxy reads bodies first."""
    table = make_game(players=2)
    version, players = reread(table).version, []

    with running("live", test_database, tmp_path / "server.log") as (port, _), ExitStack() as stack:
        players = [Player(port, table, seat_at(table, position)) for position in (1, 2)]
        head = (
            f"POST {players[0].path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Length: 200\r\n"
            f"Cookie: {players[0].cookie}\r\nContent-Type: application/json\r\n\r\n{{"
        )
        for _ in range(50):
            line = socket.create_connection(("127.0.0.1", port), timeout=ANSWER_SECONDS)
            stack.enter_context(line).sendall(head.encode())
        drawn = players[0].play("ds", version)
        thrown = players[0].play(f"x {drawn['me']['drawn']}", drawn["version"])

    assert thrown["version"] > version
