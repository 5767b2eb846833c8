"""Which of a test's many cases `make test` runs, and which wait for `make test-all`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def first(number: int, cases: Iterable[Any]) -> list[Any]:
    """Return cases for `parametrize`: the first few as they are, the rest marked as `extended`."""
    return [case if place < number else _extended(case) for place, case in enumerate(list(cases))]


def _extended(case: Any) -> Any:
    values, marks, name = case if isinstance(case, type(pytest.param())) else (case, (), None)
    if not isinstance(values, tuple):
        values = (values,)
    return pytest.param(*values, marks=[*marks, pytest.mark.extended], id=name)
