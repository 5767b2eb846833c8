"""Holding periods of new deposits: one member of staff requests, another decides."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from core import audit_log, maker_checker
from players.accounts.conflicts_of_interest import refuse_own_interest
from players.accounts.models import User
from wallet.deposits.payment_models import DepositTerm
from wallet.exceptions import RemarkMissing


@transaction.atomic(durable=True)
def request_term(*, hours: int, begins_at: datetime, reason: str, by: User) -> DepositTerm:
    """Request a term from `begins_at`, or from its approval if that is later."""
    if not reason.strip():
        raise RemarkMissing("enter a reason for the second person")
    term = DepositTerm(hours=hours, begins_at=begins_at, reason=reason.strip(), made_by=by)
    refuse_own_interest(term, by=by)
    term.save()
    audit_log.record(by=by, act="ask", row=term, reason=reason)
    return term


@transaction.atomic(durable=True)
def approve_term(*, term_id: int, by: User) -> DepositTerm:
    """Approve a term another person requested; it applies to deposits made from then on."""
    return _decide(term_id, DepositTerm.Status.APPROVED, by)


@transaction.atomic(durable=True)
def reject_term(*, term_id: int, by: User) -> DepositTerm:
    """Reject a term another person requested."""
    return _decide(term_id, DepositTerm.Status.REJECTED, by)


def _decide(term_id: int, wanted: DepositTerm.Status, by: User) -> DepositTerm:
    rows = DepositTerm.objects.locked()
    term: DepositTerm = maker_checker.undecided(rows, pk=term_id, wanted=wanted, by=by)
    if term.status == wanted:
        return term
    refuse_own_interest(term, by=by)
    return maker_checker.decide(term, wanted, by=by)
