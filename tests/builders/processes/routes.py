"""Every address of the site."""

from __future__ import annotations

from django.urls import URLPattern, get_resolver


def routes(resolver=None, prefix=""):
    for one in (resolver or get_resolver()).url_patterns:
        path = f"{prefix}{one.pattern}"
        if isinstance(one, URLPattern):
            yield path, one.callback
        else:
            yield from routes(one, path)
