"""Authenticate `Authorization: Bearer` tokens for the API and the sockets, and check their scopes.

A token gives access to tables, games and tournaments, only for play points: the paths listed here,
and never to money or the account.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from http import HTTPStatus
from typing import Any, Final
from weakref import WeakKeyDictionary

from channels.db import database_sync_to_async
from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse, parse_cookie
from django.utils.deprecation import MiddlewareMixin
from django.utils.translation import gettext as _

from core.addresses import client_network
from core.api.openapi import REFUSAL
from core.http import problems, rates
from core.http.problems import ProblemResponse, refusal_response
from players.accounts.models import User
from players.exceptions import TokenScope
from players.sign_in.security.changes import lacks_factor
from players.sign_in.sessions import (
    SCOPES,
    SessionStore,
    TokenSession,
    key_of_token,
    load_together,
    player_of_socket,
)
from players.sign_in.tokens.actions import note_use
from players.sign_in.tokens.models import PlayerToken

API: Final = "/api/v1/"
# The finance API has its own tokens and checks them itself.
FINANCE: Final = "/api/v1/finance/"
READABLE: Final = ("tables/", "private-tables/", "games/", "rules/", "tournaments/")
PLAYABLE: Final = ("tables/", "private-tables/", "quick-seat/", "tournaments/")
# Sessions of handshakes read in one trip.
READ_AT_ONCE: Final = 64
Viewer = User | AnonymousUser
SAFE: Final = ("GET", "HEAD", "OPTIONS")


def scope_of(method: str, path: str) -> str:
    """Return the scope that a request needs; "" if no player token allows it.

    >>> str(scope_of("GET", "/api/v1/games/")), scope_of("POST", "/api/v1/wallet/deposits/")
    ('read', '')
    """
    rest = path.removeprefix(API)
    if method in SAFE:
        return PlayerToken.Scope.READ if rest.startswith(READABLE) else ""
    return PlayerToken.Scope.PLAY if rest.startswith(PLAYABLE) else ""


class TokenMiddleware(MiddlewareMixin):
    """Replace the cookie's session by the token's; refuse requests outside the token's scopes."""

    def process_request(self, request: HttpRequest) -> HttpResponse | None:
        if not request.path.startswith(API) or request.path.startswith(FINANCE):
            return None
        # `request.headers` would parse all of the server's variables for this one.
        text = bearer(request.META.get("HTTP_AUTHORIZATION", ""))
        if text is None:
            return None
        session = TokenSession(key_of_token(text))
        if SCOPES not in session:
            return _unknown(request)
        if scope_of(str(request.method), request.path) not in session[SCOPES]:
            return refusal_response(TokenScope(_("This token's scopes do not allow this request.")))
        request.session = session
        # Browsers do not send this header automatically, so CSRF is not possible.
        request._dont_enforce_csrf_checks = True  # type: ignore[attr-defined]
        note_use(session)
        return None


class Viewers:
    """Reads the viewers of handshakes; those that arrive during a read are part of the next one."""

    def __init__(self) -> None:
        self._asking: list[tuple[SessionStore, asyncio.Future[Viewer | None]]] = []
        self._reading: asyncio.Task[None] | None = None

    async def viewer_of(self, session: SessionStore) -> Viewer | None:
        """Return the user of a session; None for a token without the `read` scope."""
        answer: asyncio.Future[Viewer | None] = asyncio.get_running_loop().create_future()
        self._asking.append((session, answer))
        if self._reading is None:
            self._reading = asyncio.create_task(self._read())
        return await answer

    async def _read(self) -> None:
        try:
            while self._asking:
                asking, self._asking = self._asking[:READ_AT_ONCE], self._asking[READ_AT_ONCE:]
                sessions = [session for session, _ in asking]
                viewers = await database_sync_to_async(_viewers_of)(sessions)
                for (_, answer), viewer in zip(asking, viewers, strict=True):
                    if answer.done():  # The client has disconnected.
                        continue
                    if isinstance(viewer, Exception):
                        answer.set_exception(viewer)
                    else:
                        answer.set_result(viewer)
        finally:
            self._reading = None


_by_loop: Final[WeakKeyDictionary[asyncio.AbstractEventLoop, Viewers]] = WeakKeyDictionary()


def _viewers() -> Viewers:
    return _by_loop.setdefault(asyncio.get_running_loop(), Viewers())


class SocketPlayer:
    """ASGI middleware that sets a socket's session and user, from a token or the session cookie.

    The handshake is refused for an invalid token. Sessions are not renewed, because a socket cannot
    send a new cookie.
    """

    def __init__(self, application: Any) -> None:
        self.application = application

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        found = _found_in(scope)
        found["user"] = await _viewers().viewer_of(found["session"])
        if found["user"] is None:
            await receive()
            await send({"type": "websocket.close"})
            return
        await self.application({**scope, **found}, receive, send)


def _found_in(scope: Any) -> dict[str, Any]:
    """Return a handshake's cookies, and the session of its token or cookie."""
    headers = dict(scope["headers"])
    token = bearer(headers.get(b"authorization", b"").decode("latin-1"))
    cookies = parse_cookie(headers.get(b"cookie", b"").decode("latin-1"))
    if token is not None:
        return {"cookies": cookies, "session": TokenSession(key_of_token(token))}
    return {
        "cookies": cookies,
        "session": SessionStore(cookies.get(settings.SESSION_COOKIE_NAME)),
    }


def bearer(header: str) -> str | None:
    """Return the bearer token of a header; None if there is none.

    >>> bearer("Bearer rummy_abc"), bearer("Basic abc")
    ('rummy_abc', None)
    """
    keyword, _space, text = header.partition(" ")
    return text.strip() if keyword.lower() == "bearer" else None


def refuse_tokens(request: Any) -> None:
    """Raise `TokenScope` for a request with a token; called where play is for money."""
    if isinstance(request.session, TokenSession):
        raise TokenScope(_("Tokens can be used only for play points."))


def _viewers_of(sessions: Sequence[SessionStore]) -> list[Viewer | Exception | None]:
    """Return the viewer of each session, which is loaded here, or the error of the attempt."""
    try:
        load_together(sessions)
    except Exception as error:  # Raised in each of the handshakes, which would wait otherwise.
        return [error] * len(sessions)
    return [_viewer_or_error(session) for session in sessions]


def _viewer_or_error(session: SessionStore) -> Viewer | Exception | None:
    try:
        return _viewer_of(session)
    except Exception as error:  # Raised in the handshake of this session.
        return error


def _viewer_of(session: SessionStore) -> Viewer | None:
    """Return the user of a session; None for a token without the `read` scope."""
    if isinstance(session, TokenSession):
        if PlayerToken.Scope.READ not in session.get(SCOPES, ()):
            return None
        note_use(session)
    player = player_of_socket(session)
    if player is None or lacks_factor(session, player):
        return AnonymousUser()
    return player


def _unknown(request: HttpRequest) -> HttpResponse:
    """Return the refusal of an unknown token; failures are rate-limited by network."""
    verdict = rates.take("failures", network=client_network(request))
    if verdict is not None and verdict.is_refused:
        answer = ProblemResponse(
            status=HTTPStatus.TOO_MANY_REQUESTS,
            code="throttled",
            message=_("Too many requests. Try again later."),
        )
        answer.headers["Retry-After"] = str(verdict.reset_seconds)
        return answer
    message = _("The token is unknown, revoked or expired.")
    answer = ProblemResponse(status=HTTPStatus.UNAUTHORIZED, code="bad_token", message=message)
    answer.headers["WWW-Authenticate"] = 'Bearer realm="play"'
    return answer


SCHEME: Final = "playerToken"
ABOUT: Final = (
    "A player's token, created at /account/tokens/. Each operation states the scope it needs."
)


def describe_tokens(result: Any, generator: Any, request: Any, public: bool) -> Any:
    """Add tokens to each operation that accepts them; a drf-spectacular postprocessing hook."""
    scheme = {"type": "http", "scheme": "bearer", "description": ABOUT}
    result["components"].setdefault("securitySchemes", {})[SCHEME] = scheme
    for path, methods in result["paths"].items():
        for method, operation in methods.items():
            scope = scope_of(method.upper(), path)
            if scope:
                _open(operation, scope)
    return result


def _open(operation: dict[str, Any], scope: str) -> None:
    # An operation without `security` is public.
    operation.setdefault("security", [{}]).insert(1, {SCHEME: []})
    operation["description"] = f"{operation['description']}\n\nTokens: scope `{scope}`."
    shape = {"schema": {"$ref": f"#/components/schemas/{REFUSAL}"}}
    operation["responses"]["401"] = {
        "description": "The token is unknown, revoked or expired.",
        "content": {problems.CONTENT_TYPE: shape},
    }
