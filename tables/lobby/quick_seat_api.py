"""The API of quick seating: the best open table that matches a filter."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from django.conf import settings
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core.api.lists import list_response, list_schema
from core.api.openapi import as_json
from players.accounts.api import PlayerAPIView
from tables.games import GAMES
from tables.history.fairness.models import ClientSeed
from tables.lobby import quick_seat
from tables.lobby.offers import LobbyFilter, lobby_rows
from tables.play.api import REFUSED, SEEN, SIGN_IN, UNREADABLE, refuse_money
from tables.seats.devices import origin_of
from tables.view.schemas import LobbyRow
from tables.view.table_view import table_view
from wallet.ledger.money import PLAY_POINTS, as_money

MINOR: dict[str, Any] = {"required": False, "min_value": 0, "max_value": 10**15}


class QuickSeatView(PlayerAPIView):
    """Sit down at the table with the fewest free seats, then the lowest entry.

    Omitted filters match everything; without a currency only play-point tables match. At a points
    table the smallest stack, `stack_min`, is paid.
    """

    class WishRequest(serializers.Serializer[Any]):
        game = serializers.ChoiceField(choices=tuple(GAMES), required=False)
        kind = serializers.ChoiceField(choices=("practice", "people"), required=False)
        currency = serializers.CharField(max_length=3, required=False)
        entry_min_minor = serializers.IntegerField(**MINOR)
        entry_max_minor = serializers.IntegerField(**MINOR)
        seats = serializers.IntegerField(min_value=2, max_value=6, required=False)
        client_seed = serializers.CharField(
            required=False,
            max_length=ClientSeed.LONGEST,
            trim_whitespace=False,
            help_text="For the next deal; ignored if a deal is in progress.",
        )

        def validate_currency(self, code: str) -> str:
            if code not in (PLAY_POINTS, *settings.CASH_CURRENCIES):
                raise serializers.ValidationError("There are no tables in this currency.")
            return code

    @extend_schema(
        operation_id="quick_seat",
        request=WishRequest,
        responses={201: SEEN, 400: UNREADABLE, 403: SIGN_IN, 409: REFUSED},
    )
    def post(self, request: Request) -> Response:
        asked = self.WishRequest(data=request.data)
        asked.is_valid(raise_exception=True)
        player = self.player
        sent = dict(asked.validated_data)
        refuse_money(request, sent.get("currency", PLAY_POINTS))
        client_seed = sent.pop("client_seed", "")
        seat = quick_seat.sit_down(
            player=player,
            wanted=_filter_of(**sent),
            origin=origin_of(request),
            client_seed=client_seed,
        )
        view = table_view(seat.table, player)
        return Response(as_json(view), status=status.HTTP_201_CREATED)


def _filter_of(
    *,
    currency: str = "",
    entry_min_minor: int | None = None,
    entry_max_minor: int | None = None,
    **plain: Any,
) -> LobbyFilter:
    def units(minor: int | None) -> Decimal | None:
        return None if minor is None else as_money(minor, currency or PLAY_POINTS).amount

    low, high = units(entry_min_minor), units(entry_max_minor)
    return LobbyFilter(currency=currency, entry_min=low, entry_max=high, **plain)


class LobbyView(APIView):
    """List the tables that can be joined, and the caller's own tables."""

    @extend_schema(operation_id="tables", responses={200: list_schema(LobbyRow), 403: SIGN_IN})
    def get(self, request: Request) -> Response:
        return list_response(request, [as_json(row) for row in lobby_rows(request.user)])
