"""Require re-authentication for allauth's pages that change an account."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.deprecation import MiddlewareMixin

from players.sign_in.security.changes import has_factor
from players.sign_in.security.proof import OPEN, ask_for_proof, is_proved

PREFIX: Final = "accounts/"
# This page requires the current password, which is enough without a second factor.
OWN_FORM: Final = "account_change_password"


class ReauthenticationMiddleware(MiddlewareMixin):
    """Require re-authentication for all allauth pages except those in `OPEN`.

    allauth has this check too, but skips it for accounts without a password.
    """

    def process_view(
        self,
        request: HttpRequest,
        _view: Callable[..., HttpResponse],
        _args: tuple[Any, ...],
        _kwargs: dict[str, Any],
    ) -> HttpResponse | None:
        match = request.resolver_match
        if match is None or not match.route.startswith(PREFIX) or match.url_name in OPEN:
            return None
        if not request.user.is_authenticated:
            return None
        if request.user.is_guest:
            return redirect("account-keep")
        if match.url_name == OWN_FORM and _asks_password(request.user):
            return None
        if _changes_nothing(request, match.url_name) or is_proved(request):
            return None
        return ask_for_proof(request, back_to=request.get_full_path())


def _asks_password(user: Any) -> bool:
    return bool(user.has_usable_password()) and not has_factor(user)


def _changes_nothing(request: HttpRequest, name: str | None) -> bool:
    """Return whether a request only reads the e-mail addresses or resends a verification."""
    if name != "account_email":
        return False
    acts = {key for key in request.POST if key.startswith("action_")}
    return request.method in ("GET", "HEAD") or acts == {"action_send"}
