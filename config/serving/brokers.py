"""Convert REDIS_URL to the settings of Celery and of the channel layer."""

from __future__ import annotations

from typing import Any

import redis
from django.core.exceptions import ImproperlyConfigured

from config.environment import EPHEMERAL, env
from core.redis.servers import ASK_SECONDS, Sentinels, is_by_sentinel


def redis_url() -> str:
    """Return the URL of Redis; raise for a malformed Sentinel URL."""
    url: str = env.str("REDIS_URL", **({"default": "redis://"} if EPHEMERAL else {}))
    if is_by_sentinel(url):
        try:
            Sentinels.parse(url)
        except ValueError as error:  # The message leaves out the URL, which contains a password.
            raise ImproperlyConfigured(f"REDIS_URL: {error}") from None
    return url


def hint_urls(url: str) -> list[str]:
    """Return the servers that publish change messages: `CHANGE_MESSAGE_URLS`, or Redis itself.

    A hash of the table's key chooses the server of its change messages.
    """
    urls = str(env.str("CHANGE_MESSAGE_URLS", "")).split() or [url]
    for number, each in enumerate(urls, start=1):
        try:
            if is_by_sentinel(each):
                Sentinels.parse(each)
            else:
                redis.ConnectionPool.from_url(each)
        except ValueError:  # The message leaves out the URL, which contains a password.
            raise ImproperlyConfigured(
                f"CHANGE_MESSAGE_URLS: number {number} is not a Redis URL"
            ) from None
    return urls


def celery_url(url: str) -> str:
    """Return a URL as Celery writes it: `redis+socket://` for sockets, one URL per Sentinel.

    >>> celery_url("unix:///run/valkey.sock")
    'redis+socket:///run/valkey.sock'
    >>> celery_url("sentinel://:secret@one,two/main/2")
    'sentinel://:secret@one:26379/2;sentinel://:secret@two:26379/2'
    """
    if not is_by_sentinel(url):
        return url.replace("unix://", "redis+socket://", 1)
    named = Sentinels.parse(url)
    login = url.removeprefix("sentinel://").rpartition("@")[0]
    return ";".join(
        f"sentinel://{login and f'{login}@'}{f'[{host}]' if ':' in host else host}:{port}"
        f"/{named.database}"
        for host, port in named.hosts
    )


def celery_options(url: str) -> dict[str, Any]:
    """Return the transport's options, with short timeouts: requests wait for the broker."""
    options: dict[str, Any] = {"socket_connect_timeout": 2, "socket_timeout": 10}
    if is_by_sentinel(url):
        options["master_name"] = Sentinels.parse(url).master
        options["sentinel_kwargs"] = {
            "socket_timeout": ASK_SECONDS,
            "socket_connect_timeout": ASK_SECONDS,
        }
    return options


def channel_host(url: str) -> dict[str, Any]:
    """Return the host settings of the channel layer."""
    # redis-py 8 times out after 5 s by default, which would end every idle socket.
    options: dict[str, Any] = {"socket_timeout": None}
    if not is_by_sentinel(url):
        return {"address": url} | options
    named = Sentinels.parse(url)
    patience = {"socket_timeout": ASK_SECONDS, "socket_connect_timeout": ASK_SECONDS}
    # The layer changes these lists, so it gets copies.
    return {
        "sentinels": list(named.hosts),
        "master_name": named.master,
        "sentinel_kwargs": patience,
        **named.login,
        **options,
    }
