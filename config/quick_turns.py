"""A plain turn by a player who is plainly signed in, answered without the rest of the stack.

Moves come by the hundred a second, and pages' middleware and DRF's negotiation are most of what one
costs. Only what is in order in every respect is answered here, with the answer `MovesView` would
give: session, player and CSRF token are checked as ever, and the move is made by the same service.
Everything else, every refusal among it, goes the whole way; a refused move has changed nothing.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final
from uuid import UUID, uuid4

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils import translation
from django.utils.deprecation import MiddlewareMixin
from rest_framework.authentication import CSRFCheck
from rest_framework.renderers import JSONRenderer
from structlog.contextvars import bound_contextvars

from core.addresses import client_network
from core.http import throttles
from core.http.middleware import DATA_HEADERS
from players.accounts.models import User
from players.sign_in.middleware import player_of_session
from players.sign_in.sessions import SessionStore
from rummy import RummyError
from tables.exceptions import TableError
from tables.play import play
from tables.play.api import OWN_SEAT, plain_turn
from tables.view.schemas import as_json
from tables.view.table_view import table_view

ADDRESS: Final = re.compile(r"/api/v1/tables/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})/moves/")
BODY_BYTES_MAX: Final = 400
SEATS_REMEMBERED: Final = 10_000

_renderer: Final = JSONRenderer()


class QuickTurnMiddleware(MiddlewareMixin):
    """Answers plain turns; everything else goes on."""

    def __init__(self, get_response: Any) -> None:
        super().__init__(get_response)
        self.csrf: Any = CSRFCheck(get_response)
        # Which seat a player had at a table when he last moved there. A seat never changes hands,
        # and whether it is still taken is seen under the lock.
        self.seats: dict[tuple[UUID, int], int] = {}

    def process_request(self, request: HttpRequest) -> HttpResponse | None:
        if request.method != "POST":
            return None
        address = ADDRESS.fullmatch(request.path_info)
        sent = _plainly_sent(request) if address else None
        if address is None or sent is None:
            return None
        request.get_host()  # Raises for a host that is not ours.
        player = self._player(request)
        if player is None:
            return None
        if self._is_throttled(request, player):
            return None
        table_id = UUID(address[1])
        seat_id = self._seat(table_id, player)
        if seat_id is None:
            return None
        about = {"request_id": str(uuid4()), "user_id": player.pk, "table": str(table_id)}
        language = translation.get_language_from_request(request)
        with bound_contextvars(**about), translation.override(language):
            answer = _answer(player, seat_id, sent)
        if answer is None:
            self.seats.pop((table_id, player.pk), None)
            return None
        verdict: throttles.Verdict | None = request.throttled_by  # type: ignore[attr-defined]
        for name, value in verdict.headers.items() if verdict else ():
            answer[name] = value
        return answer

    def _is_throttled(self, request: HttpRequest, player: User) -> bool:
        """Count the move once, here or in `ThrottleMiddleware`, which answers a refused one."""
        verdict = throttles.take("moves", player=player.pk, network=client_network(request))
        request.throttled_by = verdict  # type: ignore[attr-defined]
        return verdict is not None and verdict.is_refused

    def _player(self, request: HttpRequest) -> User | None:
        """Return the player of the session if he may move without another question."""
        self.csrf.process_request(request)
        if self.csrf.process_view(request, None, (), {}) is not None:
            return None
        key = request.COOKIES.get(settings.SESSION_COOKIE_NAME)
        player = player_of_session(SessionStore(key)) if key else None
        # Staff may owe a second factor.
        return None if player is None or player.is_staff else player

    def _seat(self, table_id: UUID, player: User) -> int | None:
        seat_id = self.seats.get((table_id, player.pk))
        if seat_id is None:
            found = OWN_SEAT.rows(table_id, player.pk)
            if not found:
                return None
            if len(self.seats) >= SEATS_REMEMBERED:
                self.seats.clear()
            seat_id = self.seats[table_id, player.pk] = found[0][0]
        return seat_id


def _plainly_sent(request: HttpRequest) -> dict[str, Any] | None:
    """Return the turn in the body, if it is the usual JSON and JSON is wanted."""
    meta = request.META
    wanted = meta.get("HTTP_ACCEPT", "*/*")
    is_usual = (
        request.content_type == "application/json"
        and not request.content_params
        and not meta.get("QUERY_STRING")
        and wanted in ("*/*", "application/json")
        and meta.get("CONTENT_LENGTH", "").isdecimal()
        and int(meta["CONTENT_LENGTH"]) <= BODY_BYTES_MAX
    )
    if not is_usual:
        return None
    try:
        return plain_turn(json.loads(request.body.decode()))
    except ValueError:
        return None


def _answer(player: User, seat_id: int, sent: dict[str, Any]) -> HttpResponse | None:
    try:
        accepted = play.play(
            seat_id=seat_id,
            move_id=sent["move_id"],
            text=sent["move"],
            expected_version=sent["expected_version"],
        )
    except (TableError, RummyError):
        return None
    if accepted.is_repeat:
        return None
    view = table_view(
        accepted.move.deal.table, player, at=accepted.move, snapshot=accepted.snapshot
    )
    body = _renderer.render(as_json(view))
    headers = {
        **DATA_HEADERS,
        "Content-Type": _renderer.media_type,
        "Content-Length": str(len(body)),
        "Content-Language": translation.get_language(),
        "Vary": "Accept-Language, Cookie",
    }
    return HttpResponse(body, headers=headers)
