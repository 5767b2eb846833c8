"""API to close days now; the worker closes them after midnight."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from core.api.lists import list_response, list_serializer
from core.api.openapi import Refusal
from finance.closing.actions import CLOSE, close_days
from finance.reports.frame.models import DailyClose
from finance.tokens.authentication import FinanceView


class ClosedDay(serializers.ModelSerializer[DailyClose]):
    class Meta:
        model = DailyClose
        fields = ("day", "closed_at", "transfers", "entries", "games", "control_hash")


class ClosesView(FinanceView):
    """Close all days that are over and not closed yet, the oldest first.

    A day whose control totals differ stays open (`books_differ`). The call is idempotent and needs
    no second person.
    """

    scope = CLOSE

    @extend_schema(
        operation_id="finance_close_days",
        summary="Close the days that are over",
        request=None,
        responses={
            200: list_serializer(ClosedDay),
            **dict.fromkeys((401, 403, 406, 409, 429), Refusal),
        },
    )
    def post(self, request: Request) -> Response:
        closed: Any = ClosedDay(close_days(), many=True).data
        return list_response(request, closed)
