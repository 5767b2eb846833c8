"""Create and revoke the API tokens of players."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from datetime import timedelta
from typing import Final

from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.models import Session
from django.db import transaction
from django.utils.translation import gettext as _

from core.clock import DatabaseNow, database_now
from core.text_validation import refuse_lines
from players.accounts.models import User
from players.exceptions import NotForGuests, TooManyTokens
from players.sign_in.security.changes import record_change
from players.sign_in.security.models import AccountChange
from players.sign_in.sessions import OWNER_PROOF, SCOPES, SessionStore, TokenSession, key_of_token
from players.sign_in.tokens.models import PlayerToken

# The authentication backend of an ordinary sign-in.
BACKEND: Final = "allauth.account.auth_backends.AuthenticationBackend"
TOKENS_MAX: Final = 10
LIFETIME: Final = timedelta(days=365)
# Prefix by which secret scanners recognise a token.
PREFIX: Final = "rummy_"
SECRET_BYTES: Final = 32
# The precision of `last_used_at`.
USE_NOTED_EVERY: Final = timedelta(minutes=1)


@transaction.atomic(durable=True)
def create_token(*, player: User, name: str, scopes: Sequence[str]) -> tuple[PlayerToken, str]:
    """Create a token; return it with its text, which is not stored.

    It is valid for a year, until the player changes the password or revokes it.
    Codes: `not_for_guests`, `too_many_tokens`.
    """
    refuse_lines(name)
    player = User.objects.locked().get(pk=player.pk)
    if player.is_guest:
        raise NotForGuests(_("Register first: a guest account works in one browser only."))
    if PlayerToken.objects.of_player(player).in_force(DatabaseNow()).count() >= TOKENS_MAX:
        raise TooManyTokens(_("You have the maximum number of tokens. Revoke one first."))
    record_change(player=player, kind=AccountChange.Kind.TOKEN_MADE, subject=name)
    return new_token(player, name=name, scopes=scopes)


def new_token(player: User, *, name: str, scopes: Sequence[str]) -> tuple[PlayerToken, str]:
    """Create a token in the caller's transaction, without checks; return it with its text."""
    now = database_now()
    text = PREFIX + secrets.token_urlsafe(SECRET_BYTES)
    token = PlayerToken.objects.create(
        player=player,
        name=name,
        scopes=sorted(set(scopes)),
        session_key=key_of_token(text),
        created_at=now,
        expires_at=now + LIFETIME,
    )
    _open_session(token)
    return token, text


@transaction.atomic
def end_token(*, player: User, token_id: int) -> bool:
    """Revoke a token of the player and its sockets; return whether it existed."""
    mine = PlayerToken.objects.of_player(player).filter(pk=token_id)
    for name in mine.values_list("name", flat=True):
        record_change(player=player, kind=AccountChange.Kind.TOKEN_ENDED, subject=name)
    Session.objects.filter(session_key__in=mine.values("session_key")).delete()
    deleted, _by_model = mine.delete()
    return deleted > 0


def end_tokens(player: User) -> None:
    """Revoke all tokens of a player in the caller's transaction."""
    mine = PlayerToken.objects.of_player(player)
    Session.objects.filter(session_key__in=mine.values("session_key")).delete()
    mine.delete()


def note_use(session: TokenSession) -> None:
    """Update `last_used_at` of a token, at most once a minute."""
    used = PlayerToken.objects.filter(session_key=session.session_key)
    is_noted = {"last_used_at__gt": DatabaseNow() - USE_NOTED_EVERY}
    used.exclude(**is_noted).update(last_used_at=DatabaseNow())


def _open_session(token: PlayerToken) -> None:
    store = SessionStore()
    content = {
        SESSION_KEY: str(token.player.pk),
        BACKEND_SESSION_KEY: BACKEND,
        HASH_SESSION_KEY: token.player.get_session_auth_hash(),
        SCOPES: token.scopes,
    }
    if token.player.owner is not None:
        content[OWNER_PROOF] = token.player.owner.get_session_auth_hash()
    Session.objects.create(
        session_key=token.session_key,
        session_data=store.encode(content),
        expire_date=token.expires_at,
    )
