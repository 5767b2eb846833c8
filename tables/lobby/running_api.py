"""The API of a player's running games, and of rematches."""

from __future__ import annotations

from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core.api.lists import list_response, list_schema
from core.api.openapi import as_json
from players.accounts.api import PlayerAPIView
from tables.lobby.invitations import join_rematch
from tables.play.api import COMMON, REFUSED, SEEN, SIGN_IN, own_seat
from tables.play.running import running_games
from tables.seats.devices import origin_of
from tables.view.schemas import RunningGame
from tables.view.table_view import table_view


class RunningGamesView(PlayerAPIView):
    """List the caller's games that are not over, those that await the caller first."""

    @extend_schema(
        operation_id="running_games", responses={200: list_schema(RunningGame), 403: SIGN_IN}
    )
    def get(self, request: Request) -> Response:
        games = running_games(self.player)
        return list_response(request, [as_json(game) for game in games])


class RematchView(APIView):
    """Sit down at the rematch of a finished game; the entry is paid at once.

    The first player opens the table; `rematch` of the view lists the players seated there.
    """

    throttle_scope = "money"

    @extend_schema(
        operation_id="play_again", request=None, responses={201: SEEN, **COMMON, 409: REFUSED}
    )
    def post(self, request: Request, table_id: UUID) -> Response:
        seat = own_seat(request, table_id)
        again = join_rematch(seat_id=seat.pk, origin=origin_of(request))
        view = table_view(again.table, request.user)
        return Response(as_json(view), status=status.HTTP_201_CREATED)
