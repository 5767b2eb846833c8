"""Families of rummy behind one set of functions, so that a table never asks which it plays."""

from __future__ import annotations

from types import ModuleType
from typing import Final

from rummy import thirteen
from rummy.notation.rules import Rules

FAMILIES: Final[dict[str, ModuleType]] = {"thirteen": thirteen}


def family_of(rules: Rules) -> ModuleType:
    """Return the module that plays deals by these rules.

    It offers `start`, `apply`, `legal_moves`, `view`, `public_view`, `status`, `outcome`,
    `clock_move`, `leave_move`, `extra_ms_left`, `misses` and `thrown_by`.

    >>> from rummy.notation.profiles import PROFILES
    >>> family_of(PROFILES["total-rummy-pool-101"]).__name__
    'rummy.thirteen'
    """
    return FAMILIES[rules.family]
