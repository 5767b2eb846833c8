"""Idle and slow connections are closed and do not delay other clients."""

import asyncio
import logging
import socket
import threading
from contextlib import contextmanager, suppress

import pytest
import uvicorn
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from config.serving import connections
from config.serving.connections import BoundedHttp, BoundedSocket
from tests.builders.processes.live_server import application
from tests.builders.processes.waiting import until

PATIENCE_SECONDS = 20
REQUEST = b"GET / HTTP/1.1\r\nHost: here\r\n\r\n"
HALF_A_BODY = b"POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 9\r\n\r\nabc"


@pytest.fixture
def port(server):
    return server.servers[0].sockets[0].getsockname()[1]


@pytest.fixture
def server(monkeypatch):
    """Run uvicorn with the bounded protocols in a thread; yield it."""
    monkeypatch.setattr(BoundedHttp, "connections_max", 40)
    config = uvicorn.Config(
        application,
        port=0,
        http=BoundedHttp,
        ws=BoundedSocket,
        ws_max_size=1024,
        lifespan="off",
        log_config=None,
        log_level="critical",
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        threading.Event().wait(0.01)
    yield server
    server.should_exit = server.force_exit = True
    thread.join(PATIENCE_SECONDS)


async def opened(port, data=b""):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(data)
    return reader, writer


async def rest_of(reader):
    """Return what is still sent until the server closes; fail if it never does."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        with suppress(ConnectionResetError):
            return await reader.read()


async def ask(reader, writer):
    writer.write(REQUEST)
    async with asyncio.timeout(PATIENCE_SECONDS):
        return (await reader.readuntil(b"\r\n\r\n"))[:15]


@pytest.mark.parametrize(
    "start", [b"", b"GET / HTTP/1.1\r\nHo", REQUEST + b"GET / HT", HALF_A_BODY]
)
def test_incomplete_head_or_body_closes_the_connection(port, monkeypatch, start):
    monkeypatch.setattr(connections, "HEAD_SECONDS", 0.2)
    monkeypatch.setattr(connections, "BODY_SECONDS", 0.2)

    async def wait():
        reader, writer = await opened(port, start)
        await rest_of(reader)
        writer.close()

    asyncio.run(wait())


def test_slowly_sent_head_gets_no_more_time(port, monkeypatch):
    monkeypatch.setattr(connections, "HEAD_SECONDS", 0.5)

    async def trickle():
        reader, writer = await opened(port, b"GET / HTTP/1.1\r\nX: ")
        closing = asyncio.create_task(rest_of(reader))
        sent = 0
        while not closing.done():
            writer.write(b"x")
            sent += 1
            await asyncio.sleep(0.02)
        assert sent > 5
        await closing

    asyncio.run(trickle())


def test_too_long_head_is_refused(port):
    async def send():
        reader, writer = await opened(port, b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 20_000)
        answer = await rest_of(reader)
        writer.close()
        return answer

    assert (asyncio.run(send()) or b"HTTP/1.1 400").startswith(b"HTTP/1.1 400")


def test_too_long_body_is_refused(port, monkeypatch):
    monkeypatch.setattr(connections, "BODY_BYTES_MAX", 100_000)

    async def send():
        head = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 90000000\r\n\r\n"
        reader, _ = await opened(port, head + b"x" * 200_000)
        assert not await rest_of(reader)

    asyncio.run(send())


def test_at_the_limit_the_longest_idle_connections_are_closed(port, monkeypatch):
    monkeypatch.setattr(connections, "ROOM_MADE", 2)

    async def crowd():
        first = await opened(port)
        assert await ask(*first) == b"HTTP/1.1 200 OK"
        silent = [await opened(port) for _ in range(39)]  # One below the limit.
        late = await opened(port)

        assert await ask(*late) == b"HTTP/1.1 200 OK"
        for reader, _ in (first, silent[0]):
            await rest_of(reader)
        assert await ask(*silent[-1]) == b"HTTP/1.1 200 OK"

    asyncio.run(crowd())


def test_without_idle_connections_the_newest_one_is_closed(port):
    async def crowd():
        asks_on = HALF_A_BODY.replace(b"\r\n\r\n", b"\r\nExpect: 100-continue\r\n\r\n")
        busy = [await opened(port, asks_on) for _ in range(40)]
        for reader, _ in busy:
            assert b"100 Continue" in await reader.readuntil(b"\r\n\r\n")
        late, _ = await opened(port, REQUEST)
        assert not await rest_of(late)
        for reader, writer in busy:
            writer.write(b"defghi")
            assert (await reader.readuntil(b"\r\n"))[:15] == b"HTTP/1.1 200 OK"

    asyncio.run(crowd())


def listen_until_closed(ws):
    while True:
        ws.recv(timeout=PATIENCE_SECONDS)


def closes_with(port, send):
    """Return the code a socket is closed with after this was sent, None if it got none."""
    here = f"ws://127.0.0.1:{port}/"
    with connect(here, ping_interval=None, open_timeout=PATIENCE_SECONDS) as ws:
        with suppress(ConnectionClosed, OSError):
            send(ws)
        with pytest.raises(ConnectionClosed) as closed:
            listen_until_closed(ws)
    return closed.value.rcvd and closed.value.rcvd.code


def test_socket_that_floods_pings_is_closed(port):
    def flood(ws):
        for _ in range(20_000):
            ws.protocol.send_ping(b"x")
        ws.socket.sendall(b"".join(ws.protocol.data_to_send()))

    assert closes_with(port, flood) in {1008, None}


def test_a_message_in_many_fragments_is_refused(port):
    def send(ws):
        ws.protocol.send_text(b"", fin=False)
        for _ in range(100):
            ws.protocol.send_continuation(b"", fin=False)
        ws.socket.sendall(b"".join(ws.protocol.data_to_send()))

    assert closes_with(port, send) == 1008


def test_text_that_is_not_utf8_is_refused_without_a_traceback_in_the_log(port, caplog):
    caplog.set_level(logging.ERROR, "uvicorn.error")

    def send(ws):
        ws.protocol.send_text(b"\xff\xfe")
        ws.socket.sendall(b"".join(ws.protocol.data_to_send()))

    assert closes_with(port, send) == 1007
    assert not [record for record in caplog.records if record.exc_info]


def test_too_long_message_is_refused(port):
    assert closes_with(port, lambda ws: ws.send("x" * 5_000)) == 1009


def test_open_socket_keeps_no_headers_of_its_handshake(server, port):
    with connect(f"ws://127.0.0.1:{port}/", open_timeout=PATIENCE_SECONDS) as ws:
        ws.send("{}")
        ws.recv(timeout=PATIENCE_SECONDS)

        [connection] = server.server_state.connections
        assert vars(connection).keys().isdisjoint({"request", "response"})
        assert connection.scope["headers"] == []


def test_socket_with_few_messages_stays_open(port):
    with connect(f"ws://127.0.0.1:{port}/", open_timeout=PATIENCE_SECONDS) as ws:
        for _ in range(50):
            ws.send('{"type": "resync"}')
            assert ws.recv(timeout=PATIENCE_SECONDS) == '{"type": "resync"}'


def test_socket_that_does_not_read_is_dropped(server, port, monkeypatch):
    monkeypatch.setattr(connections, "STALLED_SOCKET_SECONDS", 0.2)

    with unread_socket(port, kilobytes=8_000) as line:
        until(lambda: not server.server_state.connections)
        received = sum(map(len, iter(lambda: read_some(line), b"")))

    assert received < 2_000_000  # Of eight million bytes; the rest was never kept for it.


def test_socket_that_reads_late_receives_everything(server, port):
    with unread_socket(port, kilobytes=2_000) as line:
        [connection] = server.server_state.connections
        until(lambda: not connection.writable.is_set())
        received = 0
        while received < 2_000 * 1024:
            received += len(read_some(line))


def test_socket_that_does_not_answer_pings_is_dropped(server, port, monkeypatch):
    server.config.ws_ping_interval = server.config.ws_ping_timeout = 0.2
    monkeypatch.setattr(connections, "WRITE_BUFFER_BYTES", 8_000_000)  # It never counts as stalled.

    with unread_socket(port, kilobytes=4_000):
        until(lambda: not server.server_state.connections)


@contextmanager
def unread_socket(port, kilobytes):
    """Open a socket that requests so many bytes and reads none of them."""
    with socket.socket() as line:
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        line.settimeout(PATIENCE_SECONDS)
        line.connect(("127.0.0.1", port))
        line.sendall(
            b"GET / HTTP/1.1\r\nHost: here\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n\r\n"
        )
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            head += line.recv(1)
        said = str(kilobytes).encode()
        line.sendall(bytes((0x81, 0x80 | len(said), 0, 0, 0, 0)) + said)  # Masked by zeros.
        yield line


def read_some(line):
    try:
        return line.recv(65_536)
    except ConnectionResetError:
        return b""
