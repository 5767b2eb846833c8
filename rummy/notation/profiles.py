"""The named rules profiles of the thirteen-card family (RB 6)."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from rummy.errors import RulesError
from rummy.notation.rules import Rules


def _pool(limit: int, first: int, middle: int, cap: int) -> Rules:
    return Rules(
        name=f"total-rummy-pool-{limit}",
        game="pool",
        first_drop=first,
        middle_drop=middle,
        cap=cap,
        limit=limit,
        rejoin=True,
        split=True,
        auto_split=True,
    )


def _deals(deals: int, chips: int) -> Rules:
    return Rules(
        name=f"total-rummy-best-of-{deals}",
        game="deals",
        deals=deals,
        chips=chips,
        drops_allowed=deals > 3,
    )


_VENGALA: Final = Rules(
    name="vengala-points",
    players_max=5,
    three_decks_from=5,
    printed_jokers_per_deck=2,
    max_jokers_per_sequence=1,
    max_jokers_per_set=1,
    max_set_size=4,
    identical_triples=True,
    life_of_four="any",
    loose_jokers=True,
    first_drop=10,
    middle_drop=30,
    unmet_points="flat",
)

PROFILES: Final[Mapping[str, Rules]] = MappingProxyType(
    {
        rules.name: rules
        for rules in (
            Rules(name="total-rummy-points"),
            _pool(61, 15, 30, 60),
            _pool(101, 20, 40, 80),
            _pool(201, 25, 50, 80),
            _deals(2, 160),
            _deals(3, 240),
            _deals(6, 480),
            Rules(name="rummycentral-points", max_set_size=4),
            _VENGALA,
            _VENGALA.with_(name="vengala-pool-101", game="pool", limit=101),
            _VENGALA.with_(name="vengala-pool-201", game="pool", limit=201),
        )
    }
)


def profile(name: str) -> Rules:
    """Return a profile by name; raise `RulesError` for an unknown one.

    >>> profile("total-rummy-pool-61").first_drop
    15
    """
    try:
        return PROFILES[name]
    except KeyError:
        known = ", ".join(PROFILES)
        raise RulesError("unknown_profile", f"no profile {name!r}; known are {known}") from None
