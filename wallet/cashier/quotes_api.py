"""API of quotes: the price of a deposit, and the payout of a withdrawal."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from moneyed import Money
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
from wallet.tax.assessment import quote_withdrawal
from wallet.tax.gst import price_deposit
from wallet.tax.receipts import lines_of, summary_of
from wallet.withdrawals.withdrawable import withdrawable

REFUSALS: dict[int, Any] = dict.fromkeys((400, 403, 422), Refusal)


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
        responses={200: WithdrawalQuoteOutput, **REFUSALS},
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
        responses={200: DepositQuoteOutput, **REFUSALS},
    )
    def get(self, request: Request) -> Response:
        return Response(DepositQuoteOutput(price_deposit(_asked(request))).data)


def _asked(request: Request) -> Money:
    asked = MoneyRequest(data=request.query_params)
    asked.is_valid(raise_exception=True)
    refuse_amount(asked.money())
    return asked.money()
