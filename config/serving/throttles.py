"""Request rates of each scope, by player and by network address."""

from __future__ import annotations

from typing import Final

from django.core.exceptions import ImproperlyConfigured

from config.environment import env, whole
from core.http.rates import Rate, Rates, parse_rate

# Of each scope: the rate by player and the rate by address.
DEFAULTS: Final[dict[str, tuple[str, str]]] = {
    "moves": ("100/10s", "5000/10s"),
    "reads": ("600/min", "12000/min"),
    "writes": ("120/min", "2400/min"),
    "money": ("30/min", "600/min"),
    # Generated files, and the best arrangement of a hand.
    "costly": ("20/min", "400/min"),
    # Messages to support, which anybody can send.
    "support": ("10/h", "60/h"),
    # Passwords of tournaments.
    "passwords": ("10/h", "60/h"),
    # Chat messages at a table.
    "phrases": ("4/10s", "400/10s"),
    "hints": ("120/min", "2400/min"),
    # Pages and API requests without a sign-in.
    "strangers": ("none", "600/min"),
    "public": ("none", "600/min"),
    "webhooks": ("none", "3000/min"),
    # Requests with invalid tokens.
    "failures": ("none", "20/min"),
}


def throttles() -> dict[str, Rates]:
    """Return the rates of each scope; `THROTTLES="moves=200/10s 9000/10s"` replaces one scope's.

    `THROTTLE_FACTOR` multiplies all of them, for load tests from one machine.
    """
    try:
        named: dict[str, str] = env.dict("THROTTLES", default={})
    except ValueError:
        example = "moves=200/10s 9000/10s,reads=600/min none"
        raise ImproperlyConfigured(f"THROTTLES is malformed; write it like {example}") from None
    if unknown := named.keys() - DEFAULTS.keys():
        raise ImproperlyConfigured(f"THROTTLES has unknown scopes: {sorted(unknown)}")
    factor = whole("THROTTLE_FACTOR", 1, least=1, most=1_000_000)
    found = {}
    for scope, default in DEFAULTS.items():
        texts = named[scope].split() if scope in named else default
        try:
            by_player, by_address = (_times(parse_rate(text), factor) for text in texts)
        except ValueError as error:
            raise ImproperlyConfigured(f"THROTTLES: {scope} needs two rates: {error}") from error
        found[scope] = Rates(by_player, by_address)
    return found


def _times(rate: Rate | None, factor: int) -> Rate | None:
    return None if rate is None else Rate(rate.limit * factor, rate.seconds)
