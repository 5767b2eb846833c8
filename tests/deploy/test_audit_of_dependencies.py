"""`make audit` fails for a known vulnerability, and reports if it cannot reach the database."""

import json
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from tests.builders.processes.product import CHECKOUT

UV = CHECKOUT / ".tools" / "bin" / "uv"
pytestmark = [
    pytest.mark.extended,
    pytest.mark.process,
    pytest.mark.skipif(
        not (shutil.which("make") and UV.exists()), reason="make and its uv are not here"
    ),
]
FOUND = {"id": "PYSEC-2026-1", "modified": "2026-01-01T00:00:00Z", "summary": "Holes."}


@contextmanager
def database(vulnerable: str) -> Iterator[str]:
    """Serve a database of vulnerabilities with one package."""

    class Answers(BaseHTTPRequestHandler):
        def log_message(self, *_arguments: object) -> None:
            pass

        def do_POST(self) -> None:
            size = int(self.headers["Content-Length"])
            asked = json.loads(self.rfile.read(size))["queries"]
            is_it = (query["package"]["name"] == vulnerable for query in asked)
            self._answer({"results": [{"vulns": [FOUND]} if it else {} for it in is_it]})

        def do_GET(self) -> None:
            self._answer(FOUND)

        def _answer(self, body: object) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(json.dumps(body).encode())

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()


def audit(url: str) -> tuple[int, str]:
    done = subprocess.run(
        ["make", "audit", f"AUDIT_ARGS=--service-url {url}"],
        cwd=CHECKOUT,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout


def test_a_known_vulnerability_of_a_locked_package_fails() -> None:
    with database("django") as url:
        status, said = audit(url)

    assert status != 0
    assert "PYSEC-2026-1" in said
    assert "NOT AUDITED" not in said


def test_packages_without_known_vulnerabilities_pass() -> None:
    with database("no-such-package") as url:
        status, said = audit(url)

    assert (status, "NOT AUDITED" in said) == (0, False)
    assert "no known vulnerabilities" in said


def test_an_unreachable_database_passes_with_a_notice() -> None:
    status, said = audit("http://127.0.0.1:1/")

    assert status == 0
    assert "DEPENDENCIES WERE NOT AUDITED" in said
