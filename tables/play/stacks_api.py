"""The API of points tables: topping up, sitting out, coming back (RB 8.1)."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core.api.openapi import as_json
from tables.play.api import COMMON, REFUSED, SEEN, UNREADABLE, own_seat
from tables.seats import stacks
from tables.view.table_view import table_view
from wallet.ledger.money import as_money

# More than any balance, and well below the database's limit.
MINOR_MAX = 10**15


class TopUpView(APIView):
    """Add to the caller's stack between deals. A repeated `no` is not paid again.

    An amount out of range is refused with `amount_min_minor` and `amount_max_minor`.
    """

    throttle_scope = "money"

    class TopUpAmountRequest(serializers.Serializer[Any]):
        amount_minor = serializers.IntegerField(
            min_value=1,
            max_value=MINOR_MAX,
            help_text="In minor units of the table's currency. The resulting stack must be between"
            " `stack_min` and `stack_max`.",
        )
        no = serializers.IntegerField(
            min_value=2, max_value=32_767, help_text="`me.next_payment` of the view."
        )

    @extend_schema(
        operation_id="top_up",
        request=TopUpAmountRequest,
        responses={200: SEEN, 400: UNREADABLE, **COMMON, 409: REFUSED},
    )
    def post(self, request: Request, table_id: UUID) -> Response:
        seat = own_seat(request, table_id)
        asked = self.TopUpAmountRequest(data=request.data)
        asked.is_valid(raise_exception=True)
        sent = asked.validated_data
        amount = as_money(sent["amount_minor"], seat.table.currency)
        stacks.top_up(seat_id=seat.pk, no=sent["no"], amount=amount)
        return Response(as_json(table_view(seat.table, request.user)))


class SitOutView(APIView):
    """Sit out from the next deal on; the seat is kept for three deals."""

    @extend_schema(
        operation_id="sit_out", request=None, responses={200: SEEN, **COMMON, 409: REFUSED}
    )
    def post(self, request: Request, table_id: UUID) -> Response:
        seat = own_seat(request, table_id)
        stacks.sit_out(seat_id=seat.pk)
        return Response(as_json(table_view(seat.table, request.user)))


class ComeBackView(APIView):
    """Be dealt in again from the next deal on."""

    @extend_schema(
        operation_id="come_back", request=None, responses={200: SEEN, **COMMON, 409: REFUSED}
    )
    def post(self, request: Request, table_id: UUID) -> Response:
        seat = own_seat(request, table_id)
        stacks.come_back(seat_id=seat.pk)
        return Response(as_json(table_view(seat.table, request.user)))
