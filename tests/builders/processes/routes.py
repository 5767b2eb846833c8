"""Every URL of the site, and whether caches may store the response."""

from __future__ import annotations

from django.urls import URLPattern, get_resolver


def _patterns(resolver=None, prefix=""):
    for one in (resolver or get_resolver()).url_patterns:
        path = f"{prefix}{one.pattern}"
        if isinstance(one, URLPattern):
            yield path, one
        else:
            yield from _patterns(one, path)


def routes():
    """Yield each route, without a slash before it, and its view."""
    for path, pattern in _patterns():
        yield path, pattern.callback


def named_routes(prefix):
    """Yield name, path and view of each named route under a prefix such as `/accounts/`."""
    for path, pattern in _patterns():
        if f"/{path}".startswith(prefix) and pattern.name:
            yield pattern.name, f"/{path}", pattern.callback


def is_private(answer):
    kept = answer.headers.get("Cache-Control", "")
    return "private" in kept and "no-store" in kept
