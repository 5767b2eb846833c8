"""The API of a seat's commands between deals: stacks (RB 8.1), windows (RB 7.3, 7.4), being ready.

Each returns the table as the caller sees it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar
from uuid import UUID

from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core.api.openapi import as_json
from tables.models.seats import Seat
from tables.play import answering
from tables.play.api import COMMON, REFUSED, SEEN, UNREADABLE, own_seat
from tables.seats import stacks
from tables.settlement.models import Answer
from tables.view.table_view import table_view
from wallet.ledger.money import as_money

# More than any balance, and well below the database's limit.
MINOR_MAX = 10**15
DONE: dict[int, Any] = {200: SEEN, **COMMON}


def _seen(request: Request, seat: Seat) -> Response:
    return Response(as_json(table_view(seat.table, request.user)))


class SeatCommandView(APIView):
    """Base of a command without parameters."""

    command: ClassVar[Callable[..., object]]

    def post(self, request: Request, table_id: UUID) -> Response:
        seat = own_seat(request, table_id)
        type(self).command(seat_id=seat.pk)
        return _seen(request, seat)


@extend_schema_view(
    post=extend_schema(operation_id="sit_out", request=None, responses={**DONE, 409: REFUSED})
)
class SitOutView(SeatCommandView):
    """Sit out from the next deal on; the seat is kept for three deals."""

    command = stacks.sit_out


@extend_schema_view(
    post=extend_schema(operation_id="come_back", request=None, responses={**DONE, 409: REFUSED})
)
class ComeBackView(SeatCommandView):
    """Be dealt in again from the next deal on."""

    command = stacks.come_back


class SplitView(APIView):
    """Propose the split in `me.split`, once per pause; the proposal counts as the caller's yes.

    `after_deal` is that of `me.split`; a later deal has changed the shares (`stale_version`).
    """

    class ProposalRequest(serializers.Serializer[Any]):
        after_deal = serializers.IntegerField(min_value=1)

    @extend_schema(
        operation_id="propose_split",
        request=ProposalRequest,
        responses={**DONE, 400: UNREADABLE, 409: REFUSED},
    )
    def post(self, request: Request, table_id: UUID) -> Response:
        seat = own_seat(request, table_id)
        sent = self.ProposalRequest().run_validation(request.data)
        answering.propose_split(seat_id=seat.pk, after_deal=sent["after_deal"])
        return _seen(request, seat)


@extend_schema_view(post=extend_schema(operation_id="be_ready", request=None, responses=DONE))
class ReadyView(SeatCommandView):
    """Skip the rest of the pause; the next deal begins once every person in the game is ready.

    Outside a pause nothing changes.
    """

    throttle_scope = "moves"
    command = answering.be_ready


class ShowHandsView(APIView):
    """Agree that spectators see the hands of ended deals, or withdraw the consent.

    At tables for money hands are shown only while every player agrees, from the next deal on.
    """

    class ConsentRequest(serializers.Serializer[Any]):
        agrees = serializers.BooleanField()

    @extend_schema(
        operation_id="show_hands", request=ConsentRequest, responses={**DONE, 400: UNREADABLE}
    )
    def put(self, request: Request, table_id: UUID) -> Response:
        seat = own_seat(request, table_id)
        sent = self.ConsentRequest().run_validation(request.data)
        answering.show_hands(seat_id=seat.pk, agrees=sent["agrees"])
        return _seen(request, seat)


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
        responses={**DONE, 400: UNREADABLE, 409: REFUSED},
    )
    def post(self, request: Request, table_id: UUID) -> Response:
        seat = own_seat(request, table_id)
        sent = self.TopUpAmountRequest().run_validation(request.data)
        amount = as_money(sent["amount_minor"], seat.table.currency)
        stacks.top_up(seat_id=seat.pk, no=sent["no"], amount=amount)
        return _seen(request, seat)


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
        responses={**DONE, 400: UNREADABLE, 409: REFUSED},
    )
    def post(self, request: Request, table_id: UUID, window_id: UUID) -> Response:
        seat = own_seat(request, table_id)
        sent = self.AnswerRequest().run_validation(request.data)
        answering.answer(seat_id=seat.pk, window_id=window_id, said=Answer.Said(sent["answer"]))
        return _seen(request, seat)
