"""API of a player's registered bank accounts."""

from __future__ import annotations

from typing import Any, ClassVar
from uuid import UUID

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from core.api.lists import list_response, list_serializer
from core.api.openapi import Refusal
from players.accounts.api import PlayerAPIView
from players.sign_in.security.proof import require_proof
from wallet.withdrawals.payees.actions import register_payee, remove_payee
from wallet.withdrawals.payees.banks import ACCOUNT_PATTERN, IFSC_PATTERN, PAYEE_PATTERN
from wallet.withdrawals.payees.models import RegisteredPayee
from wallet.withdrawals.payees.sealing import Payee


class TextField(serializers.RegexField):
    """A string matching a pattern; numbers are refused instead of converted."""

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            self.fail("invalid")
        return super().to_internal_value(data)


class PayeeRequest(serializers.Serializer[Any]):
    payee_name = TextField(PAYEE_PATTERN, max_length=80)
    bank_account = TextField(ACCOUNT_PATTERN)
    ifsc = TextField(IFSC_PATTERN)

    def payee(self) -> Payee:
        said = self.validated_data
        return Payee(said["payee_name"], said["bank_account"], said["ifsc"])


class PayeeOutput(serializers.ModelSerializer[RegisteredPayee]):
    """A bank account by its bank and last digits; the full number is never sent."""

    id = serializers.UUIDField(source="public_id")
    # Withdrawals to it are not approved before then; null for the player's first.
    usable_from = serializers.DateTimeField(allow_null=True)
    # The code of the bank into which its bank was merged: withdrawals to it are refused; or null.
    merged_into = serializers.CharField(allow_null=True)

    class Meta:
        model = RegisteredPayee
        fields: ClassVar[list[str]] = [
            "id",
            "bank",
            "account_end",
            "registered_at",
            "usable_from",
            "merged_into",
        ]


class PayeesView(PlayerAPIView):
    """The caller's registered bank accounts, latest first; or register another."""

    @extend_schema(
        operation_id="payees",
        tags=["cashier"],
        responses={200: list_serializer(PayeeOutput), 403: Refusal},
    )
    def get(self, request: Request) -> Response:
        mine = RegisteredPayee.objects.of_player(self.player).active()
        return list_response(request, PayeeOutput(mine, many=True).data)

    @extend_schema(
        operation_id="register_payee",
        tags=["cashier"],
        request=PayeeRequest,
        responses={201: PayeeOutput, **dict.fromkeys((400, 403, 409, 422), Refusal)},
    )
    def post(self, request: Request) -> Response:
        require_proof(request)
        asked = PayeeRequest(data=request.data)
        asked.is_valid(raise_exception=True)
        registered = register_payee(player=self.player, payee=asked.payee())
        return Response(PayeeOutput(registered).data, status=status.HTTP_201_CREATED)


class PayeeView(PlayerAPIView):
    """Deactivate a bank account; withdrawals already requested continue."""

    @extend_schema(
        operation_id="remove_payee",
        tags=["cashier"],
        responses={204: None, 403: Refusal, 404: Refusal},
    )
    def delete(self, request: Request, public_id: UUID) -> Response:
        require_proof(request)
        player = self.player
        mine = RegisteredPayee.objects.of_player(player).active()
        remove_payee(
            player=player, public_id=get_object_or_404(mine, public_id=public_id).public_id
        )
        return Response(status=status.HTTP_204_NO_CONTENT)
