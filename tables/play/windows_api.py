"""The API for windows: answers, split proposals, and being ready (RB 7.3, 7.4)."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core.api.openapi import as_json
from tables.play import answering
from tables.play.api import COMMON, REFUSED, SEEN, UNREADABLE, own_seat
from tables.settlement.models import Answer
from tables.view.table_view import table_view


class AnswerView(APIView):
    """Answer the view's window: a yes to a rejoin pays the entry at once.

    Repeating the answer has no effect; if a rejoin cannot be paid, the question stays open.
    """

    throttle_scope = "moves"

    class AnswerRequest(serializers.Serializer[Any]):
        answer = serializers.ChoiceField(choices=Answer.Said.choices)

    @extend_schema(
        operation_id="answer_window",
        request=AnswerRequest,
        responses={200: SEEN, 400: UNREADABLE, **COMMON, 409: REFUSED},
    )
    def post(self, request: Request, table_id: UUID, window_id: UUID) -> Response:
        seat = own_seat(request, table_id)
        asked = self.AnswerRequest(data=request.data)
        asked.is_valid(raise_exception=True)
        said = Answer.Said(asked.validated_data["answer"])
        answering.answer(seat_id=seat.pk, window_id=window_id, said=said)
        return Response(as_json(table_view(seat.table, request.user)))


class SplitView(APIView):
    """Propose the split in `me.split`, once per pause; the proposal counts as the caller's yes."""

    @extend_schema(
        operation_id="propose_split", request=None, responses={200: SEEN, **COMMON, 409: REFUSED}
    )
    def post(self, request: Request, table_id: UUID) -> Response:
        seat = own_seat(request, table_id)
        answering.propose_split(seat_id=seat.pk)
        return Response(as_json(table_view(seat.table, request.user)))


class ReadyView(APIView):
    """Skip the rest of the pause; the next deal begins once every person in the game is ready.

    Outside a pause nothing changes.
    """

    throttle_scope = "moves"

    @extend_schema(operation_id="be_ready", request=None, responses={200: SEEN, **COMMON})
    def post(self, request: Request, table_id: UUID) -> Response:
        seat = own_seat(request, table_id)
        answering.be_ready(seat_id=seat.pk)
        return Response(as_json(table_view(seat.table, request.user)))
