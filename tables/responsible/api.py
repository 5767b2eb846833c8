"""The API of a player's own limits, figures and reality check."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from django.conf import settings
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from core.api.lists import list_response, list_schema
from core.api.openapi import Refusal, as_json, schema_of
from players.accounts.api import PlayerAPIView
from players.accounts.models import REALITY_CHECK_MINUTES
from players.limits.models import OF_NUMBERS, OwnLimit
from players.limits.own_limits import PERIODS_OF, Scope, set_own_limit
from players.sign_in.security.proof import is_proved
from tables.responsible.figures import RealityCheck, WeekFigures, reality_check, weekly_figures
from tables.responsible.limit_rows import OwnLimitRow, limit_rows
from tables.responsible.verdicts import choose_reality_check
from wallet.ledger.amounts import MinorField
from wallet.ledger.cash_offered import refuse_currency
from wallet.ledger.money import PLAY_POINTS

# The values in rows for limits without a period or a currency.
LEFT_OUT: Final = (("period", ""), ("currency", ""))


class OwnLimitRequest(serializers.Serializer[Any]):
    """Money limits use `amount_minor` and `currency`, limits on tables and minutes `number`."""

    kind = serializers.ChoiceField(choices=[(kind.value, kind.label) for kind in PERIODS_OF])
    period = serializers.ChoiceField(
        choices=OwnLimit.Period.choices,
        required=False,
        help_text="Omit it, or leave it empty, for kinds without a period.",
    )
    currency = serializers.RegexField(
        r"^[A-Z]{3}$", required=False, help_text="Omit it, or leave it empty, for numbers."
    )
    # Null removes the limit.
    amount_minor = MinorField(least=1, allow_null=True, required=False)
    number = serializers.IntegerField(
        min_value=1, max_value=24 * 60, allow_null=True, required=False
    )

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        if isinstance(data, Mapping):
            data = {name: value for name, value in data.items() if (name, value) not in LEFT_OUT}
        read: dict[str, Any] = super().to_internal_value(data)
        return dict(LEFT_OUT) | read

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        figure, other = "amount_minor", "number"
        if attrs["kind"] in OF_NUMBERS:
            figure, other = other, figure
        if figure not in attrs or other in attrs:
            raise serializers.ValidationError({figure: "Send only this field for this limit."})
        return attrs | {"most": attrs[figure]}


class OwnLimitsView(PlayerAPIView):
    """List the caller's own limits, or set one: lower ones apply at once, higher ones in a day."""

    @extend_schema(
        operation_id="account_limits",
        tags=["account"],
        responses={200: list_schema(OwnLimitRow), 403: Refusal},
    )
    def get(self, request: Request) -> Response:
        return self._rows(request, settings.CASH_CURRENCIES[0])

    @extend_schema(
        operation_id="set_account_limit",
        tags=["account"],
        request=OwnLimitRequest,
        responses={200: list_schema(OwnLimitRow), **dict.fromkeys((400, 403, 422), Refusal)},
    )
    def post(self, request: Request) -> Response:
        asked = OwnLimitRequest(data=request.data)
        asked.is_valid(raise_exception=True)
        said = asked.validated_data
        if said["kind"] not in OF_NUMBERS:
            refuse_currency(said["currency"])
        set_own_limit(
            player=self.player,
            scope=Scope(OwnLimit.Kind(said["kind"]), said["currency"], said["period"]),
            most=said["most"],
            is_proved=is_proved(request),
        )
        return self._rows(request, said["currency"] or settings.CASH_CURRENCIES[0])

    def _rows(self, request: Request, currency: str) -> Response:
        rows = limit_rows(self.player, currency)
        return list_response(request, [as_json(row) for row in rows])


class FiguresView(PlayerAPIView):
    """Return the caller's time, stakes and net result by week, the current week last."""

    @extend_schema(
        operation_id="account_figures",
        tags=["account"],
        parameters=[OpenApiParameter("currency", {"type": "string", "pattern": "^[A-Z]{3}$"})],
        responses={200: list_schema(WeekFigures), **dict.fromkeys((400, 403, 422), Refusal)},
    )
    def get(self, request: Request) -> Response:
        currency = request.query_params.get("currency", settings.CASH_CURRENCIES[0])
        if currency != PLAY_POINTS:
            refuse_currency(currency)
        weeks = weekly_figures(self.player, currency)
        return list_response(request, [as_json(week) for week in weeks])


class RealityCheckIntervalRequest(serializers.Serializer[Any]):
    interval_minutes = serializers.ChoiceField(choices=REALITY_CHECK_MINUTES)


class RealityCheckView(PlayerAPIView):
    """Return the result of play since sign-in, or set the reminder interval at tables."""

    @extend_schema(
        operation_id="reality_check",
        tags=["account"],
        responses={200: schema_of(RealityCheck), 403: Refusal},
    )
    def get(self, request: Request) -> Response:
        return self._check(request)

    @extend_schema(
        operation_id="set_reality_check",
        tags=["account"],
        request=RealityCheckIntervalRequest,
        responses={200: schema_of(RealityCheck), 400: Refusal, 403: Refusal},
    )
    def post(self, request: Request) -> Response:
        asked = RealityCheckIntervalRequest(data=request.data)
        asked.is_valid(raise_exception=True)
        player = self.player
        choose_reality_check(player=player, minutes=asked.validated_data["interval_minutes"])
        return self._check(request)

    def _check(self, request: Request) -> Response:
        player = self.player
        return Response(as_json(reality_check(player, request.session.session_key)))
