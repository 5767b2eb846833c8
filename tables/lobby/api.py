"""The API of the lobby: open and running tables, quick seating, rematches and private tables."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any, cast
from uuid import UUID

from django.conf import settings
from django.http import Http404
from django.shortcuts import get_object_or_404
from django.urls import reverse
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core.api.lists import list_response, list_schema
from core.api.openapi import as_json, schema_of
from players.accounts.api import PlayerAPIView
from players.accounts.models import User
from tables.games import GAMES, game_of
from tables.lobby import invitations, quick_seat
from tables.lobby.offers import LobbyFilter, lobby_rows, private_row
from tables.models.templates import TableTemplate
from tables.play import api as play
from tables.play.api import COMMON, REFUSED, SEEN, SIGN_IN, UNREADABLE, own_seat, refuse_money
from tables.play.running import running_games
from tables.seats.devices import origin_of
from tables.state.rules import variant_of
from tables.view.schemas import LobbyRow, RunningGame
from tables.view.table_view import table_view
from wallet.ledger.amounts import Amount
from wallet.ledger.money import PLAY_POINTS, as_money

MINOR: dict[str, Any] = {"required": False, "min_value": 0, "max_value": 10**15}


class LobbyView(APIView):
    """List the tables that can be joined, and the caller's own tables."""

    @extend_schema(operation_id="tables", responses={200: list_schema(LobbyRow), 403: SIGN_IN})
    def get(self, request: Request) -> Response:
        return list_response(request, [as_json(row) for row in lobby_rows(request.user)])


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
        operation_id="play_again",
        request=play.SeedRequest,
        responses={201: SEEN, 400: UNREADABLE, **COMMON, 409: REFUSED},
    )
    def post(self, request: Request, table_id: UUID) -> Response:
        sent = play.SeedRequest().run_validation(request.data)
        seat = own_seat(request, table_id)
        again = invitations.join_rematch(seat_id=seat.pk, origin=origin_of(request), **sent)
        view = table_view(again.table, request.user)
        return Response(as_json(view), status=status.HTTP_201_CREATED)


class QuickSeatView(PlayerAPIView):
    """Sit down at the table with the fewest free seats, then the lowest entry.

    Omitted filters match everything; without a currency only play-point tables match. At a points
    table the smallest stack, `stack_min`, is paid.
    """

    class WishRequest(play.SeedRequest):
        game = serializers.ChoiceField(choices=tuple(GAMES), required=False)
        kind = serializers.ChoiceField(choices=("practice", "people"), required=False)
        currency = serializers.CharField(max_length=3, required=False)
        entry_min_minor = serializers.IntegerField(**MINOR)
        entry_max_minor = serializers.IntegerField(**MINOR)
        seats = serializers.IntegerField(min_value=2, max_value=6, required=False)

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
        player = self.player
        sent = dict(self.WishRequest().run_validation(request.data))
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


@dataclass(frozen=True, slots=True)
class PrivateKind:
    """A kind of table that the caller may open privately."""

    kind: str
    name: str
    variant: str
    game: str
    entry: Amount
    rake_bps: int
    seats_min: int
    seats_max: int


@dataclass(frozen=True, slots=True)
class PrivateTable:
    """A private table as seen by a player who has its code, before sitting down."""

    # The table's id: sit down at `tables/{id}/seats/` with the code.
    id: UUID
    code: str
    # The page to share.
    link: str
    table: LobbyRow


class PrivateTablesView(PlayerAPIView):
    """List the kinds of private tables, or open one; bots do not join them."""

    class PrivateTableKindRequest(serializers.Serializer[Any]):
        kind = serializers.SlugField(max_length=60, help_text="`kind` of the list.")

    @extend_schema(
        operation_id="private_table_kinds",
        responses={200: list_schema(PrivateKind), 403: SIGN_IN},
    )
    def get(self, request: Request) -> Response:
        kinds = invitations.private_kinds()
        return list_response(request, [as_json(_kind(template)) for template in kinds])

    @extend_schema(
        operation_id="open_private_table",
        request=PrivateTableKindRequest,
        responses={201: schema_of(PrivateTable), 400: UNREADABLE, **COMMON, 409: REFUSED},
    )
    def post(self, request: Request) -> Response:
        sent = self.PrivateTableKindRequest().run_validation(request.data)
        kind = get_object_or_404(invitations.private_kinds(), slug=sent["kind"])
        refuse_money(request, kind.currency)
        player = self.player
        table = invitations.open_private_table(player=player, template_id=kind.pk)
        return Response(_shown(request, table.invite_code), status=status.HTTP_201_CREATED)


class PrivateTableDetailView(APIView):
    """Look up a code: the table's id and terms. Sit down with the code at `tables/{id}/seats/`."""

    @extend_schema(
        operation_id="private_table",
        responses={
            200: OpenApiResponse(schema_of(PrivateTable), "The table, also if it is over."),
            **COMMON,
        },
    )
    def get(self, request: Request, code: str) -> Response:
        return Response(_shown(request, code))


def _kind(template: TableTemplate) -> PrivateKind:
    return PrivateKind(
        kind=template.slug,
        name=template.name,
        variant=variant_of(template.profile),
        game=game_of(template.profile).name,
        entry=Amount.of(template.entry_minor, template.currency),
        rake_bps=template.rake_bps,
        seats_min=template.seats_min,
        seats_max=template.seats_max,
    )


def _shown(request: Request, code: str) -> Any:
    row = private_row(code, cast(User, request.user))
    if row is None:
        raise Http404
    link = request.build_absolute_uri(reverse("private-table", args=[code]))
    return as_json(PrivateTable(id=row.id, code=code, link=link, table=row))
