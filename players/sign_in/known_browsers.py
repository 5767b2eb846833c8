"""Known browsers, in which an account has signed in before; they have a failure limit of their own.

Otherwise an attacker who keeps guessing passwords, or shares a carrier's address with the owner,
could lock out the owner. A signed cookie contains keyed hashes of the accounts' e-mail addresses
(OWASP: Slow Down Online Guessing Attacks with Device Cookies). It grants no access: a known browser
still needs the password.
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
