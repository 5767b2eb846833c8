"""Sessions of signed-in players, without a browser that signs in."""

from __future__ import annotations

from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore

from players.accounts.models import User
from wallet.bonuses import play_points


def player_with_session(name: str) -> tuple[User, str]:
    """Return a new player with play points, and the key of a session of theirs."""
    player = User.objects.create_user(handle=name, email=f"{name}@example.com")
    play_points.grant_sign_up(player=player)
    session = SessionStore()
    session[SESSION_KEY] = str(player.pk)
    session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[-1]
    session[HASH_SESSION_KEY] = player.get_session_auth_hash()
    session.save()
    assert session.session_key
    return player, session.session_key
