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
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import http_ece
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

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


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.sent.append((self.path, dict(self.headers), body))
        self.server.hold.wait(60)
        self.send_response(self.server.status)
        if self.server.location:
            self.send_header("Location", self.server.location)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_line):
        pass


@contextmanager
def push_service(directory) -> Iterator[PushService]:
    """Serve HTTPS with a self-signed certificate, stored in `directory` as `cert.pem`."""
    certificate, key = _certificate()
    (directory / "cert.pem").write_bytes(certificate)
    (directory / "key.pem").write_bytes(key)
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(directory / "cert.pem", directory / "key.pem")
    with PushService() as service:
        service.socket = tls.wrap_socket(
            service.socket, server_side=True, do_handshake_on_connect=False
        )
        thread = threading.Thread(target=service.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        yield service
        service.hold.set()
        service.shutdown()
        thread.join()


def _certificate():
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "push.test")])
    now = datetime.now(UTC)
    address = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=2))
        .add_extension(address, critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(
        Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    return made.public_bytes(Encoding.PEM), private
