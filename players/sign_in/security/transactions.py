"""Run allauth's pages in a transaction, so that a change and its record are written together.

allauth commits each statement and sends its signals afterwards. A crash in between would leave a
changed account without a record: no e-mail is sent, and no withdrawal is held.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextvars import ContextVar
from functools import wraps
from typing import Any, Final

from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, URLResolver

from players.sign_in.security.changes import factors_of, record_factors
from players.sign_in.security.proof import OPEN

# These pages hash a password, which must not hold a connection; the adapter records the change.
HASHING: Final = frozenset({"account_change_password", "account_set_password"})
# Open without signing in, by a link.
BY_LINK: Final = "account_confirm_email"

# E-mails of the current page.
_unsent: ContextVar[list[Callable[[], None]] | None] = ContextVar("unsent", default=None)


def recorded(included: tuple[Any, ...]) -> tuple[Any, ...]:
    """Wrap the views of an `include()` that change an account in transactions."""
    _wrap(included[0].urlpatterns)
    return included


def _wrap(patterns: Iterable[Any]) -> None:
    for each in patterns:
        if isinstance(each, URLResolver):
            _wrap(each.url_patterns)
        elif isinstance(each, URLPattern) and changes_account(each.name or ""):
            each.callback = in_transaction(each.callback)


def changes_account(name: str) -> bool:
    return name == BY_LINK or name not in OPEN | HASHING


def in_transaction(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Run a view in a transaction, and send its e-mails after the commit."""

    @wraps(view)
    def run(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if request.method in ("GET", "HEAD", "OPTIONS"):
            return view(request, *args, **kwargs)
        unsent: list[Callable[[], None]] = []
        held = _unsent.set(unsent)
        try:
            with transaction.atomic():
                who = request.user  # Read first: a page that signs in changes no factor.
                before = factors_of(who)
                answer = view(request, *args, **kwargs)
                record_factors(who, before)
        finally:
            _unsent.reset(held)
        for send in unsent:
            send()
        return answer

    return run


def send_after_commit(send: Callable[[], None]) -> bool:
    """Queue an e-mail until the page's transaction commits; return False if there is none."""
    unsent = _unsent.get()
    if unsent is None:
        return False
    unsent.append(send)
    return True
