"""Manual bonuses: one member of staff requests, another approves (RB 11.1)."""

from __future__ import annotations

from datetime import timedelta

from django.db import transaction
from moneyed import Money

from core import audit_log, maker_checker
from core.clock import database_now
from players.accounts.conflicts_of_interest import refuse_own_interest
from players.accounts.models import User
from wallet.bonuses import bonuses
from wallet.bonuses.models import TERM_DAYS_MAX, BonusMode, BonusRequest
from wallet.exceptions import BonusTermRefused
from wallet.ledger.money import minor_units


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
    """Request a bonus that ends `term_days` after its approval; nothing is posted yet."""
    refuse_own_interest(player, by=by)
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
    audit_log.record(by=by, act="ask", row=asked, about=player, reason=reason)
    return asked


@transaction.atomic(durable=True)
def approve_bonus(*, request: BonusRequest, by: User) -> BonusRequest:
    """Grant a bonus another person requested; repeating it changes nothing."""
    locked = _undecided(request, BonusRequest.Status.APPROVED, by)
    if locked.status == BonusRequest.Status.APPROVED:
        return locked
    locked.grant = bonuses.grant_bonus(
        player=locked.player,
        amount=locked.amount,
        mode=BonusMode(locked.mode),
        release_bps=locked.release_bps,
        expires_at=database_now() + timedelta(days=locked.term_days),
        key=f"request:{locked.pk}",
        reason=locked.reason,
        by=by,
    )
    return maker_checker.decide(
        locked, BonusRequest.Status.APPROVED, by=by, outcome="grant", about=locked.player
    )


@transaction.atomic(durable=True)
def reject_bonus(*, request: BonusRequest, by: User) -> BonusRequest:
    """Reject a bonus another person requested; nothing is posted."""
    locked = _undecided(request, BonusRequest.Status.REJECTED, by)
    if locked.status == BonusRequest.Status.REJECTED:
        return locked
    return maker_checker.decide(
        locked, BonusRequest.Status.REJECTED, by=by, outcome="grant", about=locked.player
    )


def _undecided(request: BonusRequest, wanted: BonusRequest.Status, by: User) -> BonusRequest:
    rows = BonusRequest.objects.select_related("player")
    asked = rows.get(pk=request.pk)
    refuse_own_interest(asked.player, by=by)
    decided: BonusRequest = maker_checker.undecided(
        rows.locked(), pk=asked.pk, wanted=wanted, by=by
    )
    return decided
