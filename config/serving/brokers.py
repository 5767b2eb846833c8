"""Redis by one URL, as Celery and the sockets' layer want it said."""

from __future__ import annotations

from typing import Any

import redis
from django.core.exceptions import ImproperlyConfigured

from config.environment import EPHEMERAL, env
from core.redis.servers import ASK_SECONDS, Sentinels, is_by_sentinel


def redis_url() -> str:
    """Return where Redis is; raise for Sentinels that cannot be read."""
    url: str = env.str("REDIS_URL", **({"default": "redis://"} if EPHEMERAL else {}))
    if is_by_sentinel(url):
        try:
            Sentinels.parse(url)
        except ValueError as error:  # Without the URL, which has a password in it.
            raise ImproperlyConfigured(f"REDIS_URL: {error}") from None
    return url


def hint_urls(url: str) -> list[str]:
    """Return where changes of tables are published: `CHANGE_MESSAGE_URLS`, or Redis itself.

    A table's hints go to one of them, chosen by a hash of its key.
    """
    urls = str(env.str("CHANGE_MESSAGE_URLS", "")).split() or [url]
    for number, each in enumerate(urls, start=1):
        try:
            if is_by_sentinel(each):
                Sentinels.parse(each)
            else:
                redis.ConnectionPool.from_url(each)
        except ValueError:  # Without the URL, which has a password in it.
            raise ImproperlyConfigured(
                f"CHANGE_MESSAGE_URLS: number {number} is no URL of Redis"
            ) from None
    return urls


def celery_url(url: str) -> str:
    """Return the broker's spelling: sockets are `redis+socket://`, each Sentinel has a URL.

    >>> celery_url("unix:///run/valkey.sock")
    'redis+socket:///run/valkey.sock'
    >>> celery_url("sentinel://:secret@one,two/house/2")
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
    """Return the transport's options; a broker that hangs must not delay a player's answer."""
    options: dict[str, Any] = {"socket_connect_timeout": 2, "socket_timeout": 10}
    if is_by_sentinel(url):
        options["master_name"] = Sentinels.parse(url).master
        options["sentinel_kwargs"] = {
            "socket_timeout": ASK_SECONDS,
            "socket_connect_timeout": ASK_SECONDS,
        }
    return options


def channel_host(url: str) -> dict[str, Any]:
    """Return the host of the sockets' layer."""
    # redis-py 8 gives up after 5 s by default, and so would every idle socket.
    options: dict[str, Any] = {"socket_timeout": None}
    if not is_by_sentinel(url):
        return {"address": url} | options
    named = Sentinels.parse(url)
    patience = {"socket_timeout": ASK_SECONDS, "socket_connect_timeout": ASK_SECONDS}
    # The layer takes them out of the dictionary, so it gets lists of its own.
    return {
        "sentinels": list(named.hosts),
        "master_name": named.master,
        "sentinel_kwargs": patience,
        **named.login,
        **options,
    }
