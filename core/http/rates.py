"""Request rates by player and by address, counted in Redis in fixed windows.

`THROTTLES` has two rates for each scope: by player, and by network (`core.addresses.network_of`).
The second is much larger, because a mobile carrier puts many players behind one address.

While Redis is unavailable nothing is counted or refused, so that games continue.
"""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from threading import local
from typing import Any, Final, NamedTuple

import redis
import structlog
from django.conf import settings
from redis.backoff import NoBackoff
from redis.retry import Retry

from core.redis import servers

# The wait is part of a player's turn.
REDIS_PATIENCE_SECONDS: Final = 0.25
# Seconds for which a Redis that did not answer is not used.
REDIS_REST_SECONDS: Final = 5.0
UNITS: Final = {"s": 1, "m": 60, "min": 60, "h": 3_600, "d": 86_400}
# Increment each counter and start its window; return the counts and milliseconds left.
COUNT: Final = """
local counts = {}
for place, key in ipairs(KEYS) do
    local count = redis.call('INCR', key)
    local left = redis.call('PTTL', key)
    if left < 0 then
        left = tonumber(ARGV[place])
        redis.call('PEXPIRE', key, left)
    end
    counts[2 * place - 1] = count
    counts[2 * place] = left
end
return counts
"""

log = structlog.get_logger(__name__)


class Rate(NamedTuple):
    """At most `limit` requests in each window of `seconds` seconds."""

    limit: int
    seconds: int


class Rates(NamedTuple):
    """The two rates of a scope; None for no limit."""

    player: Rate | None
    network: Rate | None


class Counter(NamedTuple):
    """A counter in Redis, its rate, and its name in response headers."""

    key: str
    rate: Rate
    name: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is left of a request's tightest rate, and all rates that applied to it."""

    name: str
    remaining: int
    reset_seconds: int
    is_refused: bool
    policy: str

    @property
    def headers(self) -> dict[str, str]:
        """Return the header fields of draft-ietf-httpapi-ratelimit-headers, from revision 8 on."""
        left = f'"{self.name}";r={self.remaining};t={self.reset_seconds}'
        said = {"RateLimit-Policy": self.policy, "RateLimit": left}
        return said | ({"Retry-After": str(self.reset_seconds)} if self.is_refused else {})


@lru_cache(maxsize=64)
def parse_rate(text: str) -> Rate | None:
    """Return the rate of a setting's text, or None for "none".

    >>> parse_rate("100/10s"), parse_rate("60/min")
    (Rate(limit=100, seconds=10), Rate(limit=60, seconds=60))
    """
    if text == "none":
        return None
    found = re.fullmatch(r"([1-9]\d*)/([1-9]\d*)?(s|m|min|h|d)", text)
    if found is None:
        raise ValueError(f"{text!r} is not a rate: write it like 100/10s, 60/min or none")
    return Rate(int(found[1]), int(found[2] or 1) * UNITS[found[3]])


def take(scope: str, *, player: int | None = None, network: str | None = None) -> Verdict | None:
    """Count a request of this scope and return what is left; None if nothing is counted."""
    return count(_counters(scope, player, network))


def is_by_player(scope: str) -> bool:
    """Return whether this scope has a rate by player."""
    return settings.THROTTLES[scope].player is not None


def _counters(scope: str, player: int | None, network: str | None) -> list[Counter]:
    rates: Rates = settings.THROTTLES[scope]
    counters = []
    if player is not None and rates.player is not None:
        counters.append(Counter(f"throttle:{scope}:player:{player}", rates.player, scope))
    if network and rates.network is not None:
        key, name = f"throttle:{scope}:network:{network}", f"{scope}-address"
        counters.append(Counter(key, rates.network, name))
    return counters


def count(counters: Sequence[Counter]) -> Verdict | None:
    """Increment each counter and return what is left; None if nothing is counted."""
    if not counters or time.monotonic() < _rest.until:
        return None
    windows = [counter.rate.seconds * 1_000 for counter in counters]
    try:
        counts = _script()(keys=[counter.key for counter in counters], args=windows)
    except redis.RedisError as error:
        _rest.until = time.monotonic() + REDIS_REST_SECONDS
        log.warning("throttles_off", error=str(error))
        return None
    policy = _policy(counters)
    verdicts = []
    for place, counter in enumerate(counters):
        limit = counter.rate.limit
        counted, left_ms = counts[2 * place], counts[2 * place + 1]
        is_refused = counted > limit
        seconds = -(-left_ms // 1_000)
        left = max(0, limit - counted)
        verdicts.append(Verdict(counter.name, left, seconds, is_refused, policy))
    # The exceeded counter that refuses longest, else the one with the least left.
    return max(verdicts, key=_weight)


def _policy(counters: Sequence[Counter]) -> str:
    return ", ".join(f'"{name}";q={rate.limit};w={rate.seconds}' for _, rate, name in counters)


def _weight(verdict: Verdict) -> tuple[bool, int]:
    if verdict.is_refused:
        return True, verdict.reset_seconds
    return False, -verdict.remaining


class _Rest:
    """The time by this process's clock until which Redis is not used."""

    until = 0.0


_rest: Final = _Rest()
_of_thread: Final = local()


def _script() -> Any:
    """Return the script on this thread's connection; a pool's checks would double the time."""
    if getattr(_of_thread, "url", None) != settings.REDIS_URL:
        client = servers.client(
            settings.REDIS_URL,
            is_single=True,
            socket_timeout=REDIS_PATIENCE_SECONDS,
            socket_connect_timeout=REDIS_PATIENCE_SECONDS,
            # A connection closed by Redis fails on use.
            retry=Retry(NoBackoff(), 1, supported_errors=(redis.ConnectionError,)),
        )
        _of_thread.url, _of_thread.script = settings.REDIS_URL, client.register_script(COUNT)
    return _of_thread.script
