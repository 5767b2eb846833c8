"""Warm a process up before it listens, so that its first requests are not slow.

URL patterns are compiled at the first request, statements at the first query, templates at the
first page; connections are opened, and `/readyz` reads all migrations once. A new process gets its
full share of requests at once, while the one before it is being stopped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final
from wsgiref.util import setup_testing_defaults

import structlog
from django.conf import settings

# Public pages that change nothing; the first one queries PostgreSQL and Redis.
PATHS: Final = ("/api/v1/tournaments/", "/", "/accounts/login/", "/readyz")
Application = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]

log = structlog.get_logger(__name__)


def warm_up(application: Application) -> None:
    """Request some pages from the application; ignore failures."""
    for path in PATHS:
        status = _status(application, path)
        if status.startswith("5"):
            log.info("not_warmed_up", path=path, status=status)
            return


def _status(application: Application, path: str) -> str:
    found: list[str] = []
    environ: dict[str, Any] = {"HTTP_HOST": _host(), "HTTP_X_FORWARDED_PROTO": "https"}
    environ |= {"PATH_INFO": path, "REMOTE_ADDR": "127.0.0.1", "HTTP_USER_AGENT": "warm-up"}
    setup_testing_defaults(environ)
    answer = application(environ, lambda status, headers, error=None: found.append(status))
    try:
        for _ in answer:
            pass
    finally:
        if (close := getattr(answer, "close", None)) is not None:
            close()
    return found[0]


def _host() -> str:
    """Return an allowed host of the site."""
    named = settings.ALLOWED_HOSTS[0] if settings.ALLOWED_HOSTS else "localhost"
    return "localhost" if named == "*" else named.removeprefix(".")
