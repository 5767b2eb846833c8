"""Database sessions that are read together with their player by one prepared statement.

Session and player are read for each request. Only the session's last known player is cached, so
that one statement can read both. Everything else is Django's own.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache, partial
from typing import Any, Final

from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY, get_user
from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.auth.models import AnonymousUser
from django.contrib.sessions.backends.db import SessionStore as DatabaseStore
from django.contrib.sessions.base_session import AbstractBaseSession
from django.http import HttpRequest
from django.utils.crypto import constant_time_compare
from django.utils.functional import SimpleLazyObject

from core.clock import NOW_SQL, database_now
from core.db.pipeline import Rows
from core.db.statements import Statement, columns, execute_pipeline, model_from_row
from players.accounts.models import User

REMEMBERED: Final = 10_000
_READ: Final = Statement(
    f"SELECT s.session_data, {columns('u', User)} FROM django_session s"  # noqa: S608
    f" LEFT JOIN players_user u ON u.id = %s WHERE s.session_key = %s AND s.expire_date > {NOW_SQL}"
)
# For sessions whose player is not cached in this process.
_PLAYER: Final = Statement(
    f"SELECT {columns('u', User)} FROM players_user u WHERE u.id = %s"  # noqa: S608
)
# Valid sessions of active players, each with its proof: a hash of the session's data and the
# password hash, for a bot also its owner's.
_PROOFS: Final = Statement(
    "SELECT asked.key, asked.player,"  # noqa: S608
    " sha256(convert_to(concat(s.session_data, u.password, o.password), 'UTF8'))"
    " FROM unnest(%s::text[], %s::bigint[]) AS asked (key, player)"
    f" JOIN django_session s ON s.session_key = asked.key AND s.expire_date > {NOW_SQL}"
    " JOIN players_user u ON u.id = asked.player AND u.is_active"
    " LEFT JOIN players_user o ON o.id = u.owner_id"
    " WHERE u.owner_id IS NULL OR o.is_active"
)
_players: Final[dict[str, int]] = {}

# Session key of a token's scopes; no other session has it.
SCOPES: Final = "scopes"
# Session key of a bot session's proof of the owner's password.
OWNER_PROOF: Final = "owner_proof"
# Session key of the end of a staff session, in seconds since 1970.
STAFF_UNTIL: Final = "staff_until"


class SessionStore(DatabaseStore):
    """Session store; do not rename the class, because its name is part of the signing salt."""

    # The player that `load` has read with the session, if any, and the proof of both.
    player: User | None = None
    proof: bytes = b""

    def load(self) -> dict[str, Any]:
        key = str(self.session_key)
        return self._content_of(key, _READ.rows(_players.get(key), key))

    def _content_of(self, key: str, found: Rows) -> dict[str, Any]:
        """Take the player of the row that was read, if any, and return its content."""
        if not found:
            self._session_key = None
            return {}
        data, player = found[0][0], found[0][1:]
        content: dict[str, Any] = json.loads(_content(data))
        named = str(content.get(SESSION_KEY, ""))
        if named.isdecimal() and named != str(player[0]):
            _remember(key, int(named))
            (player,) = _PLAYER.rows(int(named)) or [(None,)]
        self.player = model_from_row(User, player) if player[0] is not None else None
        if self.player is not None and self.player.owner_id is None:
            self.proof = hashlib.sha256(f"{data}{self.player.password}".encode()).digest()
        return content

    def create_model_instance(self, data: dict[str, Any]) -> AbstractBaseSession:
        """Return the row to be saved; a staff session never expires after its fixed end."""
        row = super().create_model_instance(data)
        row.expire_date = self.get_expiry_date(modification=database_now())
        if until := data.get(STAFF_UNTIL):
            row.expire_date = min(row.expire_date, datetime.fromtimestamp(until, UTC))
        return row


class TokenSession(SessionStore):
    """The session of an API token; its key is not valid as a cookie."""

    def save(self, must_create: bool = False) -> None:
        """Do nothing: a request cannot change the session."""

    def cycle_key(self) -> None:
        """Do nothing: the key is derived from the token."""


def load_together(sessions: Sequence[SessionStore]) -> None:
    """Load sessions, which have not been used yet, in one trip to the database."""
    keyed = [(str(session.session_key), session) for session in sessions if session.session_key]
    if not keyed:
        return
    answers = execute_pipeline(*((_READ, (_players.get(key), key)) for key, _ in keyed))
    for (key, session), found in zip(keyed, answers, strict=True):
        # Django's own attribute for what it has loaded; not in its stubs.
        session._session_cache = session._content_of(key, found)  # type: ignore[attr-defined]


def key_of_token(text: str) -> str:
    """Return the session key of a token: a hash, so that the token itself is not stored."""
    return hashlib.sha256(text.encode()).hexdigest()[:40]


def limit_staff_session(*, request: HttpRequest, user: User, **_signal: Any) -> None:
    """Signal receiver of sign-ins: set the fixed end of a staff session."""
    if user.is_staff:
        ends_at = database_now() + timedelta(hours=settings.STAFF_SESSION_HOURS)
        request.session[STAFF_UNTIL] = int(ends_at.timestamp())


def proofs_of(asked: Sequence[tuple[str, int]]) -> dict[tuple[str, int], bytes]:
    """Return the proofs of valid sessions by (session key, player key).

    If a proof equals the earlier `SessionStore.proof`, the session still belongs to the player.
    """
    if not asked:
        return {}
    keys, players = zip(*asked, strict=True)
    rows = _PROOFS.rows([*keys], [*players])
    return {(key, player): bytes(proof) for key, player, proof in rows}


def is_in_force(session: Any, player: User) -> bool:
    """Return whether a session is valid for its player.

    A token's session must come from a token. A staff session must have a fixed end; token sessions,
    and sessions from before the account became staff, have none. A bot's session is valid while its
    owner is active and has not changed the password.
    """
    if (SCOPES in session) != isinstance(session, TokenSession):
        return False
    if player.owner_id and not _is_of_owner(session, player.owner_id):
        return False
    return not player.is_staff or STAFF_UNTIL in session


def _is_of_owner(session: Any, owner_id: int) -> bool:
    owner = User.objects.filter(pk=owner_id, is_active=True).first()
    if owner is None:
        return False
    proofs = [owner.get_session_auth_hash(), *owner.get_session_auth_fallback_hash()]
    return any(constant_time_compare(session.get(OWNER_PROOF, ""), proof) for proof in proofs)


def _remember(key: str, player: int) -> None:
    if len(_players) >= REMEMBERED:
        _players.clear()
    _players[key] = player


@lru_cache(maxsize=4096)
def _content(data: str) -> str:
    """Return the decoded session data as JSON; cached, because it depends only on `data`."""
    return json.dumps(SessionStore().decode(data))


def player_of_session(session: Any) -> User | None:
    """Return the session's player if they are active and have not changed the password since.

    None also for a session signed with an older key, which Django renews (`SECRET_KEY_FALLBACKS`).
    """
    player = _named_by(session)
    if player is None:
        return None
    is_theirs = constant_time_compare(
        _proof_in(session), _proof_of(player.password, settings.SECRET_KEY)
    )
    return player if is_theirs else None


def player_of_socket(session: Any) -> User | None:
    """Return the session's player as `player_of_session`, also for `SECRET_KEY_FALLBACKS`.

    Channels' own lookup ignores the fallbacks: after a change of the key, sockets that reconnect
    would be signed out.
    """
    player = _named_by(session)
    if player is None:
        return None
    proofs = [player.get_session_auth_hash(), *player.get_session_auth_fallback_hash()]
    is_theirs = any(constant_time_compare(_proof_in(session), proof) for proof in proofs)
    return player if is_theirs else None


def _named_by(session: Any) -> User | None:
    """Return the session's player if the account is active and the session valid."""
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
    """Return the session auth hash for this password hash; `_secret` is only a cache key."""
    return User(password=password).get_session_auth_hash()


class PlayerMiddleware(AuthenticationMiddleware):
    """Set `request.user`, read in one query with the session.

    Sessions that need Django's checks are left to its lookup.
    """

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
