"""HTTP servers in threads of the test's process, in the place of services of others."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import ThreadingHTTPServer
from threading import Thread
from typing import Any


@contextmanager
def serving(server: ThreadingHTTPServer) -> Iterator[None]:
    """Serve in a thread during the block."""
    with server:
        thread = Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        try:
            yield
        finally:
            server.shutdown()
            thread.join()


class Quiet:
    """Methods of a handler of requests that logs nothing, before `BaseHTTPRequestHandler`."""

    def body(self: Any) -> bytes:
        """Return the body of the request."""
        body: bytes = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        return body

    def answer(self: Any, status: int, content: bytes = b"", **headers: str) -> None:
        """Send a response with this content; names of headers have `_` for `-`."""
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_line: object) -> None:
        pass
