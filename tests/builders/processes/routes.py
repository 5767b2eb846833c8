"""Every URL of the site, and whether caches may store the response."""

from __future__ import annotations

from django.urls import URLPattern, get_resolver


def routes(resolver=None, prefix=""):
    for one in (resolver or get_resolver()).url_patterns:
        path = f"{prefix}{one.pattern}"
        if isinstance(one, URLPattern):
            yield path, one.callback
        else:
            yield from routes(one, path)


def is_private(answer):
    kept = answer.headers.get("Cache-Control", "")
    return "private" in kept and "no-store" in kept
