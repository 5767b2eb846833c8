"""Find misspelt names of settings, which would be ignored and leave the default in force."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

# Settings that only some commands, the demo or the tests read.
READ_ELSEWHERE: Final = frozenset(
    {"DATABASE_OWNER_URL", "DATABASE_POOL_MAX", "DATABASE_ROLE", "DEMO_PASSWORD"}
)
# Shorter names are too similar to variables of other programs.
LETTERS_MIN: Final = 8


def misspelt(names: Iterable[str], known: Iterable[str]) -> list[tuple[str, str]]:
    """Return each name that differs from a setting's by one letter, with that setting.

    One letter may be missing, added, replaced or moved; case is ignored. Names that differ by more
    belong to other programs: DATABASE_USER is not a misspelt DATABASE_URL.

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
    """Return the name, and the name without each one of its letters."""
    return {name, *(name[:place] + name[place + 1 :] for place in range(len(name)))}
