"""deploy/nginx.conf in a real nginx with substitutes for the application."""

import re
import shutil
import socket
import ssl
import subprocess
import threading
import time
import urllib.error
import urllib.request
from contextlib import ExitStack, contextmanager

import pytest
import uvicorn
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from tests.builders.processes.live_server import application
from tests.builders.processes.proxy import rendered

NGINX = shutil.which("nginx")
SOCKETS_MAX = 200
PATIENCE_SECONDS = 20
REQUEST = b"%s HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-Proto: https\r\n"

pytestmark = pytest.mark.skipif(
    NGINX is None, reason="no nginx on this machine (apt install nginx)"
)


def test_nginx_reads_the_file(tmp_path):
    done = subprocess.run(
        [NGINX, "-t", "-c", rendered(tmp_path)], capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stderr


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextmanager
def nginx_before(directory, ports, behind):
    """Run nginx on two ports, plain and TLS, before a server on a third."""
    path = rendered(directory, ports=ports, upstream=f"127.0.0.1:{behind}")
    nginx = subprocess.Popen([NGINX, "-c", path, "-g", "daemon off;"])
    try:
        deadline = time.monotonic() + PATIENCE_SECONDS
        while socket.socket().connect_ex(("127.0.0.1", ports[0])):
            assert time.monotonic() < deadline
            time.sleep(0.05)
        yield
    finally:
        nginx.terminate()
        nginx.wait(PATIENCE_SECONDS)


@pytest.fixture
def reached():
    """What the stand-in behind the proxy has been asked, by path."""
    return {}


@pytest.fixture
def proxy(tmp_path, reached):
    """Run nginx before a stand-in for both servers; yield its ports, plain and TLS."""

    async def noting(scope, receive, send):
        reached[scope["path"]] = {name.decode(): value.decode() for name, value in scope["headers"]}
        await application(scope, receive, send)

    config = uvicorn.Config(noting, port=0, lifespan="off", log_config=None, log_level="critical")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    behind = server.servers[0].sockets[0].getsockname()[1]
    ports = free_port(), free_port()
    try:
        with nginx_before(tmp_path, ports, behind):
            yield ports
    finally:
        server.should_exit = server.force_exit = True
        thread.join(PATIENCE_SECONDS)


def wait_until(holds):
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.05)


class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_arguments):
        return None


def ask(port, path, *, scheme="http", body=None, **headers):
    trusting = ssl.create_default_context()
    trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE
    opener = urllib.request.build_opener(NoRedirect, urllib.request.HTTPSHandler(context=trusting))
    request = urllib.request.Request(f"{scheme}://127.0.0.1:{port}{path}", body, headers)
    try:
        with opener.open(request, timeout=PATIENCE_SECONDS) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code


def test_plain_http_is_redirected_and_metrics_are_not_served(proxy):
    plain, tls = proxy

    assert ask(plain, "/") == 308
    assert ask(plain, "/healthz") == 200
    assert ask(plain, "/", **{"X-Forwarded-Proto": "https"}) == 200
    assert ask(tls, "/", scheme="https") == 200
    assert ask(tls, "/metrics", scheme="https") == 404
    assert ask(tls, "/", scheme="https", body=b"x" * 1_100_000) == 413


def test_a_browser_is_offered_http_2(proxy):
    """A card table is some thirty files: over HTTP/1.1 a slow line waits for each six in turn."""
    _, tls = proxy
    trusting = ssl.create_default_context()
    trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE
    trusting.set_alpn_protocols(["h2", "http/1.1"])

    with (
        socket.create_connection(("127.0.0.1", tls), timeout=PATIENCE_SECONDS) as plain,
        trusting.wrap_socket(plain, server_hostname="localhost") as wrapped,
    ):
        assert wrapped.selected_alpn_protocol() == "h2"


@pytest.mark.parametrize("path", ["/lobby/", "/ws/x"])
def test_both_servers_receive_the_clients_address(proxy, reached, path):
    """Without the address all sockets would count as the proxy's own."""
    plain, _ = proxy
    said = {"X-Forwarded-Proto": "https", "X-Forwarded-For": "203.0.113.7"}
    here = f"127.0.0.1:{plain}"

    if path.startswith("/ws/"):
        with connect(f"ws://{here}{path}", additional_headers=said, open_timeout=30):
            pass
    else:
        ask(plain, path, **said)

    received = reached[path]
    assert received["host"] == here
    # What the client says of itself stays left of what the proxy saw.
    assert received["x-forwarded-for"] == "203.0.113.7, 127.0.0.1"
    assert received["x-forwarded-proto"] == "https"


def test_the_proxy_names_the_trace_whatever_the_client_calls_it(proxy, reached, tmp_path):
    plain, _ = proxy
    named = f"00-{'a' * 32}-{'b' * 16}-01"

    ask(plain, "/lobby/", **{"X-Forwarded-Proto": "https", "traceparent": named})

    found = re.fullmatch(r"00-((\w{16})\w{16})-\2-01", reached["/lobby/"]["traceparent"])
    assert found is not None
    assert found[1] != "a" * 32
    wait_until(lambda: found[1] in (tmp_path / "access.log").read_text().split())


@pytest.mark.extended
def test_an_address_has_so_many_sockets_and_requests_besides(proxy):
    plain, _ = proxy
    address = f"ws://127.0.0.1:{plain}/ws/x"
    headers = {"X-Forwarded-Proto": "https"}
    opened, refused = [], []
    with ExitStack() as stack:
        for _ in range(SOCKETS_MAX + 20):
            try:
                ws = connect(address, additional_headers=headers, open_timeout=30)
                opened.append(stack.enter_context(ws))
            except InvalidStatus as error:
                refused.append(error.response.status_code)
        assert 50 <= len(opened) <= SOCKETS_MAX
        assert {*refused} == {429}
        assert ask(plain, "/", **headers) == 200


def test_a_slow_body_reaches_no_server_before_it_is_whole(tmp_path):
    """Or each would hold a thread of `web`, which has no limit of its own for bodies."""
    with socket.create_server(("127.0.0.1", 0)) as behind:
        behind.settimeout(PATIENCE_SECONDS)
        ports = free_port(), free_port()
        with nginx_before(tmp_path, ports, behind.getsockname()[1]), ExitStack() as stack:
            for _ in range(50):
                slow = stack.enter_context(socket.create_connection(("127.0.0.1", ports[0])))
                slow.sendall(REQUEST % b"POST /slow" + b"Content-Length: 9\r\n\r\nhalf")
            whole = stack.enter_context(socket.create_connection(("127.0.0.1", ports[0])))
            whole.sendall(REQUEST % b"GET /whole" + b"\r\n")

            first = stack.enter_context(behind.accept()[0])

            assert first.recv(10).startswith(b"GET /whole")
