"""The address of Redis: a URL of a server, or of Sentinels that know the master's address.

    redis://host:6379/0, rediss://…, unix:///run/valkey.sock
    sentinel://:password@host1:26379,host2:26379,host3:26379/main/0

The path begins with the master's name; the password is that of the master and its replicas.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final, Self
from urllib.parse import unquote

import redis
from redis.sentinel import Sentinel, SentinelConnectionPool

SENTINEL_PORT: Final = 26_379
# Seconds; a Sentinel that hangs must not delay asking the next one.
ASK_SECONDS: Final = 0.25
_URL: Final = re.compile(
    r"sentinel://(?:(?P<user>[^:@/]*):(?P<password>[^@/]*)@)?(?P<hosts>[^@/]+)"
    r"/(?P<master>[\w.-]+)(?:/(?P<database>\d{1,3}))?"
)
_HOST: Final = re.compile(r"(?P<host>[^\s:,;]+|\[[0-9a-fA-F:]+\])(?::(?P<port>\d{1,5}))?")


@dataclass(frozen=True)
class Sentinels:
    """The Sentinels and the master of a `sentinel://` URL."""

    hosts: tuple[tuple[str, int], ...]
    master: str
    database: int
    user: str
    password: str

    @classmethod
    def parse(cls, url: str) -> Self:
        """Parse a URL; raise `ValueError` for a malformed one.

        >>> named = Sentinels.parse("sentinel://:secret@one,two:26380/main/2")
        >>> named.hosts, named.master, named.login
        ((('one', 26379), ('two', 26380)), 'main', {'db': 2, 'password': 'secret'})
        """
        found = _URL.fullmatch(url)
        if found is None:
            raise ValueError("write it like sentinel://:password@host:26379,host:26379/master/0")
        return cls(
            hosts=tuple(_host(text) for text in found["hosts"].split(",")),
            master=found["master"],
            database=int(found["database"] or 0),
            user=unquote(found["user"] or ""),
            password=unquote(found["password"] or ""),
        )

    @property
    def login(self) -> dict[str, Any]:
        """Return the master's database and credentials as keyword arguments of redis-py."""
        said = {"username": self.user, "password": self.password}
        return {"db": self.database} | {name: value for name, value in said.items() if value}


def _host(text: str) -> tuple[str, int]:
    found = _HOST.fullmatch(text)
    if found is None:
        raise ValueError(f"{text!r} is not a host and port")
    return found["host"].strip("[]"), int(found["port"] or SENTINEL_PORT)


def is_by_sentinel(url: str) -> bool:
    return url.startswith("sentinel://")


class Pools:
    """Factory of connection pools for all kinds of URL, as used by Django's cache."""

    @staticmethod
    def from_url(url: str, **options: Any) -> redis.ConnectionPool:
        """Return a pool; with Sentinels, each new connection asks them for the master."""
        if not is_by_sentinel(url):
            return redis.ConnectionPool.from_url(url, **options)
        named = Sentinels.parse(url)
        patience = {"socket_timeout": ASK_SECONDS, "socket_connect_timeout": ASK_SECONDS}
        sentinel = Sentinel(named.hosts, sentinel_kwargs=patience)  # type: ignore[no-untyped-call]
        return SentinelConnectionPool(named.master, sentinel, **named.login, **options)  # type: ignore[no-untyped-call]


def client(url: str, *, is_single: bool = False, **options: Any) -> redis.Redis:
    """Return a client; a single-connection client keeps its connection between commands."""
    pool = Pools.from_url(url, **options)
    made = redis.Redis(connection_pool=pool, single_connection_client=is_single)
    made.auto_close_connection_pool = True
    return made
