"""What a deposit would cost and a withdrawal bring, before anything is asked for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core.api.openapi import Refusal
from players.accounts.models import User
from wallet.cashier.api import MoneyRequest
from wallet.ledger.amounts import AmountField
from wallet.ledger.cash_offered import refuse_amount
from wallet.tax.arithmetic import year_name
from wallet.tax.assessment import Quote, quote_withdrawal
from wallet.tax.gst import price_deposit
from wallet.tax.receipts import lines_of, summary_of
from wallet.withdrawals.withdrawable import Withdrawable, withdrawable

REFUSALS: dict[int, Any] = dict.fromkeys((400, 403, 422), Refusal)


class StepOutput(serializers.Serializer[Any]):
    words = serializers.CharField()
    amount = AmountField(source="money")
    is_result = serializers.BooleanField()


@dataclass(frozen=True)
class Offered(Quote):
    """A quote, and what could be asked for."""

    free: Withdrawable


class WithdrawalQuoteOutput(serializers.Serializer[Any]):
    amount = AmountField()
    # To be sent with the request as `tax_minor`: what the player agrees to.
    tax = AmountField()
    payout = AmountField()
    year = serializers.SerializerMethodField(help_text="Null where nothing is taxed.")
    words = serializers.SerializerMethodField()
    sums = serializers.SerializerMethodField()
    # What could be asked for now: new deposits are held, and what is owed stays.
    withdrawable = AmountField(source="free.now")
    held = AmountField(source="free.held")
    held_until = serializers.DateTimeField(source="free.held_until", allow_null=True)
    owed = AmountField(source="free.owed")
    is_stopped = serializers.BooleanField(
        source="free.is_stopped", help_text="A payment is disputed or being refunded."
    )

    def get_year(self, quote: Any) -> str | None:
        return year_name(quote.assessment.year) if quote.assessment else None

    def get_words(self, quote: Any) -> str:
        return summary_of(quote.amount, quote.tax)

    @extend_schema(responses=StepOutput(many=True))
    def get_sums(self, quote: Any) -> list[dict[str, Any]]:
        return list(StepOutput(lines_of(quote), many=True).data)


class DepositQuoteOutput(serializers.Serializer[Any]):
    amount = AmountField(source="credited")
    gst = AmountField(source="tax")
    gst_bps = serializers.IntegerField(source="bps")
    gst_treatment = serializers.CharField(source="treatment")
    to_pay = AmountField(source="paid")


class WithdrawalQuoteView(APIView):
    """What the caller would get of a withdrawal now, and the arithmetic behind it."""

    @extend_schema(
        operation_id="withdrawal_quote",
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
        operation_id="deposit_quote",
        tags=["cashier"],
        parameters=[MoneyRequest],
        responses={200: DepositQuoteOutput, **REFUSALS},
    )
    def get(self, request: Request) -> Response:
        asked = MoneyRequest(data=request.query_params)
        asked.is_valid(raise_exception=True)
        refuse_amount(asked.money())
        return Response(DepositQuoteOutput(price_deposit(asked.money())).data)
