"""Seal heads are sent off the host by e-mail and HTTPS, once each; the audit checks them."""

import json
import socketserver
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from django.core.exceptions import ImproperlyConfigured

from config import environment
from tests.builders.wallet.players import fund, make_player
from tests.builders.wallet.tax_office import unguarded
from wallet.audit import seals
from wallet.audit.audit import audit
from wallet.audit.models import SentHead
from wallet.audit.seals import send_heads

pytestmark = pytest.mark.django_db(transaction=True)


class Endpoint(BaseHTTPRequestHandler):
    """Stores requests and answers with the status that its server has."""

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.received.append((self.headers.get("Authorization"), json.loads(body)))
        self.send_response(self.server.answer)
        self.send_header("Location", "/elsewhere")
        self.end_headers()

    def log_message(self, *_):
        pass


class Mailbox(socketserver.StreamRequestHandler):
    """As much of SMTP as a delivery needs."""

    def handle(self):
        self.wfile.write(b"220 here\r\n")
        in_letter = False
        for line in self.rfile:
            if in_letter:
                in_letter = line != b".\r\n"
                self.server.received.append(line.decode().rstrip())
                if not in_letter:
                    self.wfile.write(b"250 kept\r\n")
                continue
            in_letter = line.upper().startswith(b"DATA")
            if line.upper().startswith(b"QUIT"):
                self.wfile.write(b"221 bye\r\n")
                return
            self.wfile.write(b"354 go on\r\n" if in_letter else b"250 well\r\n")


@contextmanager
def serving(server):
    server.received = []
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture
def endpoint(settings):
    with serving(HTTPServer(("127.0.0.1", 0), Endpoint)) as server:
        server.answer = 200
        settings.SEAL_HEADS_URL = f"http://127.0.0.1:{server.server_port}/heads"
        settings.SEAL_HEADS_TOKEN = "a token"
        yield server


@pytest.fixture
def mailbox(settings):
    with serving(socketserver.ThreadingTCPServer(("127.0.0.1", 0), Mailbox)) as server:
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT = server.server_address
        settings.SEAL_HEADS_EMAIL = ["auditor@example.org"]
        yield server


def seal():
    fund(make_player(), deposit=1_00)
    return seals.seal_ledger()[-1]


def test_the_newest_head_goes_to_every_destination_once(endpoint, mailbox):
    head = seal()

    sent = send_heads()

    assert send_heads() == []
    [(token, body)] = endpoint.received
    assert token == "Bearer a token"
    assert (body["number"], body["hash"]) == (head.number, head.hash)
    assert str(head) in mailbox.received
    assert "To: auditor@example.org" in mailbox.received
    assert [(kept.number, kept.hash) for kept in sent] == [(head.number, head.hash)] * 2

    later = seal()
    assert {kept.number for kept in send_heads()} == {later.number}


@pytest.mark.parametrize("answer", [500, 403, 302])
def test_a_destination_that_does_not_take_it_is_asked_again(endpoint, mailbox, answer):
    seal()
    endpoint.answer = answer

    assert [kept.sent_to for kept in send_heads()] == ["auditor@example.org"]
    assert SentHead.objects.count() == 1

    endpoint.answer = 204
    assert [kept.sent_to for kept in send_heads()] == [endpoint_url(endpoint)]


def endpoint_url(server):
    return f"http://127.0.0.1:{server.server_port}/heads"


def test_unreachable_mail_server_does_not_affect_the_endpoint(endpoint, settings):
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 1
    settings.SEAL_HEADS_EMAIL = ["auditor@example.org"]
    seal()

    assert [kept.sent_to for kept in send_heads()] == [endpoint_url(endpoint)]


def test_no_destination_setting_sends_no_head():
    seal()

    assert send_heads() == []


def test_history_that_is_sealed_again_lacks_the_sent_and_the_printed_head(endpoint):
    head = seal()
    send_heads()
    assert audit(published_head=head.hash).is_clean
    _seal_again_without("wallet_seal")
    sent = {(finding.check, finding.subject) for finding in audit().findings}
    _seal_again_without("wallet_seal", "wallet_senthead")

    assert sent == {("published_head", f"seal {head.number}")}
    assert audit().is_clean
    [finding] = audit(published_head=head.hash).findings
    assert finding.check == "published_head"


def _seal_again_without(*tables):
    with unguarded() as cursor:
        for table in tables:
            cursor.execute(f"DELETE FROM {table}")
            cursor.execute("DELETE FROM wallet_rowversion WHERE relation = %s", [table])
        cursor.execute("UPDATE wallet_transfer SET memo = 'nothing to see'")
    seals.seal_ledger()


def test_url_for_heads_must_use_https(monkeypatch):
    monkeypatch.setenv("SEAL_HEADS_URL", "https://heads.example.org/rummy")
    assert environment.https_url("SEAL_HEADS_URL") == "https://heads.example.org/rummy"

    monkeypatch.setenv("SEAL_HEADS_URL", "http://heads.example.org/rummy")
    with pytest.raises(ImproperlyConfigured, match="SEAL_HEADS_URL"):
        environment.https_url("SEAL_HEADS_URL")
