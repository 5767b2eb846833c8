"""The tables' API: view, sit down, move. Refusals carry a code; moves also carry the view."""

from __future__ import annotations

from typing import Any, Final, cast
from uuid import UUID

from django.http import Http404, HttpRequest
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers, status
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core.api.json_view import JSONView
from core.api.openapi import as_json, refusal, schema_of
from core.clock import database_now
from players.accounts.api import PlayerAPIView
from players.accounts.models import User
from players.sign_in.sessions import TokenSession
from players.sign_in.tokens.access import refuse_tokens
from rummy import RummyError
from tables.exceptions import TableError
from tables.games.cards import BestHand
from tables.history.fairness.models import ClientSeed
from tables.models.addresses import read_table, table_of
from tables.models.seats import Seat
from tables.models.tables import Table
from tables.play.actions import make_move, save_groups, say
from tables.seats import presence, seating
from tables.seats.devices import origin_of
from tables.view.cards import OpenPile, best_hand, open_pile
from tables.view.open_hands import require_may_watch
from tables.view.phrases import Phrase
from tables.view.schemas import TableView
from tables.view.table_view import table_view
from wallet.ledger.money import PLAY_POINTS, as_money

SEEN = OpenApiResponse(schema_of(TableView), "The table as the caller sees it.")
REFUSED = OpenApiResponse(refusal(), "Refused; nothing changed.")
UNREADABLE = OpenApiResponse(refusal(), "The request is malformed.")
SIGN_IN = OpenApiResponse(refusal(), "Not signed in.")
NOT_FOUND = OpenApiResponse(refusal(), "No such table, or the caller has no seat at it.")
COMMON: dict[int, Any] = {403: SIGN_IN, 404: NOT_FOUND}
WATCHED: dict[int, Any] = {
    403: OpenApiResponse(refusal(), "A private table; the caller is not invited."),
    404: NOT_FOUND,
}


class SeedRequest(serializers.Serializer[Any]):
    client_seed = serializers.CharField(
        required=False,
        max_length=ClientSeed.LONGEST_SENT,
        trim_whitespace=False,
        help_text="For the next deal, as with `client-seed/`; the last seat starts the toss.",
    )


def refuse_money(request: Request | HttpRequest, currency: str) -> None:
    """Raise `TokenScope` if a token is used for a cash game, even a finished one."""
    if currency != PLAY_POINTS:
        refuse_tokens(request)


def refuse_money_at(request: Request | HttpRequest, table_id: UUID) -> None:
    """Raise `TokenScope` for a token at a cash table."""
    if isinstance(request.session, TokenSession):
        known_table(table_id)
        refuse_money(request, read_table(table_id).currency)


def known_table(table_id: UUID) -> int:
    """Return the key of a table; respond 404 if there is none."""
    try:
        return table_of(table_id)
    except Table.DoesNotExist as error:
        raise Http404 from error


def watched_table(request: Request, table_id: UUID) -> Table:
    """Return a table that the caller may watch; respond 404 if there is none.

    Raise `NotInvited` for the private tables of others.
    """
    table = get_object_or_404(Table, public_id=table_id)
    require_may_watch(table, request.user)
    return table


def own_seat(request: Request, table_id: UUID) -> Seat:
    """Return the caller's seat at this table; respond 404 to others.

    At a waiting table the player is recorded as present. Raise `TokenScope` for a token at a cash
    table.
    """
    mine = Seat.objects.present().of_player(cast(User, request.user))
    seat: Seat = get_object_or_404(mine.select_related("table__profile"), table__public_id=table_id)
    _let_in(request, seat.table.currency, seat.table_id, seat.table.phase)
    return seat


def _let_in(request: Request, currency: str, table_id: int, phase: str) -> None:
    """Refuse a token at a cash table; at a waiting table record that the player is present."""
    refuse_money(request, currency)
    if phase == Table.Phase.WAITING:
        player_id = cast(User, request.user).pk
        presence.note(table_id=table_id, player_id=player_id, now=database_now())


class TableDetailView(PlayerAPIView):
    """Return the table as seen from the caller's seat."""

    @extend_schema(operation_id="table", responses={200: SEEN, **COMMON})
    def get(self, request: Request, table_id: UUID) -> Response:
        player = self.player
        try:
            view = table_view(read_table(table_id), player)
        except Table.DoesNotExist as error:
            raise Http404 from error
        if view.me is None:
            raise Http404
        _let_in(request, view.currency, table_of(table_id), view.phase)
        return Response(as_json(view))


class PublicTableView(APIView):
    """Return the table as a spectator sees it: public cards only.

    A private table is shown to its players, to those invited by name and to staff.
    """

    permission_classes = (AllowAny,)

    @extend_schema(operation_id="public_table", responses={200: SEEN, **WATCHED}, auth=[])
    def get(self, request: Request, table_id: UUID) -> Response:
        return Response(as_json(table_view(watched_table(request, table_id), None)))


class OpenPileView(APIView):
    """Return the open pile, top card last, with the player who discarded each card."""

    permission_classes = (AllowAny,)

    @extend_schema(
        operation_id="open_pile",
        responses={200: OpenApiResponse(schema_of(OpenPile), "The pile."), **WATCHED},
        auth=[],
    )
    def get(self, request: Request, table_id: UUID) -> Response:
        return Response(as_json(open_pile(watched_table(request, table_id))))


class SeatsView(PlayerAPIView):
    """Sit down and pay the entry; at points tables at any time, with a stack.

    An amount out of range is refused with `amount_min_minor` and `amount_max_minor`.
    """

    class SeatRequest(SeedRequest):
        amount_minor = serializers.IntegerField(
            required=False,
            min_value=1,
            max_value=10**15,
            help_text="The payment, in minor units of the table's currency. Points tables: the"
            " stack, from `stack_min` to `stack_max` of the table; by default `stack_min`."
            " Other tables: `entry`, or omit it.",
        )
        code = serializers.CharField(
            required=False,
            max_length=24,
            help_text="Private tables: the code of the invitation link.",
        )

    @extend_schema(
        operation_id="take_seat",
        request=SeatRequest,
        responses={201: SEEN, 400: UNREADABLE, **COMMON, 409: REFUSED},
    )
    def post(self, request: Request, table_id: UUID) -> Response:
        sent = self.SeatRequest().run_validation(request.data)
        refuse_money_at(request, table_id)
        amount = sent.get("amount_minor")
        seat = seating.join(
            table_id=known_table(table_id),
            player=self.player,
            stack=None if amount is None else as_money(amount, read_table(table_id).currency),
            code=sent.get("code", ""),
            client_seed=sent.get("client_seed", ""),
            origin=origin_of(request),
        )
        view = table_view(seat.table, request.user)
        return Response(as_json(view), status=status.HTTP_201_CREATED)


class MySeatView(PlayerAPIView):
    """Leave the table: before the start with a full refund, at points tables at any time.

    A stack in a running deal is paid out when that deal is settled.
    """

    @extend_schema(
        operation_id="leave_seat", request=None, responses={204: None, **COMMON, 409: REFUSED}
    )
    def delete(self, request: Request, table_id: UUID) -> Response:
        refuse_money_at(request, table_id)
        try:
            seating.leave_as(self.player, table_id=known_table(table_id))
        except Seat.DoesNotExist as error:
            raise Http404 from error
        return Response(status=status.HTTP_204_NO_CONTENT)


class MovesView(JSONView, PlayerAPIView):
    """Make a move. Repeating a `move_id` and move returns the same response."""

    throttle_scope = "moves"

    class MoveRequest(serializers.Serializer[Any]):
        move_id = serializers.UUIDField(help_text="An id for this move, chosen by the client.")
        move = serializers.CharField(
            max_length=400,
            help_text='The move in notation, without the position: "ds", "x 7H", "show …".',
        )
        expected_version = serializers.IntegerField(
            required=False, min_value=0, help_text="For turns: the `version` of the view."
        )
        window_id = serializers.UUIDField(
            required=False, help_text="For answers in a window: its id."
        )

        def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
            if ("expected_version" in attrs) == ("window_id" in attrs):
                raise serializers.ValidationError(
                    "Send either expected_version (a turn) or window_id (an answer)."
                )
            return attrs

    @extend_schema(
        operation_id="make_move",
        request=MoveRequest,
        responses={
            200: SEEN,
            400: UNREADABLE,
            **COMMON,
            409: OpenApiResponse(
                refusal(view=TableView), "Refused; nothing changed. Includes the current view."
            ),
        },
    )
    def post(self, request: HttpRequest, body: object, table_id: UUID) -> TableView:
        player = self.player
        sent: dict[str, Any] = _move_request.run_validation(body)
        try:
            refuse_money_at(request, table_id)
            accepted = make_move(
                seat=(table_id, player.pk),
                move_id=sent["move_id"],
                text=sent["move"],
                expected_version=sent.get("expected_version"),
                window_id=sent.get("window_id"),
            )
        except (Table.DoesNotExist, Seat.DoesNotExist) as error:
            raise Http404 from error
        except (TableError, RummyError) as refused:
            view = table_view(read_table(table_id), player)
            refused.details = {"view": as_json(view)}  # type: ignore[union-attr]
            raise
        table = accepted.move.deal.table
        return table_view(table, player, at=accepted.move, snapshot=accepted.snapshot)


# Each new instance copies its fields, which costs more than validating a move; this one is shared:
# it takes the data as an argument and stores none.
_move_request: Final = MovesView.MoveRequest()


class GroupsView(APIView):
    """Save the caller's grouping of the hand; no other player sees it."""

    throttle_scope = "moves"

    class GroupsRequest(serializers.Serializer[Any]):
        groups = serializers.CharField(
            allow_blank=True, max_length=200, help_text='"5H 6H 7H | KD KS"'
        )

    @extend_schema(
        operation_id="arrange_groups",
        request=GroupsRequest,
        responses={204: None, 400: UNREADABLE, **COMMON, 409: REFUSED},
    )
    def put(self, request: Request, table_id: UUID) -> Response:
        seat = own_seat(request, table_id)
        sent = self.GroupsRequest().run_validation(request.data)
        save_groups(seat_id=seat.pk, groups=sent["groups"])
        return Response(status=status.HTTP_204_NO_CONTENT)


class PhrasesView(APIView):
    """Send one of the fixed phrases to the table; views include it for fifteen seconds."""

    throttle_scope = "phrases"

    class PhraseRequest(serializers.Serializer[Any]):
        phrase = serializers.ChoiceField(choices=[phrase.value for phrase in Phrase])

    @extend_schema(
        operation_id="say_phrase",
        request=PhraseRequest,
        responses={204: None, 400: UNREADABLE, **COMMON},
    )
    def post(self, request: Request, table_id: UUID) -> Response:
        seat = own_seat(request, table_id)
        sent = self.PhraseRequest().run_validation(request.data)
        say(seat, Phrase(sent["phrase"]))
        return Response(status=status.HTTP_204_NO_CONTENT)


class ArrangementView(APIView):
    """Return the caller's best arrangement and its points; practice tables only."""

    throttle_scope = "hints"

    @extend_schema(
        operation_id="best_arrangement",
        responses={
            200: OpenApiResponse(
                schema_of(BestHand), "The groups; ungrouped cards follow the slash."
            ),
            **COMMON,
            409: REFUSED,
        },
    )
    def get(self, request: Request, table_id: UUID) -> Response:
        return Response(as_json(best_hand(own_seat(request, table_id))))
