"""Idempotency keys: a money request takes effect once per key; repeats get the same answer."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet

from core.clock import database_now
from core.exceptions import Refusal
from core.http.problems import problem
from players.accounts.models import User
from wallet.cashier.models import IdempotentRequest
from wallet.exceptions import (
    GatewayUnavailable,
    IdempotencyKeyMissing,
    IdempotencyKeyReused,
)

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
