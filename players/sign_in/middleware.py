"""Middleware that sets `request.user`, read in one query with the session."""

from __future__ import annotations

from functools import partial
from typing import Any

from django.contrib.auth import get_user
from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from players.accounts.models import User
from players.sign_in.sessions import is_in_force, player_of_session


class PlayerMiddleware(AuthenticationMiddleware):
    """Set `request.user`; fall back to Django's lookup for sessions that need its checks."""

    def process_request(self, request: HttpRequest) -> None:
        super().process_request(request)
        request.user = SimpleLazyObject(partial(_player, request))  # type: ignore[assignment]


def _player(request: Any) -> User | AnonymousUser:
    if not hasattr(request, "_cached_user"):
        user = player_of_session(request.session) or get_user(request)
        is_ended = isinstance(user, User) and not is_in_force(request.session, user)
        request._cached_user = AnonymousUser() if is_ended else user
    found: User | AnonymousUser = request._cached_user
    return found
