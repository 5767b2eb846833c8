"""API of seasons and their leaderboards."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.core import signing
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core.api.lists import list_response, list_schema
from core.api.openapi import as_json, refusal
from tournaments.leagues.models import Board, Season
from tournaments.leagues.pages import read_board
from tournaments.leagues.series import SeriesTournament, template_names, tournaments_of
from tournaments.leagues.standings import LeaderboardRow, board_of, leaderboard
from wallet.ledger.amounts import Amount

SEASONS_LISTED = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class SeasonRow:
    """A season with its formula and prizes."""

    id: UUID
    name: str
    state: str
    """"planned", "open" or "closed"."""
    starts_at: datetime
    ends_at: datetime
    templates: list[str]
    """Names of the tournaments that a series counts; empty for other seasons."""
    game: str
    """Name of the game that counts; empty for all."""
    pace: str
    """"fast" or "standard"; empty for both."""
    with_bots: bool
    place_points: list[int]
    """The points of the first, second, … place."""
    is_weighted: bool
    """Whether they are multiplied by the square root of the number of opponents."""
    pools: list[Amount]
    """The prize pool of each division, the highest first."""
    prize_bps: list[int]
    """Basis points of a pool by place; empty for the rulebook's."""
    promoted: int
    relegated: int


class SeasonsView(APIView):
    """List the seasons, the latest first."""

    permission_classes = (AllowAny,)

    @extend_schema(operation_id="seasons", responses={200: list_schema(SeasonRow)})
    def get(self, request: Request) -> Response:
        rows = [_row(season) for season in Season.objects.shown()[:SEASONS_LISTED]]
        return list_response(request, [as_json(row) for row in rows])


class SeasonTournamentsView(APIView):
    """List the tournaments and next dates of a series, the first one first; none of other seasons.

    A date that is not announced yet has no `id`.
    """

    permission_classes = (AllowAny,)

    @extend_schema(
        operation_id="season_tournaments",
        responses={
            200: list_schema(SeriesTournament),
            404: OpenApiResponse(refusal(), "No such season."),
        },
    )
    def get(self, request: Request, season_id: UUID) -> Response:
        season = get_object_or_404(Season.objects.shown(), public_id=season_id)
        return list_response(request, [as_json(row) for row in tournaments_of(season)])


class SeasonStandingsView(APIView):
    """A leaderboard of a season, best first, with stable pages.

    Hidden players are left out, so places may be missing.
    """

    permission_classes = (AllowAny,)

    @extend_schema(
        operation_id="season_standings",
        parameters=[
            OpenApiParameter("span", str, enum=list(Board.Span.values), default="season"),
            OpenApiParameter(
                "day", {"type": "string", "format": "date"}, description="A day of the week or day."
            ),
            OpenApiParameter("division", {"type": "integer", "minimum": 1}),
            OpenApiParameter("after", str, description="`after` of the previous page."),
        ],
        responses={
            200: list_schema(LeaderboardRow, players=int),
            400: OpenApiResponse(refusal(), "The request is invalid."),
            404: OpenApiResponse(refusal(), "No such season."),
        },
    )
    def get(self, request: Request, season_id: UUID) -> Response:
        season = get_object_or_404(Season.objects.shown(), public_id=season_id)
        span, day, division = read_board(season, request.query_params, request.user)
        board = board_of(season, span, day=day, division=division)
        after = request.query_params.get("after", "")
        try:
            page = leaderboard(board, request.user, after=after)
        except signing.BadSignature:
            invalid = {"after": ["Use the value of the previous page."]}
            raise serializers.ValidationError(invalid) from None
        more = {"after": page.after} if page.after else None
        rows = [as_json(row) for row in page.rows]
        return list_response(request, rows, more=more, players=page.players)


def _row(season: Season) -> SeasonRow:
    same = {name: getattr(season, name) for name in SeasonRow.__slots__ if hasattr(season, name)}
    pools = [Amount.of(minor, season.currency) for minor in season.pools_minor]
    own = {"id": season.public_id, "pools": pools, "templates": template_names(season)}
    return SeasonRow(**same | own)
