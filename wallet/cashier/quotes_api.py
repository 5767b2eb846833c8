"""What a deposit would cost and a withdrawal bring, before anything is asked for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core.http.openapi import Refusal
from players.accounts.models import User
from wallet.cashier.api import MoneyRequest
from wallet.ledger.cash_offered import refuse_amount
from wallet.tax.arithmetic import year_name
from wallet.tax.assessment import Quote, quote_withdrawal
from wallet.tax.gst import price_deposit
from wallet.tax.receipts import lines_of, summary_of
from wallet.withdrawals.withdrawable import Withdrawable, withdrawable

REFUSALS: dict[int, Any] = dict.fromkeys((400, 403, 422), Refusal)


class StepOutput(serializers.Serializer[Any]):
    words = serializers.CharField()
    amount = serializers.CharField(source="money.amount")
    is_result = serializers.BooleanField()


@dataclass(frozen=True)
class Offered(Quote):
    """A quote, and what could be asked for."""

    free: Withdrawable


class WithdrawalQuoteOutput(serializers.Serializer[Any]):
    amount = serializers.CharField(source="amount.amount")
    # To be sent with the request as `tax`: what the player agrees to.
    tax = serializers.CharField(source="tax.amount")
    payout = serializers.CharField(source="payout.amount")
    currency = serializers.CharField(source="amount.currency.code")
    year = serializers.SerializerMethodField()
    words = serializers.SerializerMethodField()
    sums = serializers.SerializerMethodField()
    # What could be asked for now: new deposits are held, and what is owed stays.
    withdrawable = serializers.CharField(source="free.now.amount")
    held = serializers.CharField(source="free.held.amount")
    held_until = serializers.DateTimeField(source="free.held_until", allow_null=True)
    owed = serializers.CharField(source="free.owed.amount")
    is_stopped = serializers.BooleanField(
        source="free.is_stopped", help_text="A payment is disputed or being refunded."
    )

    def get_year(self, quote: Any) -> str:
        return year_name(quote.assessment.year) if quote.assessment else ""

    def get_words(self, quote: Any) -> str:
        return summary_of(quote.amount, quote.tax)

    @extend_schema(responses=StepOutput(many=True))
    def get_sums(self, quote: Any) -> list[dict[str, Any]]:
        return list(StepOutput(lines_of(quote), many=True).data)


class DepositQuoteOutput(serializers.Serializer[Any]):
    amount = serializers.CharField(source="credited.amount")
    gst = serializers.CharField(source="tax.amount")
    gst_bps = serializers.IntegerField(source="bps")
    gst_treatment = serializers.CharField(source="treatment")
    to_pay = serializers.CharField(source="paid.amount")
    currency = serializers.CharField(source="paid.currency.code")


class WithdrawalQuoteView(APIView):
    """What the caller would get of a withdrawal now, and the arithmetic behind it."""

    @extend_schema(
        tags=["cashier"],
        parameters=[MoneyRequest],
        responses={200: WithdrawalQuoteOutput, **REFUSALS},
    )
    def get(self, request: Request) -> Response:
        asked = MoneyRequest(data=request.query_params)
        asked.is_valid(raise_exception=True)
        refuse_amount(asked.money())
        player, amount = cast(User, request.user), asked.money()
        quote = quote_withdrawal(player=player, amount=amount)
        free = withdrawable(player=player, currency=amount.currency.code)
        offered = Offered(quote.amount, quote.tax, quote.assessment, free)
        return Response(WithdrawalQuoteOutput(offered).data)


class DepositQuoteView(APIView):
    """What a deposit of this amount costs today, tax included."""

    @extend_schema(
        tags=["cashier"],
        parameters=[MoneyRequest],
        responses={200: DepositQuoteOutput, **REFUSALS},
    )
    def get(self, request: Request) -> Response:
        asked = MoneyRequest(data=request.query_params)
        asked.is_valid(raise_exception=True)
        refuse_amount(asked.money())
        return Response(DepositQuoteOutput(price_deposit(asked.money())).data)
