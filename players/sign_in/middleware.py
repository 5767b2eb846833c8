"""The player of a request: read together with the session."""

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

from players.accounts.models import User
from players.sign_in.sessions import is_in_force


class PlayerMiddleware(AuthenticationMiddleware):
    """Sets `request.user`; leaves to Django every session that is not plainly in order."""

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
    """Return the session's player if they may sign in and it began with their present password.

    None also for one signed with an older key, which Django renews (`SECRET_KEY_FALLBACKS`).
    """
    player = _named_by(session)
    if player is None:
        return None
    is_theirs = constant_time_compare(
        _proof_in(session), _proof_of(player.password, settings.SECRET_KEY)
    )
    return player if is_theirs else None


def player_of_socket(session: Any) -> User | None:
    """Return the same, whichever of the keys in use has signed the session.

    Channels' own way knows no `SECRET_KEY_FALLBACKS`: after a change of the key it would sign out
    everybody whose page opens its socket again.
    """
    player = _named_by(session)
    if player is None:
        return None
    proofs = [player.get_session_auth_hash(), *player.get_session_auth_fallback_hash()]
    is_theirs = any(constant_time_compare(_proof_in(session), proof) for proof in proofs)
    return player if is_theirs else None


def _named_by(session: Any) -> User | None:
    """Return the player a session names, if they may sign in."""
    key, backend = session.get(SESSION_KEY, ""), session.get(BACKEND_SESSION_KEY)
    if backend not in settings.AUTHENTICATION_BACKENDS or not str(key).isdecimal():
        return None
    player: User | None = getattr(session, "player", None)
    if player is None or player.pk != int(key):
        player = User.objects.filter(pk=int(key)).first()
    if player is None or not player.is_active or not is_in_force(session, player):
        return None
    return player


def _proof_in(session: Any) -> str:
    return session.get(HASH_SESSION_KEY) or ""


@lru_cache(maxsize=4096)
def _proof_of(password: str, _secret: str) -> str:
    """Return what the sessions of a user with this hashed password begin with."""
    return User(password=password).get_session_auth_hash()
