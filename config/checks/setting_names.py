"""Misspelt names of settings: without this they would be ignored, and a default be in force."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

# Read only by some commands, or by the demo and the tests.
READ_ELSEWHERE: Final = frozenset(
    {"DATABASE_OWNER_URL", "DATABASE_POOL_MAX", "DATABASE_ROLE", "DEMO_PASSWORD"}
)
# Shorter names are too close to those of other programs.
LETTERS_MIN: Final = 8


def misspelt(names: Iterable[str], known: Iterable[str]) -> list[tuple[str, str]]:
    """Return each name that is a setting's but for one letter, with that setting.

    A letter is missing, too much, another or in another place; capitals make no difference. Names
    that differ by more are other programs': DATABASE_USER is no misspelt DATABASE_URL.

    >>> misspelt(["REDIS_URI", "REDIS_PORT", "CASH_CURRENCIEZ"], ["CASH_CURRENCIES", "REDIS_URL"])
    [('CASH_CURRENCIEZ', 'CASH_CURRENCIES'), ('REDIS_URI', 'REDIS_URL')]
    """
    settings = READ_ELSEWHERE.union(known)
    shortened = {short: setting for setting in sorted(settings) for short in _shortened(setting)}
    found = []
    for name in sorted(set(names) - settings):
        meant = {shortened[short] for short in _shortened(name.upper()) if short in shortened}
        if meant and len(name) >= LETTERS_MIN:
            found.append((name, min(meant)))
    return found


def _shortened(name: str) -> set[str]:
    """Return a name as it is and without each of its letters."""
    return {name, *(name[:place] + name[place + 1 :] for place in range(len(name)))}
