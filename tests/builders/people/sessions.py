"""Sessions of signed-in players, without a browser that signs in."""

from __future__ import annotations

import time
from typing import Any

from allauth.account.authentication import AUTHENTICATION_METHODS_SESSION_KEY
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore
from django.test import Client

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


def proof_of(player_id: int, *, seconds_ago: float = 0, method: str = "password") -> dict[str, Any]:
    """Return the session data after re-authentication."""
    proof = {"method": method, "at": time.time() - seconds_ago, "reauthenticated": True}
    return {
        AUTHENTICATION_METHODS_SESSION_KEY: [proof],
        f"{AUTHENTICATION_METHODS_SESSION_KEY}_user": str(player_id),
    }


def prove(client: Client, *, seconds_ago: float = 0, method: str = "password") -> Client:
    """Set the age of a signed-in client's re-authentication in seconds."""
    session = client.session
    session.update(proof_of(session[SESSION_KEY], seconds_ago=seconds_ago, method=method))
    session.save()
    return client


def change_password(client, player):
    player.set_password("another long passphrase")
    player.save(update_fields=["password"])
