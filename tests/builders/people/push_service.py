"""A browser's push service on this machine, and a browser that subscribes at it."""

from __future__ import annotations

import base64
import ipaddress
import json
import os
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import http_ece
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from tests.builders.processes.http_servers import Quiet, serving
from tests.builders.processes.proxy import make_certificate

PUSH_KEY = base64.urlsafe_b64encode(bytes(range(1, 33))).decode().rstrip("=")


def b64(content):
    return base64.urlsafe_b64encode(content).decode().rstrip("=")


class ABrowser:
    """A browser with its keys, which decrypts messages."""

    def __init__(self, endpoint):
        self.endpoint = endpoint
        self.key, self.secret = ec.generate_private_key(ec.SECP256R1()), os.urandom(16)
        point = self.key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
        self.keys = {"p256dh": b64(point), "auth": b64(self.secret)}

    def read(self, body):
        plain = http_ece.decrypt(
            body, private_key=self.key, auth_secret=self.secret, version="aes128gcm"
        )
        return json.loads(plain)


class PushService(ThreadingHTTPServer):
    """Store messages, and answer with `status`; `hold` is awaited before the answer."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.sent, self.status, self.location = [], 201, ""
        self.hold = threading.Event()
        self.hold.set()

    def endpoint(self, name):
        return f"https://127.0.0.1:{self.server_address[1]}/push/{name}?v=1"

    def handle_error(self, request, client_address):
        """Do not log clients that disconnect."""


class _Handler(Quiet, BaseHTTPRequestHandler):
    def do_POST(self):
        self.server.sent.append((self.path, dict(self.headers), self.body()))
        self.server.hold.wait(60)
        location = {"Location": self.server.location} if self.server.location else {}
        self.answer(self.server.status, **location)


@contextmanager
def push_service(directory) -> Iterator[PushService]:
    """Serve HTTPS with a self-signed certificate, stored in `directory` as `fullchain.pem`."""
    make_certificate(directory, x509.IPAddress(ipaddress.ip_address("127.0.0.1")))
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(directory / "fullchain.pem", directory / "privkey.pem")
    service = PushService()
    service.socket = tls.wrap_socket(
        service.socket, server_side=True, do_handshake_on_connect=False
    )
    with serving(service):
        yield service
        service.hold.set()
