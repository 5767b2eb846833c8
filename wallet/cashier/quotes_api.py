"""API of quotes: the price of a deposit, and the payout of a withdrawal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core.api.openapi import Refusal
from players.accounts.api import PlayerAPIView
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
    text = serializers.CharField()
    amount = AmountField(source="money")
    is_result = serializers.BooleanField()


@dataclass(frozen=True)
class Offered(Quote):
    """A quote, and the amounts that can be requested."""

    free: Withdrawable


class WithdrawalQuoteOutput(serializers.Serializer[Any]):
    amount = AmountField()
    # Send it as `tax_minor` with the request: the player agrees to it.
    tax = AmountField()
    payout = AmountField()
    year = serializers.SerializerMethodField(help_text="Null if no tax applies.")
    text = serializers.SerializerMethodField()
    sums = serializers.SerializerMethodField()
    # What can be requested now: without held deposits and debts.
    withdrawable = AmountField(source="free.now")
    held = AmountField(source="free.held")
    held_until = serializers.DateTimeField(source="free.held_until", allow_null=True)
    owed = AmountField(source="free.owed")
    is_stopped = serializers.BooleanField(
        source="free.is_stopped", help_text="A payment is disputed or being refunded."
    )

    def get_year(self, quote: Any) -> str | None:
        return year_name(quote.assessment.year) if quote.assessment else None

    def get_text(self, quote: Any) -> str:
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


class WithdrawalQuoteView(PlayerAPIView):
    """The payout of a withdrawal requested now, with its calculation."""

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
        player, amount = self.player, asked.money()
        quote = quote_withdrawal(player=player, amount=amount)
        free = withdrawable(player=player, currency=amount.currency.code)
        offered = Offered(quote.amount, quote.tax, quote.assessment, free)
        return Response(WithdrawalQuoteOutput(offered).data)


class DepositQuoteView(APIView):
    """The price of a deposit today, tax included."""

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
