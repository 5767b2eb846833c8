"""API of the cashier, with quotes and deposit limits.

Every POST that moves money needs an Idempotency-Key.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from http import HTTPStatus
from typing import Any
from uuid import UUID

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404
from django.utils.decorators import method_decorator
from django.views import View
from django.views.decorators.csrf import csrf_exempt
from drf_spectacular.utils import OpenApiParameter, extend_schema
from moneyed import CurrencyDoesNotExist, Money, get_currency
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core.api.lists import list_response, list_serializer
from core.api.openapi import Refusal
from core.http.problems import CONTENT_TYPE, ProblemResponse
from players.accounts.api import PlayerAPIView
from players.limits.models import OwnLimit
from players.sign_in.security.proof import is_proved
from wallet.cashier.requests import (
    KEY_LENGTH_MAX,
    Answer,
    DepositAnswer,
    WithdrawalAnswer,
    deposit_once,
    withdrawal_once,
)
from wallet.deposits.deposits import receive_event
from wallet.deposits.limits import PERIOD_CHOICES, ComingLimit, remaining_limits, set_limit
from wallet.deposits.models import Deposit
from wallet.deposits.unpaid_orders import cancel_deposit
from wallet.exceptions import WalletError
from wallet.ledger.amounts import AmountField, MinorField
from wallet.ledger.cash_offered import refuse_amount, refuse_currency
from wallet.ledger.money import as_money
from wallet.tax.arithmetic import year_name
from wallet.tax.assessment import quote_withdrawal
from wallet.tax.gst import price_deposit
from wallet.tax.receipts import lines_of, summary_of
from wallet.withdrawals.models import Withdrawal
from wallet.withdrawals.withdrawable import withdrawable

KEY = OpenApiParameter(
    "Idempotency-Key",
    {"type": "string", "minLength": 1, "maxLength": KEY_LENGTH_MAX},
    OpenApiParameter.HEADER,
    required=True,
    description="Chosen by the client. A repeated key returns the first answer.",
)
REFUSALS: dict[int, Any] = dict.fromkeys((400, 403, 409, 422), Refusal)
QUOTE_REFUSALS: dict[int, Any] = dict.fromkeys((400, 403, 422), Refusal)
REPLAYED = OpenApiParameter(
    "Idempotency-Replayed", bool, OpenApiParameter.HEADER, response=[201, 403, 409, 422]
)


class MoneyRequest(serializers.Serializer[Any]):
    amount_minor = MinorField(least=1)
    currency = serializers.RegexField(r"^[A-Z]{3}$")

    def validate_currency(self, code: str) -> str:
        try:
            get_currency(code)
        except CurrencyDoesNotExist:
            raise serializers.ValidationError("Unknown currency.") from None
        return code

    def in_one_spelling(self) -> bytes:
        """Return the request in a canonical form, whatever the layout of its JSON."""
        return json.dumps(self.validated_data, sort_keys=True, default=str).encode()

    def money(self) -> Money:
        return as_money(self.validated_data["amount_minor"], self.validated_data["currency"])

    def terms(self) -> dict[str, Any]:
        """Return the arguments of the function that carries out the request."""
        return {"amount": self.money()}


class WithdrawalRequest(MoneyRequest):
    # The id of a registered bank account of the caller.
    payee = serializers.UUIDField()
    # The tax of the quote, which the player agreed to.
    tax_minor = MinorField(least=0, default=0)

    def terms(self) -> dict[str, Any]:
        said = self.validated_data
        agreed = as_money(said["tax_minor"], said["currency"])
        return super().terms() | {"payee": said["payee"], "agreed_tax": agreed}


class DepositsView(PlayerAPIView):
    """The caller's deposits, latest first; or order another, payable at `pay_url`."""

    @extend_schema(
        operation_id="deposits",
        tags=["cashier"],
        responses={200: list_serializer(DepositAnswer), 403: Refusal},
    )
    def get(self, request: Request) -> Response:
        mine = Deposit.objects.of_player(self.player)[:100]
        return list_response(request, DepositAnswer(mine, many=True).data)

    @extend_schema(
        operation_id="start_deposit",
        tags=["cashier"],
        parameters=[KEY, REPLAYED],
        request=MoneyRequest,
        responses={201: DepositAnswer, **REFUSALS},
    )
    def post(self, request: Request) -> Response:
        asked = MoneyRequest(data=request.data)
        return _answer_once(self, asked, deposit_once, route="api:deposits")


class DepositView(PlayerAPIView):
    """One deposit and its status."""

    @extend_schema(
        operation_id="deposit",
        tags=["cashier"],
        responses={200: DepositAnswer, 403: Refusal, 404: Refusal},
    )
    def get(self, request: Request, public_id: UUID) -> Response:
        mine = Deposit.objects.of_player(self.player)
        return Response(DepositAnswer(get_object_or_404(mine, public_id=public_id)).data)


class CancelDepositView(PlayerAPIView):
    """Cancel an unpaid order; idempotent."""

    @extend_schema(
        operation_id="cancel_deposit",
        tags=["cashier"],
        request=None,
        responses={200: DepositAnswer, **dict.fromkeys((403, 404, 409, 503), Refusal)},
    )
    def post(self, request: Request, public_id: UUID) -> Response:
        mine = Deposit.objects.of_player(self.player)
        deposit = get_object_or_404(mine, public_id=public_id)
        return Response(DepositAnswer(cancel_deposit(deposit_id=deposit.pk)).data)


class WithdrawalsView(PlayerAPIView):
    """The caller's withdrawals, latest first; or request another."""

    @extend_schema(
        operation_id="withdrawals",
        tags=["cashier"],
        responses={200: list_serializer(WithdrawalAnswer), 403: Refusal},
    )
    def get(self, request: Request) -> Response:
        mine = Withdrawal.objects.of_player(self.player).select_related("payee")[:100]
        return list_response(request, WithdrawalAnswer(mine, many=True).data)

    @extend_schema(
        operation_id="request_withdrawal",
        tags=["cashier"],
        parameters=[KEY, REPLAYED],
        request=WithdrawalRequest,
        responses={201: WithdrawalAnswer, **REFUSALS},
    )
    def post(self, request: Request) -> Response:
        asked = WithdrawalRequest(data=request.data)
        return _answer_once(self, asked, withdrawal_once, route="api:withdrawals")


@method_decorator(csrf_exempt, name="dispatch")
class WebhookView(View):
    """Receive gateway events; a plain Django view, because the signature covers the raw body."""

    throttle_scope = "webhooks"

    def post(self, request: HttpRequest, provider: str) -> HttpResponse:
        try:
            outcome = receive_event(provider=provider, body=request.body, headers=request.headers)
        except WalletError as refusal:
            return ProblemResponse(status=refusal.status, code=refusal.code, message=str(refusal))
        return JsonResponse({"outcome": outcome})


def _answer_once(
    view: PlayerAPIView, asked: MoneyRequest, act: Callable[..., Answer], *, route: str
) -> Response:
    asked.is_valid(raise_exception=True)
    answer = act(
        player=view.player,
        route=route,
        key=view.request.headers.get("Idempotency-Key", ""),
        asked=asked.in_one_spelling(),
        **asked.terms(),
    )
    kind = CONTENT_TYPE if answer.status >= HTTPStatus.BAD_REQUEST else None
    response = Response(answer.content, status=answer.status, content_type=kind)
    if answer.is_replay:
        response["Idempotency-Replayed"] = "true"
    return response


class ComingLimitOutput(serializers.Serializer[ComingLimit]):
    # Null if the player's own limit ends.
    amount = AmountField(allow_null=True)
    applies_at = serializers.DateTimeField()


class LimitOutput(serializers.Serializer[Any]):
    """A limit on deposits; amounts are null where there is none."""

    period = serializers.ChoiceField(choices=PERIOD_CHOICES)
    currency = serializers.CharField(source="used.currency.code")
    operator = AmountField(allow_null=True)
    own = AmountField(allow_null=True)
    limit = AmountField(allow_null=True)
    used = AmountField()
    left = AmountField(allow_null=True)
    coming = ComingLimitOutput(allow_null=True)


class LimitRequest(serializers.Serializer[Any]):
    period = serializers.ChoiceField(choices=PERIOD_CHOICES)
    # Null removes the player's own limit.
    amount_minor = MinorField(least=1, allow_null=True)
    currency = serializers.RegexField(r"^[A-Z]{3}$")


class DepositLimitsView(PlayerAPIView):
    """The caller's remaining deposit limits; or set one. An increase applies after a day."""

    @extend_schema(
        operation_id="deposit_limits",
        tags=["cashier"],
        responses={200: list_serializer(LimitOutput), 403: Refusal},
    )
    def get(self, request: Request) -> Response:
        return self._limits(request, settings.CASH_CURRENCIES[0])

    @extend_schema(
        operation_id="set_deposit_limit",
        tags=["cashier"],
        request=LimitRequest,
        responses={200: list_serializer(LimitOutput), **QUOTE_REFUSALS},
    )
    def post(self, request: Request) -> Response:
        asked = LimitRequest(data=request.data)
        asked.is_valid(raise_exception=True)
        said = asked.validated_data
        minor, currency = said["amount_minor"], said["currency"]
        refuse_currency(currency)
        set_limit(
            player=self.player,
            period=OwnLimit.Period(said["period"]),
            currency=currency,
            amount=None if minor is None else as_money(minor, currency),
            is_proved=is_proved(request),
        )
        return self._limits(request, currency)

    def _limits(self, request: Request, currency: str) -> Response:
        limits = remaining_limits(player=self.player, currency=currency)
        return list_response(request, LimitOutput(limits, many=True).data)


class StepOutput(serializers.Serializer[Any]):
    text = serializers.CharField()
    amount = AmountField(source="money")
    is_result = serializers.BooleanField()


class WithdrawalQuoteOutput(serializers.Serializer[Any]):
    amount = AmountField(source="quote.amount")
    # Send it as `tax_minor` with the request: the player agrees to it.
    tax = AmountField(source="quote.tax")
    payout = AmountField(source="quote.payout")
    year = serializers.CharField(allow_null=True, help_text="Null if no tax applies.")
    text = serializers.CharField()
    sums = StepOutput(many=True)
    # What can be requested now: without held deposits and debts.
    withdrawable = AmountField(source="free.now")
    held = AmountField(source="free.held")
    held_until = serializers.DateTimeField(source="free.held_until", allow_null=True)
    owed = AmountField(source="free.owed")
    is_stopped = serializers.BooleanField(
        source="free.is_stopped", help_text="A payment is disputed or being refunded."
    )


class DepositQuoteOutput(serializers.Serializer[Any]):
    amount = AmountField(source="credited")
    gst = AmountField(source="tax")
    gst_bps = serializers.IntegerField(source="bps")
    gst_treatment = serializers.CharField(source="treatment")
    to_pay = AmountField(source="paid")


class WithdrawalQuoteView(PlayerAPIView):
    """The payout of a withdrawal requested now, with its calculation."""

    @extend_schema(
        operation_id="withdrawal_quote",
        tags=["cashier"],
        parameters=[MoneyRequest],
        responses={200: WithdrawalQuoteOutput, **QUOTE_REFUSALS},
    )
    def get(self, request: Request) -> Response:
        player, amount = self.player, _asked(request)
        quote = quote_withdrawal(player=player, amount=amount)
        values = {
            "quote": quote,
            "year": year_name(quote.assessment.year) if quote.assessment else None,
            "text": summary_of(quote.amount, quote.tax),
            "sums": lines_of(quote),
            "free": withdrawable(player=player, currency=amount.currency.code),
        }
        return Response(WithdrawalQuoteOutput(values).data)


class DepositQuoteView(APIView):
    """The price of a deposit today, tax included."""

    @extend_schema(
        operation_id="deposit_quote",
        tags=["cashier"],
        parameters=[MoneyRequest],
        responses={200: DepositQuoteOutput, **QUOTE_REFUSALS},
    )
    def get(self, request: Request) -> Response:
        return Response(DepositQuoteOutput(price_deposit(_asked(request))).data)


def _asked(request: Request) -> Money:
    asked = MoneyRequest(data=request.query_params)
    asked.is_valid(raise_exception=True)
    refuse_amount(asked.money())
    return asked.money()
