"""The two money requests of a player's, each done once per key, and how they are answered."""

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
    # What reaches the wallet, the tax, and what the gateway asks for: both together.
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
    # What leaves the wallet, the tax withheld from it, and what the bank pays.
    amount = AmountField()
    tax = AmountField()
    payout = AmountField()
    # What of the amount comes out of either bucket.
    deposit = AmountField()
    winnings = AmountField()
    # The registered bank account it goes to.
    payee = serializers.UUIDField(source="payee.public_id")
    account_end = serializers.CharField()
    # When the present state ends at the latest; null once all is over.
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

    The gateway is asked before the transaction that keeps order and answer: while it thinks, or
    hangs, no lock is held. Of two requests with one key at once the second's order is nobody's.
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
        assert opened is not None, "a request that was decided is answered without this"
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
