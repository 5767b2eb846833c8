"""Record which second factors a page has added or removed, in the page's transaction.

allauth sends its signals about factors after the commit, when a record could be lost.
"""

from __future__ import annotations

from typing import Any, Final

from allauth.mfa.models import Authenticator
from django.dispatch import Signal

from players.sign_in.security.changes import record_change
from players.sign_in.security.factors import FACTORS
from players.sign_in.security.models import AccountChange

# Sent with `user` and `authenticator` in the transaction that adds a factor.
factor_added: Final = Signal()


def factors_of(user: Any) -> dict[int, Authenticator]:
    """Return the factors and recovery codes of an account by key; empty if signed out."""
    if not user.is_authenticated:
        return {}
    return {each.pk: each for each in Authenticator.objects.filter(user=user)}


def record_factors(user: Any, before: dict[int, Authenticator]) -> None:
    """Record what has changed since `before` was read."""
    after = factors_of(user)
    added = [each for pk, each in after.items() if pk not in before]
    removed = [each for pk, each in before.items() if pk not in after]
    factors = [each for each in added if each.type in FACTORS]
    for each in factors:
        record_change(player=user, kind=AccountChange.Kind.FACTOR_ADDED)
        factor_added.send(sender=Authenticator, user=user, authenticator=each)
    for each in removed:
        if each.type in FACTORS:
            record_change(player=user, kind=AccountChange.Kind.FACTOR_REMOVED)
    # Recovery codes created together with a factor need no record of their own.
    if added and not factors:
        record_change(player=user, kind=AccountChange.Kind.CODES_MADE)
