"""Limits of failed sign-ins.

Wrong passwords are counted by account and network (`AXES_*`), or by account and known browser.
`ACCOUNT_RATE_LIMITS` counts them by network for all accounts, and counts wrong codes of second
factors. Successful sign-ins are not counted.

A known browser is one in which an account has signed in before; it has a failure limit of its own.
Otherwise an attacker who keeps guessing passwords, or shares a carrier's address with the owner,
could lock out the owner. A signed cookie contains keyed hashes of the accounts' e-mail addresses
(OWASP: Slow Down Online Guessing Attacks with Device Cookies). It grants no access: a known browser
still needs the password.
"""

from __future__ import annotations

import secrets
from datetime import timedelta
from typing import Any, Final

from allauth.core import ratelimit
from axes.models import AccessAttempt
from axes.utils import reset
from django.conf import settings
from django.core import signing
from django.db.models import Sum
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.crypto import constant_time_compare

from core.keyed_hashes import keyed_hash
from players.accounts.models import User

COOKIE: Final = "known_browser"
SALT: Final = "players.known_browser"
KEPT: Final = timedelta(days=400)
# Maximum number of accounts per browser; the oldest is dropped.
ACCOUNTS_MAX: Final = 5
ID_BYTES: Final = 8
# A session that has reset the password by e-mail counts as a known browser too.
PROVED: Final = "proved_mailbox"
BY_MAIL: Final = "mailbox"


def browser_of(request: HttpRequest, email: str) -> str | None:
    """Return the id of the browser if it is known to the account of this address, else None."""
    if _is_hash_of(request.session.get(PROVED, ""), email):
        return BY_MAIL
    browser, hashes = _read(request)
    return browser if any(_is_hash_of(each, email) for each in hashes) else None


def remember(request: HttpRequest, answer: HttpResponse, *, email: str) -> None:
    """Make the browser known to the account after a complete sign-in."""
    browser, hashes = _read(request)
    others = [each for each in hashes if not _is_hash_of(each, email)]
    known = [_hash(settings.SECRET_KEY, email), *others][:ACCOUNTS_MAX]
    answer.set_cookie(
        COOKIE,
        signing.dumps([browser or secrets.token_hex(ID_BYTES), known], salt=SALT),
        max_age=KEPT,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def prove_mailbox(request: HttpRequest, *, email: str) -> None:
    """Make this session known to the account whose password was reset by e-mail."""
    request.session[PROVED] = _hash(settings.SECRET_KEY, email)


def _read(request: HttpRequest) -> tuple[str, list[str]]:
    """Return the browser id and the account hashes of the cookie; empty if it is invalid."""
    try:
        found: Any = signing.loads(request.COOKIES.get(COOKIE, ""), salt=SALT, max_age=KEPT)
    except signing.BadSignature:
        return "", []
    browser, hashes = found
    return browser, hashes


def _is_hash_of(kept: str, email: str) -> bool:
    keys = (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)
    return any(constant_time_compare(kept, _hash(key, email)) for key in keys)


def _hash(key: str, email: str) -> str:
    return keyed_hash(key, f"known browser:{email.strip().casefold()}")


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
    browser = browser_of(request, email)
    return email if browser is None else f"{email} {browser}"


def lockout_parameters(
    request: HttpRequest, credentials: dict[str, Any] | None = None
) -> list[str | list[str]]:
    """Return the keys by which failures are counted: account and network, or known browser."""
    email = attempted_email(request, credentials)
    if browser_of(request, email) is not None:
        return ["username"]
    return [["username", "ip_address"]]


def failure_limit(request: HttpRequest, credentials: dict[str, Any] | None = None) -> int:
    """Return how many wrong passwords an address may try for an account within the cool-off.

    Only the address is locked out, not the account, so that an attacker cannot lock out the owner.
    While an account is attacked from many addresses each gets fewer tries, except known browsers.
    """
    email = attempted_email(request, credentials)
    if browser_of(request, email) is not None:
        return TRIES
    since = timezone.now() - timedelta(hours=settings.AXES_COOLOFF_TIME)
    tried = AccessAttempt.objects.filter(username=email, attempt_time__gte=since)
    failures = tried.aggregate(sum=Sum("failures_since_start"))["sum"] or 0
    return TRIES_UNDER_ATTACK if failures >= ATTACKED_AFTER else TRIES


def may_try(request: HttpRequest, email: str) -> bool:
    """Return whether a network may try another password, for any account.

    A known browser always may, regardless of other failures from its network.
    """
    if browser_of(request, email) is not None:
        return True
    allowed: bool = ratelimit.consume(request, action="password_failed", dry_run=True)
    return allowed


def count_failure(request: HttpRequest, email: str) -> None:
    """Count a wrong password against its network, unless the attempt was locked out unchecked."""
    if getattr(request, "axes_locked_out", False):
        return
    if browser_of(request, email) is None:
        ratelimit.consume(request, action="password_failed")


def open_to_owner(*, request: HttpRequest, user: User, **_signal: Any) -> None:
    """Signal receiver of password resets: clear the failures, so that the owner can sign in.

    Failed passwords and failed second-factor codes of the account are reset.
    """
    email = attempted_email(request, {"email": user.email})
    reset(username=email)
    ratelimit.clear(request, action="login_failed", key=f"mfa-auth-user-{user.pk}")
    prove_mailbox(request, email=email)
