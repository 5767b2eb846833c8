"""The API of past games and fair deals: seeds, history files, replays, disputes."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, cast
from uuid import UUID

from django.core.handlers.asgi import ASGIRequest
from django.db.models import QuerySet
from django.http import HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import serializers, status
from rest_framework.exceptions import ValidationError
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core.api.lists import link_header, list_response, list_schema, next_address
from core.api.openapi import as_json, schema_of
from core.http.csv_stream import asynchronously
from players.accounts.api import PlayerAPIView
from players.accounts.models import User
from players.sign_in.sessions import TokenSession
from tables.history.archive import archive_of
from tables.history.deal_file import history_name, history_text
from tables.history.fairness.models import ClientSeed
from tables.history.finished_deals import deals_seen_by, games_seen_by
from tables.history.forms import GamesForm
from tables.history.games import GameRow, ScoreSheet, game_row, score_sheet
from tables.history.replay import Replay, replay
from tables.integrity.moderation import disputes
from tables.integrity.moderation.dispute_models import Dispute
from tables.models.deals import Deal
from tables.models.tables import Table
from tables.play.api import COMMON, REFUSED, UNREADABLE, own_seat, refuse_money
from tables.seats import client_seeds
from wallet.ledger.money import PLAY_POINTS

if TYPE_CHECKING:
    from tables.history.games import Sitting

ROWS_PER_PAGE = 100


@dataclass(frozen=True, slots=True)
class GivenSeed:
    """A saved client seed, and the commitment that preceded it."""

    deal_no: int
    commitment: str
    text: str


@dataclass(frozen=True, slots=True)
class DisputeRow:
    """A dispute as its player sees it."""

    id: UUID
    table_id: UUID
    deal_no: int
    ply: int
    category: str
    text: str
    # open, assigned, answered or closed.
    status: str
    answer: str
    evidence_sha256: str
    opened_at: datetime
    answered_at: datetime | None

    @classmethod
    def of(cls, dispute: Dispute) -> DisputeRow:
        return cls(
            id=dispute.public_id,
            table_id=dispute.deal.table.public_id,
            deal_no=dispute.deal.no,
            ply=dispute.ply,
            category=dispute.category,
            text=dispute.text,
            status=dispute.status,
            answer=dispute.answer,
            evidence_sha256=dispute.evidence_sha256,
            opened_at=dispute.opened_at,
            answered_at=dispute.answered_at,
        )


class PlainTextRenderer(JSONRenderer):
    """Lets a client request plain text; refusals are still JSON."""

    media_type = "text/plain"
    format = "txt"


class ZipRenderer(JSONRenderer):
    """Lets a client request a ZIP file; refusals are still JSON."""

    media_type = "application/zip"
    format = "zip"


# Filters for the caller's games.
CHOSEN = [
    OpenApiParameter("variant", str, description="As in the rows: `Pool 101`."),
    OpenApiParameter("started_from", OpenApiTypes.DATE),
    OpenApiParameter("started_to", OpenApiTypes.DATE),
]


def _games_asked_for(request: Request) -> QuerySet[Sitting]:
    """Return the caller's sittings; for a token only those in play-point games."""
    form = GamesForm(request.query_params, player=_player(request))
    if not form.is_valid():
        raise ValidationError(form.errors.get_json_data())
    games = form.games()
    if isinstance(request.session, TokenSession):
        return games.filter(table__currency=PLAY_POINTS)
    return games


def _player(request: Request) -> User:
    return cast(User, request.user)


def _deal_seen(request: Request, table_id: UUID, no: int) -> Deal:
    deal: Deal = get_object_or_404(
        deals_seen_by(_player(request)), table__public_id=table_id, no=no
    )
    refuse_money(request, deal.table.currency)
    return deal


def _game_seen(request: Request, table_id: UUID) -> Table:
    table: Table = get_object_or_404(games_seen_by(_player(request)), public_id=table_id)
    refuse_money(request, table.currency)
    return table


class ClientSeedView(APIView):
    """Add a text to the shuffle of the next deal (RB 12.1).

    Accepted from sitting down until the toss, later until the end of the pause between two deals.
    One per deal: the same text again returns the same response, another one is refused.
    """

    class ClientSeedRequest(serializers.Serializer[Any]):
        text = serializers.CharField(
            max_length=ClientSeed.LONGEST_SENT,
            trim_whitespace=False,
            help_text="1 to 64 printable characters, whose UTF-8 bytes seed the shuffle; or"
            " `sha256:` and their SHA-256 in hex, and the characters when `must_reveal` is true.",
        )

    @extend_schema(
        operation_id="set_client_seed",
        request=ClientSeedRequest,
        responses={200: schema_of(GivenSeed), 400: UNREADABLE, **COMMON, 409: REFUSED},
    )
    def put(self, request: Request, table_id: UUID) -> Response:
        seat = own_seat(request, table_id)
        asked = self.ClientSeedRequest(data=request.data)
        asked.is_valid(raise_exception=True)
        given = client_seeds.give_client_seed(seat_id=seat.pk, text=asked.validated_data["text"])
        answer = GivenSeed(given.deal.no, given.deal.commitment, given.text)
        return Response(as_json(answer))


class DealFileView(APIView):
    """Return the history file of a finished deal, for players of its game (RB 12.3).

    At a points table these are the players seated during the deal, dealt in or not.
    """

    renderer_classes = (JSONRenderer, PlainTextRenderer)

    @extend_schema(
        operation_id="deal_history",
        responses={(200, "text/plain"): OpenApiTypes.STR, **COMMON},
    )
    def get(self, request: Request, table_id: UUID, no: int) -> HttpResponse:
        deal = _deal_seen(request, table_id, no)
        response = HttpResponse(history_text(deal), content_type="text/plain; charset=utf-8")
        response["Content-Disposition"] = f'attachment; filename="{history_name(deal)}"'
        return response


class ReplayView(PlayerAPIView):
    """Return a finished deal with every step and all hands, for players of its game."""

    @extend_schema(operation_id="deal_replay", responses={200: schema_of(Replay), **COMMON})
    def get(self, request: Request, table_id: UUID, no: int) -> Response:
        return Response(as_json(replay(_deal_seen(request, table_id, no), self.player)))


class SheetView(PlayerAPIView):
    """Return the score sheet of a game in which the caller was dealt in."""

    @extend_schema(operation_id="score_sheet", responses={200: schema_of(ScoreSheet), **COMMON})
    def get(self, request: Request, table_id: UUID) -> Response:
        sheet = score_sheet(_game_seen(request, table_id), self.player)
        return Response(as_json(sheet))


class GamesView(APIView):
    """List the games in which the caller was dealt in, latest first, at most 100 per page."""

    @extend_schema(
        operation_id="games",
        parameters=[
            *CHOSEN,
            OpenApiParameter(
                "offset",
                {"type": "integer", "minimum": 0, "maximum": 10**8},
                description="How many of the latest games to skip.",
            ),
        ],
        responses={200: list_schema(GameRow), 400: UNREADABLE, 403: COMMON[403]},
    )
    def get(self, request: Request) -> Response:
        games = _games_asked_for(request)
        first = int(request.query_params.get("offset", "0"))
        seats = list(games[first : first + ROWS_PER_PAGE + 1])
        rows = [as_json(game_row(seat)) for seat in seats[:ROWS_PER_PAGE]]
        more = {"offset": first + ROWS_PER_PAGE} if len(seats) > ROWS_PER_PAGE else None
        return list_response(request, rows, more=more)


class DealsArchiveView(PlayerAPIView):
    """Return the history files of the caller's deals as a ZIP of up to a thousand files.

    Further deals are in further parts; the header `Link` has the next part's URL.
    """

    throttle_scope = "costly"
    renderer_classes = (JSONRenderer, ZipRenderer)

    @extend_schema(
        operation_id="deal_files",
        parameters=[
            *CHOSEN,
            OpenApiParameter(
                "part",
                {"type": "integer", "minimum": 1, "maximum": 10**5},
                description="The part's number from 1; a part has 1000 deals, by start time.",
            ),
        ],
        responses={(200, "application/zip"): OpenApiTypes.BINARY, 400: UNREADABLE, **COMMON},
    )
    def get(self, request: Request) -> StreamingHttpResponse:
        games, part = _games_asked_for(request), int(request.query_params.get("part", "1"))
        pieces, has_more = archive_of(self.player, games, part=part)
        body = asynchronously(pieces) if isinstance(request._request, ASGIRequest) else pieces
        response = StreamingHttpResponse(body, content_type="application/zip")
        response["Content-Disposition"] = f'attachment; filename="rummy-deals-{part}.zip"'
        following = next_address(request, {"part": part + 1} if has_more else None)
        for name, value in link_header(following).items():
            response[name] = value
        return response


class DealDisputesView(PlayerAPIView):
    """Open a dispute about a finished deal; its history file is stored as evidence."""

    class DisputeRequest(serializers.Serializer[Any]):
        ply = serializers.IntegerField(min_value=0, max_value=100_000)
        category = serializers.ChoiceField(choices=Dispute.Category.choices)
        text = serializers.CharField(max_length=Dispute.LONGEST)

    @extend_schema(
        operation_id="open_dispute",
        request=DisputeRequest,
        responses={201: schema_of(DisputeRow), 400: UNREADABLE, **COMMON, 409: REFUSED},
    )
    def post(self, request: Request, table_id: UUID, no: int) -> Response:
        table = _game_seen(request, table_id)
        asked = self.DisputeRequest(data=request.data)
        asked.is_valid(raise_exception=True)
        opened = disputes.open_dispute(
            player=self.player, table_id=table.pk, deal_no=no, **asked.validated_data
        )
        return Response(as_json(DisputeRow.of(opened)), status=status.HTTP_201_CREATED)


class DisputesView(PlayerAPIView):
    """List the caller's latest hundred disputes with their answers."""

    @extend_schema(
        operation_id="disputes",
        responses={
            200: OpenApiResponse(list_schema(DisputeRow), "Latest first."),
            403: COMMON[403],
        },
    )
    def get(self, request: Request) -> Response:
        mine = Dispute.objects.of_player(self.player).select_related("deal__table")
        rows = mine.defer("evidence")[:ROWS_PER_PAGE]
        return list_response(request, [as_json(DisputeRow.of(dispute)) for dispute in rows])
