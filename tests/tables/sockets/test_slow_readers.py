"""A client that does not read is dropped, and its table does not wait for it."""

import json
import re
import socket
import time
from contextlib import contextmanager

import pytest
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
