"""The API of private tables: the available kinds, opening one, and looking up a code."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast
from uuid import UUID

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
from tables.games import game_of
from tables.lobby import invitations
from tables.lobby.offers import private_row
from tables.models.profiles import TableTemplate
from tables.play.api import COMMON, REFUSED, SIGN_IN, UNREADABLE, refuse_money
from tables.state.rules import variant_of
from tables.view.schemas import LobbyRow
from wallet.ledger.amounts import Amount


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
        kinds = TableTemplate.objects.offered().select_related("profile").order_by("name")
        return list_response(request, [as_json(_kind(template)) for template in kinds])

    @extend_schema(
        operation_id="open_private_table",
        request=PrivateTableKindRequest,
        responses={201: schema_of(PrivateTable), 400: UNREADABLE, **COMMON, 409: REFUSED},
    )
    def post(self, request: Request) -> Response:
        asked = self.PrivateTableKindRequest(data=request.data)
        asked.is_valid(raise_exception=True)
        kinds = TableTemplate.objects.offered()
        kind = get_object_or_404(kinds, slug=asked.validated_data["kind"])
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
