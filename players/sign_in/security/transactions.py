"""A change on allauth's pages and the record of it are written in one transaction.

allauth commits each statement and sends its signals afterwards. A process that dies in between
would leave a changed account without its record: nobody is written to, and no withdrawal is held.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextvars import ContextVar
from functools import wraps
from typing import Any, Final

from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, URLResolver

from players.sign_in.security.factor_changes import factors_of, record_factors
from players.sign_in.security.proof import OPEN

# They hash a password, which must not keep a connection waiting; the adapter records their change.
HASHING: Final = frozenset({"account_change_password", "account_set_password"})
# Anybody who has the link may open it.
BY_LINK: Final = "account_confirm_email"

# The e-mails of the page that is carried out now.
_unsent: ContextVar[list[Callable[[], None]] | None] = ContextVar("unsent", default=None)


def recorded(included: tuple[Any, ...]) -> tuple[Any, ...]:
    """Wrap the views of all pages that change an account among the routes of an `include()`."""
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
    """Let a view write all or nothing; its e-mails are sent once that is committed."""

    @wraps(view)
    def run(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if request.method in ("GET", "HEAD", "OPTIONS"):
            return view(request, *args, **kwargs)
        unsent: list[Callable[[], None]] = []
        held = _unsent.set(unsent)
        try:
            with transaction.atomic():
                who = request.user  # A page that signs somebody in changes no factor of theirs.
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
    """Keep an e-mail until the page's transaction is committed; return whether there is one."""
    unsent = _unsent.get()
    if unsent is None:
        return False
    unsent.append(send)
    return True
