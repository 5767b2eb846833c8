"""Count wrong passwords and codes at re-authentication."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from allauth.account.adapter import get_adapter
from allauth.core import ratelimit

ACTION: Final = "reauthentication_failed"


@dataclass
class Guess:
    """One guess; the `with` block sets `is_right`."""

    is_right: bool = False


@contextmanager
def guess(request: Any, user: Any) -> Iterator[Guess]:
    """Count a guess before it is checked, so that concurrent requests get no extra guesses.

    A right guess resets the count. Raise `ValidationError` after too many wrong ones.
    """
    if not ratelimit.consume(request, action=ACTION, user=user):
        raise get_adapter().validation_error("too_many_login_attempts")
    made = Guess()
    yield made
    if made.is_right:
        ratelimit.clear(request, action=ACTION, user=user)
