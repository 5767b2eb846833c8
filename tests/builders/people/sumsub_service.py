"""A local Sumsub API that checks signatures, stores applicants, and answers as documented."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Iterator
from contextlib import contextmanager
from email import message_from_bytes
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tests.builders.processes.http_servers import Quiet, serving

APP_TOKEN, SECRET = "sbx:token", "the-secret"


class SumsubService(ThreadingHTTPServer):
    """`review` is the review of every applicant; if `status` is set, it is answered instead."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.applicants, self.files, self.pending = {}, [], []
        self.info, self.review, self.status = {}, {"reviewStatus": "init"}, 0

    @property
    def address(self):
        return f"http://127.0.0.1:{self.server_address[1]}"

    def reviewed(self, answer, *, labels=(), **info):
        """Let the documents have been read: `reviewed("GREEN", firstName="Asha")`."""
        result = {"reviewAnswer": answer, "rejectLabels": list(labels)}
        self.review = {"reviewStatus": "completed", "reviewResult": result}
        self.info = info


class _Handler(Quiet, BaseHTTPRequestHandler):
    def do_POST(self):
        self._answer("POST")

    def do_GET(self):
        self._answer("GET")

    def _answer(self, method):
        service = self.server
        body = self.body()
        if not self._is_signed(method, body):
            return self._say(401, {"description": "signature mismatch"})
        if service.status:
            return self._say(service.status, {"description": "as the test wants it"})
        path = self.path.partition("?")[0].removeprefix("/resources/applicants").strip("/")
        if method == "POST" and not path:
            return self._create(json.loads(body))
        reference, _, rest = path.partition("/")
        if reference.startswith("-;externalUserId="):
            reference = service.applicants[reference.partition("=")[2]]["id"]
        if rest == "one":
            facts = {"id": reference, "info": service.info, "review": service.review}
            return self._say(200, facts)
        if rest == "info/idDoc":
            service.files.append(_parts(self.headers["Content-Type"], body))
            return self._say(200, {})
        service.pending.append(reference)
        return self._say(200, {"ok": 1})

    def _create(self, asked):
        external = asked["externalUserId"]
        if external in self.server.applicants:
            return self._say(409, {"description": "already exists"})
        number = f"5b594ade0a975a36c93{len(self.server.applicants):05d}"
        self.server.applicants[external] = asked | {"id": number}
        return self._say(201, {"id": number, "review": {"reviewStatus": "init"}})

    def _is_signed(self, method, body):
        said = self.headers.get("X-App-Access-Ts", "").encode() + method.encode()
        mac = hmac.new(SECRET.encode(), said + self.path.encode() + body, hashlib.sha256)
        is_theirs = self.headers.get("X-App-Token") == APP_TOKEN
        return is_theirs and self.headers.get("X-App-Access-Sig") == mac.hexdigest()

    def _say(self, status, facts):
        self.answer(status, json.dumps(facts).encode(), Content_Type="application/json")


def _parts(content_type, body):
    """Return the metadata and the content of a form of files."""
    form = message_from_bytes(b"Content-Type: " + content_type.encode() + b"\r\n\r\n" + body)
    found = {
        part.get_param("name", header="content-disposition"): part.get_payload(decode=True)
        for part in form.get_payload()
    }
    return json.loads(found["metadata"]), found["content"]


@contextmanager
def sumsub_service() -> Iterator[SumsubService]:
    service = SumsubService()
    with serving(service):
        yield service
