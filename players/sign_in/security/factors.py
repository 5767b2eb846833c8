"""Second factors of a session, and the record of changes to an account's factors."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, Final

from allauth.account.authentication import get_authentication_records
from allauth.mfa.models import Authenticator
from allauth.mfa.utils import is_mfa_enabled
from django.conf import settings
from django.dispatch import Signal

from players.accounts.models import User
from players.sign_in.security.changes import record_change
from players.sign_in.security.models import AccountChange

FACTORS: Final = (Authenticator.Type.TOTP, Authenticator.Type.WEBAUTHN)
# Sent with `user` and `authenticator` in the transaction that adds a factor.
factor_added: Final = Signal()


def has_factor(user: Any) -> bool:
    return bool(is_mfa_enabled(user, FACTORS))


def has_shown_factor(session: Any, user: Any) -> bool:
    """Return whether a session has used a second factor and the account still has one.

    False for sessions from before the factor was set up.
    """
    records = get_authentication_records(SimpleNamespace(session=session), user)
    return any(record.get("method") == "mfa" for record in records) and has_factor(user)


def lacks_factor(session: Any, user: User) -> bool:
    """Return whether a staff session must still use a second factor."""
    if not settings.STAFF_MFA_REQUIRED or not user.is_staff:
        return False
    return not has_shown_factor(session, user)


def factors_of(user: Any) -> dict[int, Authenticator]:
    """Return the factors and recovery codes of an account by key; empty if signed out."""
    if not user.is_authenticated:
        return {}
    return {each.pk: each for each in Authenticator.objects.filter(user=user)}


def record_factors(user: Any, before: dict[int, Authenticator]) -> None:
    """Record the factors added and removed since `before` was read, in the page's transaction.

    allauth sends its signals about factors after the commit, when a record could be lost.
    """
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
