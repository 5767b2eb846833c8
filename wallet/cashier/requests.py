"""The two money requests of players, each done once per key, and their answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar
from uuid import UUID

from moneyed import Money
from rest_framework import serializers

from core.exceptions import Refusal
from players.accounts.models import User
from wallet.cashier.idempotency import Answer, answer_once, is_decided
from wallet.deposits.deposits import OpenedOrder, note_order, open_order
from wallet.deposits.models import Deposit
from wallet.ledger.amounts import AmountField
from wallet.withdrawals.models import Withdrawal
from wallet.withdrawals.payees.actions import payee_of
from wallet.withdrawals.withdrawals import request_withdrawal


class DepositAnswer(serializers.ModelSerializer[Deposit]):
    id = serializers.UUIDField(source="public_id")
    # The amount credited, the tax, and their sum, which the gateway charges.
    amount = AmountField()
    gst = AmountField()
    to_pay = AmountField()

    class Meta:
        model = Deposit
        fields: ClassVar[list[str]] = [
            "id",
            "status",
            "amount",
            "gst",
            "gst_bps",
            "gst_treatment",
            "to_pay",
            "pay_url",
            "created_at",
        ]


class WithdrawalAnswer(serializers.ModelSerializer[Withdrawal]):
    id = serializers.UUIDField(source="public_id")
    # The amount debited, the tax withheld from it, and the amount the bank pays.
    amount = AmountField()
    tax = AmountField()
    payout = AmountField()
    # The parts of the amount from each bucket.
    deposit = AmountField()
    winnings = AmountField()
    # The registered bank account.
    payee = serializers.UUIDField(source="payee.public_id")
    account_end = serializers.CharField()
    # The deadline of the current state; null in a final state.
    due_at = serializers.DateTimeField(allow_null=True)

    class Meta:
        model = Withdrawal
        fields: ClassVar[list[str]] = [
            "id",
            "status",
            "amount",
            "tax",
            "payout",
            "deposit",
            "winnings",
            "payee",
            "account_end",
            "account_new_until",
            "requested_at",
            "due_at",
            "closed_at",
            "remark",
            "bank_reference",
        ]


def deposit_once(*, player: User, route: str, key: str, asked: bytes, amount: Money) -> Answer:
    """Open an order once per key.

    The gateway is called before the transaction that saves order and answer, so no lock is held
    meanwhile. Of two concurrent requests with a key, the second order is discarded.
    """
    opened: OpenedOrder | None = None
    refusal: Refusal | None = None
    if not is_decided(player=player, route=route, key=key):
        try:
            opened = open_order(player=player, amount=amount)
        except Refusal as refused:
            refusal = refused

    def act() -> Mapping[str, Any]:
        if refusal is not None:
            raise refusal
        assert opened is not None, "only an undecided request gets here"
        return DepositAnswer(note_order(player=player, opened=opened)).data

    return answer_once(player=player, route=route, key=key, asked=asked, act=act)


def withdrawal_once(
    *,
    player: User,
    route: str,
    key: str,
    asked: bytes,
    amount: Money,
    payee: UUID,
    agreed_tax: Money,
) -> Answer:
    def act() -> Mapping[str, Any]:
        withdrawal = request_withdrawal(
            player=player,
            amount=amount,
            payee=payee_of(player=player, public_id=payee),
            requested_by=player,
            agreed_tax=agreed_tax,
        )
        return WithdrawalAnswer(withdrawal).data

    return answer_once(player=player, route=route, key=key, asked=asked, act=act)
