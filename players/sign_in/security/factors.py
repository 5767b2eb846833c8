"""Second factors of a session."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, Final

from allauth.account.authentication import get_authentication_records
from allauth.mfa.models import Authenticator
from allauth.mfa.utils import is_mfa_enabled
from django.conf import settings

from players.accounts.models import User

FACTORS: Final = (Authenticator.Type.TOTP, Authenticator.Type.WEBAUTHN)


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
