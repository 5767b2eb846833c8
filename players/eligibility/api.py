"""The REST API of a player's breaks: read the running one, start one."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from core.api.lists import list_response, list_serializer
from core.api.openapi import Refusal
from players.accounts.api import PlayerAPIView
from players.eligibility.break_models import Break
from players.eligibility.breaks import break_in_force, take_break


class BreakOutput(serializers.ModelSerializer[Break]):
    # Null: permanent.
    ends_at = serializers.DateTimeField(allow_null=True)

    class Meta:
        model = Break
        fields = ("kind", "began_at", "ends_at")


class BreakRequest(serializers.Serializer[Any]):
    kind = serializers.ChoiceField(choices=Break.Kind.choices)
    # Null: permanent (self-exclusions only). The maximum is a hundred years.
    days = serializers.IntegerField(min_value=1, max_value=36_525, allow_null=True)


class BreaksView(PlayerAPIView):
    """Return the caller's running break, if any, or start one. A break cannot be lifted early."""

    @extend_schema(
        operation_id="account_breaks",
        tags=["account"],
        responses={200: list_serializer(BreakOutput), 403: Refusal},
    )
    def get(self, request: Request) -> Response:
        running = break_in_force(self.player)
        return list_response(request, [BreakOutput(running).data] if running else [])

    @extend_schema(
        operation_id="take_break",
        tags=["account"],
        request=BreakRequest,
        responses={201: BreakOutput, **dict.fromkeys((400, 403, 422), Refusal)},
    )
    def post(self, request: Request) -> Response:
        asked = BreakRequest(data=request.data)
        asked.is_valid(raise_exception=True)
        days = asked.validated_data["days"]
        begun = take_break(
            player=self.player,
            kind=Break.Kind(asked.validated_data["kind"]),
            length=None if days is None else timedelta(days=days),
        )
        return Response(BreakOutput(begun).data, status=201)
