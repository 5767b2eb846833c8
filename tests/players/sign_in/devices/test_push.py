"""Web Push: messages are encrypted for one browser, signed, and sent only to its service."""

import base64
import json
import socket
from itertools import pairwise
from threading import Event

import pytest
from py_vapid import Vapid02

from core.http import outgoing
from players.sign_in.devices import push
from tests.builders.people.push_service import ABrowser

MESSAGE = '{"body": "आपकी बारी"}'.encode()


def send(browser, **more):
    fields = {"message": MESSAGE, "ttl": 60, "topic": "t1"} | more
    push.send(endpoint=browser.endpoint, **browser.keys, **fields)


def only_the_deadline(monkeypatch):
    """Disable the timeouts of single steps."""
    monkeypatch.setattr(outgoing, "DEADLINE_SECONDS", 0.3)
    monkeypatch.setattr(outgoing, "STEP_SECONDS", None)


def test_message_is_encrypted_for_the_browser_and_signed(service):
    browser = ABrowser(service.endpoint("one"))

    send(browser)

    [(path, headers, body)] = service.sent
    assert path == "/push/one?v=1"
    assert MESSAGE not in body
    assert browser.read(body) == {"body": "आपकी बारी"}
    with pytest.raises(Exception, match=r"."):
        ABrowser(browser.endpoint).read(body)
    assert (headers["TTL"], headers["Topic"], headers["Content-Encoding"]) == (
        "60",
        "t1",
        "aes128gcm",
    )
    assert Vapid02.verify(headers["Authorization"])
    assert headers["Authorization"].endswith(f"k={push.public_key()}")
    claims = headers["Authorization"].split("t=")[1].split(".")[1]
    claims = json.loads(base64.urlsafe_b64decode(claims + "=="))
    assert claims["aud"] == f"https://127.0.0.1:{service.server_address[1]}"
    assert claims["sub"] == "mailto:operator@example.com"


@pytest.mark.parametrize(
    ("status", "refusal"),
    [
        (404, push.SubscriptionGoneError),
        (410, push.SubscriptionGoneError),
        (307, push.NotSentError),
        (400, push.NotSentError),
        (429, push.NotSentError),
        (500, push.NotSentError),
    ],
)
def test_push_service_errors_are_raised_and_no_redirect_is_followed(service, status, refusal):
    service.status, service.location = status, service.endpoint("elsewhere")

    with pytest.raises(push.NotSentError) as caught:
        send(ABrowser(service.endpoint("one")))

    assert caught.type is refusal
    assert [path for path, *_ in service.sent] == ["/push/one?v=1"]


def test_push_service_without_answer_times_out(service, monkeypatch):
    only_the_deadline(monkeypatch)
    service.hold.clear()

    with pytest.raises(push.NotSentError):
        send(ABrowser(service.endpoint("one")))

    assert len(service.sent) == 1


def test_push_server_without_tls_handshake_times_out(service, monkeypatch):
    only_the_deadline(monkeypatch)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]

        with pytest.raises(push.NotSentError):
            send(ABrowser(f"https://127.0.0.1:{port}/one"))


def test_a_deadline_that_passes_before_there_is_a_connection_ends_it(service, monkeypatch):
    """DNS lookup and connection together must not exceed the deadline."""
    passed = Event()
    cut = outgoing._Connection.cut
    monkeypatch.setattr(outgoing._Connection, "cut", lambda self: (cut(self), passed.set()))
    monkeypatch.setattr(outgoing, "DEADLINE_SECONDS", 0.05)
    found = socket.getaddrinfo

    def slow(*asked, **more):
        assert passed.wait(10)
        return found(*asked, **more)

    monkeypatch.setattr(socket, "getaddrinfo", slow)

    with pytest.raises(push.NotSentError):
        send(ABrowser(service.endpoint("one")))

    assert service.sent == []


def test_the_addresses_of_a_name_are_tried_for_as_long_as_the_deadline_lets(monkeypatch):
    named = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (f"1.1.1.{n}", 443)) for n in range(200)]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_asked, **_more: named)
    connection = outgoing._Connection("push.example.com", 443)
    tried = []

    def silent(address, _timeout):
        tried.append(address)
        connection.cut()
        raise TimeoutError

    monkeypatch.setattr(socket, "create_connection", silent)

    with pytest.raises(TimeoutError, match="deadline"):
        connection.connect()

    assert len(tried) == 1


def test_untrusted_certificate_of_a_push_service_is_refused(service, monkeypatch):
    monkeypatch.delenv("SSL_CERT_FILE")
    outgoing._tls.cache_clear()

    with pytest.raises(push.NotSentError):
        send(ABrowser(service.endpoint("one")))

    assert service.sent == []


@pytest.mark.parametrize(
    "address", ["127.0.0.1", "10.1.2.3", "169.254.169.254", "::1", "64:ff9b::7f00:1", "fd00::1"]
)
def test_push_endpoint_with_a_private_address_is_refused(push_key, monkeypatch, address):
    """A public name may resolve to a private address, also after the subscription."""
    found = [
        (socket.AF_INET, socket.SOCK_STREAM, 6, "", (each, 443)) for each in ("1.1.1.1", address)
    ]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_asked, **_more: found)
    connected = []
    monkeypatch.setattr(socket, "create_connection", lambda *asked: connected.append(asked))

    with pytest.raises(push.NotSentError, match="public internet"):
        send(ABrowser("https://push.example.com/one"))

    assert connected == []


@pytest.mark.parametrize(
    ("endpoint", "is_fine"),
    [
        ("https://fcm.googleapis.com/fcm/send/abc:DEF", True),
        ("https://updates.push.services.mozilla.com:443/wpush/v2/x", True),
        ("https://1.1.1.1/x", True),
        ("http://fcm.googleapis.com/fcm/send/abc", False),
        ("https://localhost/x", False),
        ("https://redis:6379/x", False),
        ("https://push.example.com:8443/x", False),
        ("https://push.example.com:99999/x", False),
        ("https://127.0.0.1/x", False),
        ("https://2130706433/x", False),
        ("https://127.1/x", False),
        ("https://[::1]/x", False),
        ("https://[::ffff:10.0.0.1]/x", False),
        ("https://a@push.example.com/x", False),
        ("https://push.example.com/x y", False),
        ("https://push.example.com/x\r\nHost: y", False),
        ("https://push.example.com/" + "x" * 1000, False),
        ("https://[oops/x", False),
        ("", False),
    ],
)
def test_endpoints_are_https_addresses_of_the_public_internet(endpoint, is_fine):
    assert outgoing.is_target(endpoint) is is_fine


def test_keys_are_a_point_of_the_curve_and_sixteen_bytes():
    keys = ABrowser("").keys

    assert push.are_keys(**keys)
    for broken in ("", "AAAA", keys["p256dh"][:-2], keys["p256dh"] + "!", "B" + "A" * 86, "é" * 87):
        assert not push.are_keys(broken, keys["auth"])
    for broken in ("", "AAAA", keys["auth"] + "AAAA", "!" * 22):
        assert not push.are_keys(keys["p256dh"], broken)


def test_each_message_is_encrypted_with_a_new_key(service):
    browser = ABrowser(service.endpoint("one"))

    send(browser)
    send(browser)

    assert all(one[2] != other[2] for one, other in pairwise(service.sent))
