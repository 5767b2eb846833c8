"""Bonuses by hand: one member of staff asks, another gives (RB 11.1)."""

from __future__ import annotations

from datetime import timedelta

from django.db import transaction
from django.utils import timezone
from moneyed import Money

from players import deeds
from players.models import User
from wallet.exceptions import AlreadyDecided, BonusTermRefused, CheckerIsMaker, OwnMoney
from wallet.models import TERM_DAYS_MAX, BonusMode, BonusRequest
from wallet.money import minor_units
from wallet.services import bonuses


@transaction.atomic(durable=True)
def request_bonus(
    *,
    player: User,
    amount: Money,
    mode: BonusMode,
    term_days: int,
    reason: str,
    by: User,
    release_bps: int | None = None,
) -> BonusRequest:
    """Ask for a bonus that ends so many days after it is given; nothing moves yet."""
    _refuse_own_money(by, player)
    share_bps = bonuses.refuse_terms(
        player=player, amount=amount, mode=mode, release_bps=release_bps, reason=reason
    )
    if not 1 <= term_days <= TERM_DAYS_MAX:
        raise BonusTermRefused(f"a bonus lasts 1 to {TERM_DAYS_MAX} days")
    asked = BonusRequest.objects.create(
        player=player,
        currency=amount.currency.code,
        amount_minor=minor_units(amount),
        mode=mode,
        release_bps=share_bps,
        term_days=term_days,
        reason=reason.strip(),
        made_by=by,
    )
    deeds.record(by=by, act="ask", row=asked, about=player, reason=reason)
    return asked


@transaction.atomic(durable=True)
def approve_bonus(*, request: BonusRequest, by: User) -> BonusRequest:
    """Give a bonus somebody else asked for; the same person's second call changes nothing."""
    locked = _lock_undecided(request, BonusRequest.Status.APPROVED, by)
    if locked.status == BonusRequest.Status.APPROVED:
        return locked
    locked.grant = bonuses.grant_bonus(
        player=locked.player,
        amount=locked.amount,
        mode=BonusMode(locked.mode),
        release_bps=locked.release_bps,
        expires_at=timezone.now() + timedelta(days=locked.term_days),
        key=f"request:{locked.pk}",
        reason=locked.reason,
        by=by,
    )
    return _decide(locked, BonusRequest.Status.APPROVED, by)


@transaction.atomic(durable=True)
def reject_bonus(*, request: BonusRequest, by: User) -> BonusRequest:
    """Turn down a bonus somebody else asked for; no money moves."""
    locked = _lock_undecided(request, BonusRequest.Status.REJECTED, by)
    if locked.status == BonusRequest.Status.REJECTED:
        return locked
    return _decide(locked, BonusRequest.Status.REJECTED, by)


def _lock_undecided(request: BonusRequest, wanted: BonusRequest.Status, by: User) -> BonusRequest:
    locked = BonusRequest.objects.locked().select_related("player").get(pk=request.pk)
    if locked.status == wanted and locked.checked_by_id == by.pk:
        return locked
    if locked.status != BonusRequest.Status.REQUESTED:
        raise AlreadyDecided(f"bonus request {locked.pk} is {locked.status}")
    if locked.made_by_id == by.pk:
        raise CheckerIsMaker("who asks for a bonus does not decide it")
    _refuse_own_money(by, locked.player)
    return locked


def _decide(locked: BonusRequest, status: BonusRequest.Status, by: User) -> BonusRequest:
    before = deeds.facts(locked) | {"grant": ""}
    locked.status, locked.checked_by, locked.checked_at = status, by, timezone.now()
    locked.save(update_fields=["status", "checked_by", "checked_at", "grant"])
    act = "approve" if status == BonusRequest.Status.APPROVED else "reject"
    deeds.record(by=by, act=act, row=locked, before=before, about=locked.player)
    return locked


def _refuse_own_money(by: User, player: User) -> None:
    if by.pk == player.pk:
        raise OwnMoney("nobody asks for a bonus of their own, or decides it")
