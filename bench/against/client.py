"""A signed-in player's connection to a site: cookies, JSON and refusals, over HTTP alone."""

from __future__ import annotations

import http.client
import json
from http.cookies import SimpleCookie
from types import TracebackType
from typing import Any
from urllib.parse import urlencode

API = "/api/v1/"
TIMEOUT_SECONDS = 30.0


class Refused(Exception):
    """The site answered with an error; `answer` is the body, if it was JSON."""

    def __init__(self, method: str, path: str, status: int, answer: Any) -> None:
        code = answer.get("code") if isinstance(answer, dict) else str(answer)[:200]
        super().__init__(f"{method} {path}: {status} {code}")
        self.status, self.code, self.answer = status, code, answer


class Client:
    """One browser: a kept-alive connection with its cookies, or a bearer of a token."""

    def __init__(self, port: int, *, token: str = "") -> None:
        self.port, self.token = port, token
        self.cookies: dict[str, str] = {}
        self._line = http.client.HTTPConnection("127.0.0.1", port, timeout=TIMEOUT_SECONDS)

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        self._line.close()

    @property
    def cookie(self) -> str:
        """Return the value of the header `Cookie`."""
        return "; ".join(f"{name}={value}" for name, value in self.cookies.items())

    def get(self, path: str) -> Any:
        """Return the JSON that an address of the API answers."""
        return self.call("GET", path)

    def post(self, path: str, body: Any = None, **headers: str) -> Any:
        return self.call("POST", path, {} if body is None else body, **headers)

    def call(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        """Send one request to the API; return its JSON, None without one; raise `Refused`."""
        data = None if body is None else json.dumps(body).encode()
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        status, text = self.request(
            method, API + path, data, {"Content-Type": "application/json", **named}
        )
        return _answer(method, path, status, text)

    def form(self, path: str, **fields: str) -> Any:
        """Send a page's form and ask for JSON, as programs sign in and up; raise `Refused`."""
        if "csrftoken" not in self.cookies:
            self.request("GET", path)
        fields["csrfmiddlewaretoken"] = self.cookies["csrftoken"]
        status, text = self.request(
            "POST",
            path,
            urlencode(fields).encode(),
            {"Content-Type": "application/x-www-form-urlencoded", "Accept": "application/json"},
        )
        return _answer("POST", path, status, text)

    def request(
        self,
        method: str,
        path: str,
        data: bytes | None = None,
        headers: dict[str, str] | None = None,
    ) -> tuple[int, bytes]:
        """Send one request; return the status and the whole body of its answer."""
        sent = {
            "Accept": "application/json",
            "Referer": f"http://127.0.0.1:{self.port}{path}",
            **(headers or {}),
        }
        if self.token:
            sent["Authorization"] = f"Bearer {self.token}"
        elif self.cookies:
            sent["Cookie"] = self.cookie
            sent["X-CSRFToken"] = self.cookies.get("csrftoken", "")
        try:
            return self._exchange(method, path, data, sent)
        except (http.client.RemoteDisconnected, ConnectionError):
            self._line.close()  # An idle connection was closed; every request here may be repeated.
            return self._exchange(method, path, data, sent)

    def _exchange(
        self, method: str, path: str, data: bytes | None, headers: dict[str, str]
    ) -> tuple[int, bytes]:
        self._line.request(method, path, data, headers)
        answer = self._line.getresponse()
        text = answer.read()
        for value in answer.headers.get_all("Set-Cookie", []):
            self.cookies |= {name: morsel.value for name, morsel in SimpleCookie(value).items()}
        return answer.status, text


def _answer(method: str, path: str, status: int, text: bytes) -> Any:
    try:
        answer = json.loads(text) if text else None
    except ValueError:
        answer = text.decode(errors="replace")
    if status >= 400:
        raise Refused(method, path, status, answer)
    return answer
