"""Who asks: the player of the session, read along with it."""

from __future__ import annotations

from functools import lru_cache, partial
from typing import Any

from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY, get_user
from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest
from django.utils.crypto import constant_time_compare
from django.utils.functional import SimpleLazyObject

from players.models import User
from players.sessions import is_in_force


class PlayerMiddleware(AuthenticationMiddleware):
    """Sets `request.user`; of whatever is not plainly in order Django itself decides."""

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


def player_of_session(session: Any) -> User | None:
    """Return the session's player if he may sign in and his password is the one it began with."""
    key, backend = session.get(SESSION_KEY, ""), session.get(BACKEND_SESSION_KEY)
    if backend not in settings.AUTHENTICATION_BACKENDS or not str(key).isdecimal():
        return None
    player: User | None = getattr(session, "player", None)
    if player is None or player.pk != int(key):
        player = User.objects.filter(pk=int(key)).first()
    if player is None or not player.is_active or not is_in_force(session, player):
        return None
    proof = session.get(HASH_SESSION_KEY) or ""
    is_his = constant_time_compare(proof, _proof_of(player.password, settings.SECRET_KEY))
    return player if is_his else None


@lru_cache(maxsize=4096)
def _proof_of(password: str, _secret: str) -> str:
    """Return what a session of whoever has this (hashed) password begins with."""
    return User(password=password).get_session_auth_hash()
