"""Limits of failed sign-ins.

Wrong passwords are counted by account and network (`AXES_*`), or by account and known browser.
`ACCOUNT_RATE_LIMITS` counts them by network for all accounts, and counts wrong codes of second
factors. Successful sign-ins are not counted.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any, Final

from allauth.core import ratelimit
from axes.models import AccessAttempt
from axes.utils import reset
from django.conf import settings
from django.db.models import Sum
from django.http import HttpRequest
from django.utils import timezone

from players.accounts.models import User
from players.sign_in import known_browsers

TRIES: Final = 10
# Wrong passwords for one account, from all addresses, after which each gets fewer tries.
ATTACKED_AFTER: Final = 30
TRIES_UNDER_ATTACK: Final = 3
# Maximum length of an address; the column has 255 characters, including the browser id.
KEPT_CHARACTERS: Final = 220


def attempted_email(request: HttpRequest, credentials: dict[str, Any] | None = None) -> str:
    """Return the e-mail address of a sign-in attempt, normalised; "" if there is none.

    The field is `login` in the players' form, `username` in the admin's, `email` in the backend.
    """
    for source in (credentials or {}, request.POST):
        for field in ("email", "username", "login"):
            if source.get(field):
                return str(source[field]).strip().casefold()[:KEPT_CHARACTERS]
    return ""


def counted_as(request: HttpRequest, credentials: dict[str, Any] | None = None) -> str:
    """Return the name under which a failure is counted: e-mail, plus the id of a known browser."""
    email = attempted_email(request, credentials)
    browser = known_browsers.browser_of(request, email)
    return email if browser is None else f"{email} {browser}"


def lockout_parameters(
    request: HttpRequest, credentials: dict[str, Any] | None = None
) -> list[str | list[str]]:
    """Return the keys by which failures are counted: account and network, or known browser."""
    email = attempted_email(request, credentials)
    if known_browsers.browser_of(request, email) is not None:
        return ["username"]
    return [["username", "ip_address"]]


def failure_limit(request: HttpRequest, credentials: dict[str, Any] | None = None) -> int:
    """Return how many wrong passwords an address may try for an account within the cool-off.

    Only the address is locked out, not the account, so that an attacker cannot lock out the owner.
    While an account is attacked from many addresses each gets fewer tries, except known browsers.
    """
    email = attempted_email(request, credentials)
    if known_browsers.browser_of(request, email) is not None:
        return TRIES
    since = timezone.now() - timedelta(hours=settings.AXES_COOLOFF_TIME)
    tried = AccessAttempt.objects.filter(username=email, attempt_time__gte=since)
    failures = tried.aggregate(sum=Sum("failures_since_start"))["sum"] or 0
    return TRIES_UNDER_ATTACK if failures >= ATTACKED_AFTER else TRIES


def may_try(request: HttpRequest, email: str) -> bool:
    """Return whether a network may try another password, for any account.

    A known browser always may, regardless of other failures from its network.
    """
    if known_browsers.browser_of(request, email) is not None:
        return True
    allowed: bool = ratelimit.consume(request, action="password_failed", dry_run=True)
    return allowed


def count_failure(request: HttpRequest, email: str) -> None:
    """Count a wrong password against its network, unless the attempt was locked out unchecked."""
    if getattr(request, "axes_locked_out", False):
        return
    if known_browsers.browser_of(request, email) is None:
        ratelimit.consume(request, action="password_failed")


def open_to_owner(*, request: HttpRequest, user: User, **_signal: Any) -> None:
    """Signal receiver of password resets: clear the failures, so that the owner can sign in.

    Failed passwords and failed second-factor codes of the account are reset.
    """
    email = attempted_email(request, {"email": user.email})
    reset(username=email)
    ratelimit.clear(request, action="login_failed", key=f"mfa-auth-user-{user.pk}")
    known_browsers.prove_mailbox(request, email=email)
