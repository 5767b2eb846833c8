"""API of a player's deposit limits."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from core.api.lists import list_response, list_serializer
from core.api.openapi import Refusal
from players.accounts.api import PlayerAPIView
from players.limits.models import OwnLimit
from players.sign_in.security.proof import is_proved
from wallet.deposits.limits import set_limit
from wallet.deposits.remaining_limits import PERIOD_CHOICES, ComingLimit, remaining_limits
from wallet.ledger.amounts import AmountField, MinorField
from wallet.ledger.cash_offered import refuse_currency
from wallet.ledger.money import as_money

REFUSALS: dict[int, Any] = dict.fromkeys((400, 403, 422), Refusal)


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
        responses={200: list_serializer(LimitOutput), **REFUSALS},
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
