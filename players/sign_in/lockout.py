"""Which failed sign-ins count together, and how many of them there may be.

Wrong passwords count by account and network (`AXES_*`), of a known browser by account and browser;
those of a network for all accounts, and codes of second factors, count in `ACCOUNT_RATE_LIMITS`.
What was right counts nowhere.
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
# Wrong passwords for one account, from all addresses together.
ATTACKED_AFTER: Final = 30
TRIES_UNDER_ATTACK: Final = 3
# Of an address; the database keeps 255 characters, together with the browser's id.
KEPT_CHARACTERS: Final = 220


def attempted_email(request: HttpRequest, credentials: dict[str, Any] | None = None) -> str:
    """Return the e-mail that was tried, in one spelling, from whichever form sent it.

    The players' form calls the field `login`, the staff's `username`, and the back end `email`.
    """
    for source in (credentials or {}, request.POST):
        for field in ("email", "username", "login"):
            if source.get(field):
                return str(source[field]).strip().casefold()[:KEPT_CHARACTERS]
    return ""


def counted_as(request: HttpRequest, credentials: dict[str, Any] | None = None) -> str:
    """Return the name that a try is counted under: the e-mail, of a known browser with its id."""
    email = attempted_email(request, credentials)
    browser = known_browsers.browser_of(request, email)
    return email if browser is None else f"{email} {browser}"


def lockout_parameters(
    request: HttpRequest, credentials: dict[str, Any] | None = None
) -> list[str | list[str]]:
    """Return what tries are counted by: the account and the network, or the known browser."""
    email = attempted_email(request, credentials)
    if known_browsers.browser_of(request, email) is not None:
        return ["username"]
    return [["username", "ip_address"]]


def failure_limit(request: HttpRequest, credentials: dict[str, Any] | None = None) -> int:
    """Return how many wrong passwords an address may try for an account within the cool-off.

    Only the address is locked out, so nobody can shut an account's owner out. Of an account that
    is tried from many addresses each has fewer tries; a browser it has signed in with has all.
    """
    email = attempted_email(request, credentials)
    if known_browsers.browser_of(request, email) is not None:
        return TRIES
    since = timezone.now() - timedelta(hours=settings.AXES_COOLOFF_TIME)
    tried = AccessAttempt.objects.filter(username=email, attempt_time__gte=since)
    failures = tried.aggregate(sum=Sum("failures_since_start"))["sum"] or 0
    return TRIES_UNDER_ATTACK if failures >= ATTACKED_AFTER else TRIES


def may_try(request: HttpRequest, email: str) -> bool:
    """Return whether a network may try another password, of whatever account.

    A known browser may, whatever others behind its address have tried.
    """
    if known_browsers.browser_of(request, email) is not None:
        return True
    allowed: bool = ratelimit.consume(request, action="password_failed", dry_run=True)
    return allowed


def count_failure(request: HttpRequest, email: str) -> None:
    """Count a wrong password against its network, unless it was not even looked at."""
    if getattr(request, "axes_locked_out", False):
        return
    if known_browsers.browser_of(request, email) is None:
        ratelimit.consume(request, action="password_failed")


def open_to_owner(*, request: HttpRequest, user: User, **_signal: Any) -> None:
    """Receive a new password set by mail: the owner of the mailbox comes in at once.

    Guesses of the old password count no more, nor do guesses of codes by who knew it.
    """
    email = attempted_email(request, {"email": user.email})
    reset(username=email)
    ratelimit.clear(request, action="login_failed", key=f"mfa-auth-user-{user.pk}")
    known_browsers.prove_mailbox(request, email=email)
