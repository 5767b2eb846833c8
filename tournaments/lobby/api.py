"""API of tournaments: lists, entries, check-in, standings and the draw."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.core import signing
from django.core.paginator import Page, Paginator
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import serializers, status
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core.api.lists import list_response, list_schema
from core.api.openapi import as_json, refusal, schema_of
from players.accounts.api import PlayerAPIView
from players.accounts.models import User
from tables.play.api import refuse_money
from tables.seats.devices import origin_of
from tournaments.entries.models import Ticket
from tournaments.exceptions import NotDrawn
from tournaments.lobby import detail, registration
from tournaments.lobby.detail import own_entry_or_404, shown_or_404, tournament_page
from tournaments.lobby.forms import TABS, TournamentListForm
from tournaments.lobby.lists import KINDS, tournament_list
from tournaments.lobby.schemas import (
    Draw,
    MyEntry,
    RoundTableRow,
    StandingRow,
    TournamentPage,
    TournamentRow,
)
from tournaments.lobby.standings import row_of, standings
from tournaments.planning.models import Tournament

ROWS_PER_PAGE = 100
REFUSED = OpenApiResponse(refusal(), "Refused; nothing has changed.")
UNREADABLE = OpenApiResponse(refusal(), "The request is invalid.")
NOT_FOUND = OpenApiResponse(refusal(), "No such tournament, or the caller has no entry in it.")
SIGN_IN = OpenApiResponse(refusal(), "Sign-in required.")
PAGE = OpenApiParameter(
    "page",
    {"type": "integer", "minimum": 1, "maximum": 10**9, "default": 1},
    description="Page of 100 rows; a number past the end returns the last page.",
)


class TournamentsView(APIView):
    """List tournaments of one tab, filtered, with stable pages."""

    permission_classes = (AllowAny,)

    @extend_schema(
        operation_id="tournaments",
        parameters=[
            OpenApiParameter("show", str, enum=list(TABS), default="open"),
            OpenApiParameter("kind", str, enum=[each for each in KINDS if each]),
            OpenApiParameter("variant", str, description="Rules by name: `Pool 101`."),
            OpenApiParameter("currency", str),
            OpenApiParameter("after", str, description="`after` of the previous page."),
        ],
        responses={200: list_schema(TournamentRow, server_now=datetime), 400: UNREADABLE},
    )
    def get(self, request: Request) -> Response:
        form = TournamentListForm(request.query_params)
        if not form.is_valid():
            wrong: dict[str, Any] = {name: list(errors) for name, errors in form.errors.items()}
            raise serializers.ValidationError(wrong)
        after = request.query_params.get("after", "")
        try:
            page = tournament_list(request.user, form.chosen_filter(), after=after)
        except signing.BadSignature:
            invalid = {"after": ["Use the value of the previous page."]}
            raise serializers.ValidationError(invalid) from None
        more = {"after": page.after} if page.after else None
        rows = [as_json(row) for row in page.rows]
        return list_response(request, rows, more=more, server_now=page.server_now)


class TournamentDetailView(APIView):
    """One tournament: terms, plan, prizes, rounds, and the caller's entry and tables."""

    permission_classes = (AllowAny,)

    @extend_schema(
        operation_id="tournament", responses={200: schema_of(TournamentPage), 404: NOT_FOUND}
    )
    def get(self, request: Request, tournament_id: UUID) -> Response:
        page = tournament_page(shown_or_404(tournament_id), request.user)
        return Response(as_json(page))


class MyEntryView(PlayerAPIView):
    """The caller's entry: register and pay, or withdraw until registration closes."""

    class EntryRequest(serializers.Serializer[Any]):
        ticket = serializers.UUIDField(required=False, help_text="A ticket to pay with.")
        password = serializers.CharField(
            required=False, max_length=128, help_text="Of a tournament that has one."
        )

    @extend_schema(
        operation_id="enter_tournament",
        request=EntryRequest,
        responses={
            201: schema_of(MyEntry),
            400: UNREADABLE,
            403: SIGN_IN,
            404: NOT_FOUND,
            409: REFUSED,
        },
    )
    def post(self, request: Request, tournament_id: UUID) -> Response:
        tournament, player = shown_or_404(tournament_id), self.player
        refuse_money(request, tournament.currency)
        asked = self.EntryRequest(data=request.data)
        asked.is_valid(raise_exception=True)
        ticket = None
        if public_id := asked.validated_data.get("ticket"):
            ticket = get_object_or_404(Ticket, public_id=public_id, player=player)
        registration.register(
            tournament_id=tournament.pk,
            player=player,
            ticket=ticket,
            origin=origin_of(request),
            password=asked.validated_data.get("password", ""),
        )
        return Response(_my_entry(tournament, player), status=status.HTTP_201_CREATED)

    @extend_schema(
        operation_id="withdraw_entry",
        request=None,
        responses={204: None, 403: SIGN_IN, 404: NOT_FOUND, 409: REFUSED},
    )
    def delete(self, request: Request, tournament_id: UUID) -> Response:
        tournament, player = shown_or_404(tournament_id), self.player
        refuse_money(request, tournament.currency)
        registration.withdraw(entry_id=own_entry_or_404(tournament, player).pk)
        return Response(status=status.HTTP_204_NO_CONTENT)


class ReentryView(PlayerAPIView):
    """Enter again and pay, after an elimination in round 1 while late entry is open."""

    @extend_schema(
        operation_id="reenter_tournament",
        request=None,
        responses={201: schema_of(MyEntry), 403: SIGN_IN, 404: NOT_FOUND, 409: REFUSED},
    )
    def post(self, request: Request, tournament_id: UUID) -> Response:
        tournament, player = shown_or_404(tournament_id), self.player
        refuse_money(request, tournament.currency)
        registration.reenter(tournament_id=tournament.pk, player=player, origin=origin_of(request))
        return Response(_my_entry(tournament, player), status=status.HTTP_201_CREATED)


class AddOnView(PlayerAPIView):
    """Buy the add-on in the break after round 1; repeating the call has no effect."""

    @extend_schema(
        operation_id="buy_add_on",
        request=None,
        responses={200: schema_of(MyEntry), 403: SIGN_IN, 404: NOT_FOUND, 409: REFUSED},
    )
    def post(self, request: Request, tournament_id: UUID) -> Response:
        tournament, player = shown_or_404(tournament_id), self.player
        refuse_money(request, tournament.currency)
        registration.add_on(entry_id=own_entry_or_404(tournament, player).pk)
        return Response(_my_entry(tournament, player))


class CheckInView(PlayerAPIView):
    """Check in; repeating the call has no effect."""

    @extend_schema(
        operation_id="check_in",
        request=None,
        responses={200: schema_of(MyEntry), 403: SIGN_IN, 404: NOT_FOUND, 409: REFUSED},
    )
    def post(self, request: Request, tournament_id: UUID) -> Response:
        tournament, player = shown_or_404(tournament_id), self.player
        refuse_money(request, tournament.currency)
        registration.check_in(entry_id=own_entry_or_404(tournament, player).pk)
        return Response(_my_entry(tournament, player))


class StandingsView(APIView):
    """The standings, best first."""

    permission_classes = (AllowAny,)

    @extend_schema(
        operation_id="tournament_standings",
        parameters=[PAGE],
        responses={200: list_schema(StandingRow, pages=int), 400: UNREADABLE, 404: NOT_FOUND},
    )
    def get(self, request: Request, tournament_id: UUID) -> Response:
        tournament = shown_or_404(tournament_id)
        pages = Paginator(standings(tournament), ROWS_PER_PAGE)
        page = pages.get_page(request.query_params.get("page"))
        rows = [row_of(entry, tournament, request.user) for entry in page.object_list]
        return _page_response(request, page, rows)


class RoundTablesView(APIView):
    """The tables of one round."""

    permission_classes = (AllowAny,)

    @extend_schema(
        operation_id="round_tables",
        parameters=[PAGE],
        responses={
            200: list_schema(RoundTableRow, pages=int),
            400: UNREADABLE,
            404: NOT_FOUND,
        },
    )
    def get(self, request: Request, tournament_id: UUID, no: int) -> Response:
        tournament = shown_or_404(tournament_id)
        get_object_or_404(tournament.rounds, no=no)
        pages = Paginator(detail.round_tables(tournament, no), ROWS_PER_PAGE)
        page = pages.get_page(request.query_params.get("page"))
        return _page_response(request, page, detail.table_rows(page.object_list, request.user))


class DrawView(APIView):
    """The data to verify the draw; 404 until it is made."""

    permission_classes = (AllowAny,)

    @extend_schema(operation_id="tournament_draw", responses={200: schema_of(Draw), 404: NOT_FOUND})
    def get(self, request: Request, tournament_id: UUID) -> Response:
        draw = detail.draw_of(shown_or_404(tournament_id))
        if draw is None:
            raise NotDrawn("The draw has not been made yet.")
        return Response(as_json(draw))


def _page_response(request: Request, page: Page[Any], rows: Sequence[Any]) -> Response:
    more = {"page": page.next_page_number()} if page.has_next() else None
    shown = [as_json(row) for row in rows]
    return list_response(request, shown, more=more, pages=page.paginator.num_pages)


def _my_entry(tournament: Tournament, player: User) -> dict[str, Any]:
    mine = tournament_page(tournament, player).me
    assert mine is not None, "the player has just acted on their entry"
    return as_json(mine)
