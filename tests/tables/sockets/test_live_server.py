"""Sockets over the network, on the server that demo and deployment use."""

import json
import re
import signal
import socket
import threading
import time
from contextlib import ExitStack, contextmanager, suppress
from tempfile import TemporaryDirectory
from urllib.parse import parse_qs, urlsplit

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from tests.builders.processes.live_server import running
from tests.builders.tables.making import make_game
from tests.builders.tables.playing import hand_of, move

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.process,
    pytest.mark.extended,
    pytest.mark.timeout(300),
]

PATIENCE_SECONDS = 60


class Relay:
    """A way to the database that can be cut, as when its server is away."""

    def __init__(self, url, directory):
        parts = urlsplit(url)
        host = parse_qs(parts.query).get("host", [None])[0]
        # PostgreSQL's name for its socket in a directory.
        self.target = f"{host}/.s.PGSQL.5432" if host else (parts.hostname, parts.port or 5432)
        self.listener = socket.create_server(f"{directory}/.s.PGSQL.5432", family=socket.AF_UNIX)
        login = parts.netloc.rpartition("@")[0]
        self.url = parts._replace(netloc=f"{login}@", query=f"host={directory}").geturl()
        self.lines = []
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self):
        self.listener.shutdown(socket.SHUT_RDWR)  # Ends the wait for the next line, too.
        self.listener.close()
        for line in self.lines:
            with suppress(OSError):
                line.shutdown(socket.SHUT_RDWR)

    def _accept(self):
        with suppress(OSError):
            while True:
                here, _ = self.listener.accept()
                family = socket.AF_UNIX if isinstance(self.target, str) else socket.AF_INET
                there = socket.socket(family)
                there.connect(self.target)
                self.lines += [here, there]
                for source, target in ((here, there), (there, here)):
                    threading.Thread(target=_pump, args=(source, target), daemon=True).start()


def _pump(source, target):
    with suppress(OSError):
        while data := source.recv(65_536):
            target.sendall(data)
    for line in (source, target):
        with suppress(OSError):
            line.shutdown(socket.SHUT_RDWR)


@pytest.fixture
def live(test_database, tmp_path):
    with running("live", test_database, tmp_path / "live.log") as started:
        yield started


@pytest.fixture
def short_directory():
    """A directory with a name short enough for a socket path of at most 107 characters."""
    with TemporaryDirectory(prefix="pg-") as directory:
        yield directory


@contextmanager
def watching(port, table):
    """Open a socket, and read its first view."""
    here = f"127.0.0.1:{port}"
    address = f"ws://{here}/ws/tables/{table.public_id}/"
    with connect(address, origin=f"http://{here}", open_timeout=60) as ws:
        assert receive(ws)["type"] == "view"
        yield ws


def receive(ws):
    return json.loads(ws.recv(timeout=PATIENCE_SECONDS))


def closed_with(ws):
    """Wait for the server's close; return its code."""
    with pytest.raises(ConnectionClosed) as closed:
        ws.recv(timeout=PATIENCE_SECONDS)
    return closed.value.rcvd.code if closed.value.rcvd else None


def test_stopping_server_closes_sockets_with_1012(live, tmp_path):
    port, process = live
    table = make_game(players=2)

    with watching(port, table) as first, watching(port, table) as second:
        process.send_signal(signal.SIGTERM)
        assert [closed_with(ws) for ws in (first, second)] == [1012, 1012]

    process.wait(timeout=PATIENCE_SECONDS)
    assert "Traceback" not in (tmp_path / "live.log").read_text()
    assert "panicked" not in (tmp_path / "live.log").read_text()


def test_the_site_stops_at_once_with_idle_connections(test_database, tmp_path):
    log = tmp_path / "web.log"
    with running("web", test_database, log, "--workers", "2") as (port, process), ExitStack() as up:
        for _ in range(10):
            line = up.enter_context(socket.create_connection(("127.0.0.1", port), timeout=60))
            line.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert line.recv(100).startswith(b"HTTP/1.1 200")

        process.send_signal(signal.SIGTERM)

        assert process.wait(timeout=PATIENCE_SECONDS) == 0
    assert "Killing" not in log.read_text()


def test_without_the_database_a_socket_is_closed_with_the_reason(
    test_database, short_directory, tmp_path
):
    table = make_game(players=2)
    relay = Relay(test_database["DATABASE_URL"], short_directory)
    environment = test_database | {"DATABASE_URL": relay.url}

    with (
        running("live", environment, tmp_path / "live.log") as (port, _),
        watching(port, table) as ws,
    ):
        relay.cut()
        move(table, 1, "ds")
        assert receive(ws) == {"type": "error", "code": "unavailable"}
        assert closed_with(ws) == 1011


def test_sockets_over_the_limits_are_closed_with_4429(test_database, tmp_path):
    table = make_game(players=2)
    environment = test_database | {"SOCKETS_PER_ADDRESS": "1"}

    with (
        running("live", environment, tmp_path / "live.log") as (port, _),
        watching(port, table) as ws,
    ):
        origin = f"http://127.0.0.1:{port}"
        with connect(f"ws://127.0.0.1:{port}/ws/tables/{table.public_id}/", origin=origin) as more:
            assert receive(more) == {"type": "error", "code": "too_many_sockets"}
            assert closed_with(more) == 4429
        with suppress(ConnectionClosed):  # It may be closed before the last is sent.
            for _ in range(30):
                ws.send("junk")
        received = [receive(ws)["code"] for _ in range(6)]
        assert received == ["unknown_message"] * 5 + ["too_many_messages"]
        assert closed_with(ws) == 4429


PATIENCE_SECONDS = 60
TURNS = 70


@contextmanager
def silent_socket(port, table):
    """Open a table's socket with a small receive buffer, and read nothing from it."""
    with socket.socket() as line:
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        line.connect(("127.0.0.1", port))
        here = f"127.0.0.1:{port}"
        line.sendall(
            f"GET /ws/tables/{table.public_id}/ HTTP/1.1\r\nHost: {here}\r\n"
            f"Origin: http://{here}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n"
            "\r\n".encode()
        )
        yield line


def rest_of(line):
    """Return what was kept for the client, up to the end of its connection."""
    line.settimeout(PATIENCE_SECONDS)
    parts = []
    try:
        while part := line.recv(65_536):
            parts.append(part)
    except ConnectionResetError:
        pass
    return b"".join(parts)


def play_a_turn(table, position, ws):
    """Draw and discard the card, with a socket receiving both; return the views it was sent."""
    views = []
    for choose in (lambda: "ds", lambda: f"x {hand_of(table, position)[-1]}"):
        made = move(table, position, choose()).move.version
        while not views or json.loads(views[-1])["view"]["version"] < made:
            views.append(ws.recv(timeout=PATIENCE_SECONDS))
    return views


def test_client_that_does_not_read_is_dropped_and_others_receive_every_move(
    test_database, tmp_path
):
    table, log = make_game(players=2), tmp_path / "live.log"
    environment = test_database | {"LOG_LEVEL": "INFO"}

    with running("live", environment, log) as (port, _):
        here = f"127.0.0.1:{port}"
        address = f"ws://{here}/ws/tables/{table.public_id}/"
        with (
            silent_socket(port, table) as silent,
            connect(address, origin=f"http://{here}", open_timeout=PATIENCE_SECONDS) as ws,
        ):
            received = [
                view for turn in range(TURNS) for view in play_a_turn(table, 1 + turn % 2, ws)
            ]
            wait_for("socket_dropped", log)
            received += play_a_turn(table, 1 + TURNS % 2, ws)
            kept = rest_of(silent)

    assert sum(map(len, received)) > 2 * len(kept), "it would have been sent all of it"
    [newest] = re.findall(rb'"version": ?(\d+)', kept)[-1:]
    assert int(newest) < json.loads(received[-1])["view"]["version"]


def wait_for(event, log):
    deadline = time.monotonic() + PATIENCE_SECONDS
    while event not in log.read_text():
        assert time.monotonic() < deadline, f"no {event} in the log"
        time.sleep(0.05)
