"""The two money requests of players: each takes effect once per idempotency key."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, ClassVar
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from moneyed import Money
from rest_framework import serializers

from core.clock import database_now
from core.exceptions import Refusal
from core.http.problems import problem
from players.accounts.models import User
from wallet.cashier.models import IdempotentRequest
from wallet.deposits.deposits import OpenedOrder, note_order, open_order
from wallet.deposits.models import Deposit
from wallet.exceptions import (
    GatewayUnavailable,
    IdempotencyKeyMissing,
    IdempotencyKeyReused,
)
from wallet.ledger.amounts import AmountField
from wallet.withdrawals.models import Withdrawal
from wallet.withdrawals.payees.actions import payee_of
from wallet.withdrawals.withdrawals import request_withdrawal

KEY_LENGTH_MAX = 200
FORGOTTEN_AT_ONCE = 1_000
CREATED = 201


@dataclass(frozen=True)
class Answer:
    status: int
    content: Mapping[str, Any]
    is_replay: bool = False

    @property
    def is_refusal(self) -> bool:
        return self.status != CREATED


@transaction.atomic(durable=True)
def answer_once(
    *, player: User, route: str, key: str, asked: bytes, act: Callable[[], Mapping[str, Any]]
) -> Answer:
    """Call `act` unless this key was answered before; then return the stored answer.

    Effect and answer are committed together. A refusal rolls back only the effect and is stored as
    the
    answer. An error of the site or a gateway stores nothing, so the request can be repeated. A
    concurrent request with the key waits here for the first.
    """
    if not 0 < len(key) <= KEY_LENGTH_MAX or not key.isprintable():
        raise IdempotencyKeyMissing("Send an Idempotency-Key header of 1 to 200 characters.")
    digest = hashlib.sha256(asked).hexdigest()
    request, is_new = IdempotentRequest.objects.get_or_create(
        player=player, route=route, key=key, defaults={"body_sha256": digest}
    )
    if request.body_sha256 != digest:
        raise IdempotencyKeyReused("This Idempotency-Key was used for another request.")
    if not is_new:
        assert request.status is not None, "request and answer are committed together"
        return Answer(request.status, json.loads(request.answer), is_replay=True)

    answer = _answer(act)
    request.status, request.answer = answer.status, json.dumps(answer.content)
    request.save(update_fields=["status", "answer"])
    return answer


def is_decided(*, player: User, route: str, key: str) -> bool:
    """Return whether a request with this key is answered, so that preparation can be skipped."""
    decided = IdempotentRequest.objects.filter(player=player, route=route, key=key)
    return decided.exclude(status=None).exists()


def forget_old_requests() -> int:
    """Delete requests older than the retention of keys; return how many.

    Deletes in batches, each with a commit. The database refuses to delete a request that is
    unanswered or less than a day old.
    """
    moment = database_now() - timedelta(days=settings.IDEMPOTENCY_KEPT_DAYS)
    forgotten = 0
    while gone := _forget_some(IdempotentRequest.objects.answered_before(moment)):
        forgotten += gone
    return forgotten


@transaction.atomic(durable=True)
def _forget_some(old: QuerySet[IdempotentRequest]) -> int:
    # Concurrent workers skip each other's rows instead of waiting.
    locked = old.select_for_update(skip_locked=True).order_by("created_at")
    pks = list(locked.values_list("pk", flat=True)[:FORGOTTEN_AT_ONCE])
    return IdempotentRequest.objects.filter(pk__in=pks).delete()[0]


def _answer(act: Callable[[], Mapping[str, Any]]) -> Answer:
    try:
        with transaction.atomic():
            return Answer(CREATED, act())
    except GatewayUnavailable:
        raise
    except Refusal as refusal:
        content = problem(
            status=refusal.status,
            code=refusal.code,
            message=str(refusal),
            **getattr(refusal, "details", {}),
        )
        return Answer(refusal.status, content)


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
