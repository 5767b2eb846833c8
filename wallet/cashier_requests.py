"""The two money requests of a player's, each done once per key, and how they are answered."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from moneyed import Money
from rest_framework import serializers

from players.models import User
from wallet.models import Deposit, Withdrawal
from wallet.services.deposits import start_deposit
from wallet.services.idempotency import Answer, answer_once
from wallet.services.payouts import Payee, request_withdrawal


class DepositAnswer(serializers.ModelSerializer[Deposit]):
    id = serializers.UUIDField(source="public_id")
    amount = serializers.CharField(source="amount.amount")

    class Meta:
        model = Deposit
        fields: ClassVar[list[str]] = [
            *("id", "status", "amount", "currency", "pay_url", "created_at")
        ]


class WithdrawalAnswer(serializers.ModelSerializer[Withdrawal]):
    id = serializers.UUIDField(source="public_id")
    amount = serializers.CharField(source="amount.amount")
    # When the present state ends at the latest; null once all is over.
    due_at = serializers.DateTimeField(allow_null=True)

    class Meta:
        model = Withdrawal
        fields: ClassVar[list[str]] = [
            *("id", "status", "amount", "currency", "deposit_minor", "winnings_minor"),
            *("account_end", "requested_at", "due_at", "closed_at", "remark"),
        ]


def deposit_once(*, player: User, route: str, key: str, asked: bytes, amount: Money) -> Answer:
    def act() -> Mapping[str, Any]:
        return DepositAnswer(start_deposit(player=player, amount=amount)).data

    return answer_once(player=player, route=route, key=key, asked=asked, act=act)


def withdrawal_once(
    *, player: User, route: str, key: str, asked: bytes, amount: Money, payee: Payee
) -> Answer:
    def act() -> Mapping[str, Any]:
        withdrawal = request_withdrawal(
            player=player, amount=amount, payee=payee, requested_by=player
        )
        return WithdrawalAnswer(withdrawal).data

    return answer_once(player=player, route=route, key=key, asked=asked, act=act)
