"""Browsers in which an account has signed in before: strangers' failures do not count for them.

Without them somebody who keeps guessing an account's password, or shares a carrier's address with
the owner, could keep the owner out. A signed cookie names the accounts by keyed hashes of their
e-mail addresses (OWASP: Slow Down Online Guessing Attacks with Device Cookies). It opens nothing: a
known browser needs the password too, and has a limit of its own.
"""

from __future__ import annotations

import secrets
from datetime import timedelta
from typing import Any, Final

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponse
from django.utils.crypto import constant_time_compare

from core.keyed_hashes import keyed_hash

COOKIE: Final = "known_browser"
SALT: Final = "players.known_browser"
KEPT: Final = timedelta(days=400)
# The accounts one browser is known to, the latest first.
ACCOUNTS_MAX: Final = 5
ID_BYTES: Final = 8
# The session of somebody who has set a new password by mail is known to that account as well.
PROVED: Final = "proved_mailbox"
BY_MAIL: Final = "mailbox"


def browser_of(request: HttpRequest, email: str) -> str | None:
    """Return the id of a browser that the account of this address has signed in with, or None."""
    if _is_hash_of(request.session.get(PROVED, ""), email):
        return BY_MAIL
    browser, hashes = _read(request)
    return browser if any(_is_hash_of(each, email) for each in hashes) else None


def remember(request: HttpRequest, answer: HttpResponse, *, email: str) -> None:
    """Let the browser of a complete sign-in be known to the account from now on."""
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
    """Let this session be known to the account whose password was set by a link in its mailbox."""
    request.session[PROVED] = _hash(settings.SECRET_KEY, email)


def _read(request: HttpRequest) -> tuple[str, list[str]]:
    """Return the id and the hashes of a request's cookie; both empty without a valid one."""
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
