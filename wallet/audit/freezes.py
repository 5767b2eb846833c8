"""Freezes: of all withdrawals when an audit finds a difference, and of single accounts.

The ledger enforces them; each action on them is kept.
"""

from __future__ import annotations

from typing import Any

from django.db import transaction

from core import audit_log
from core.clock import database_now
from core.exceptions import CheckerIsMaker
from players.accounts.conflicts_of_interest import refuse_own_interest
from players.accounts.models import User
from wallet.audit import starts
from wallet.audit.audit import Report, audit
from wallet.audit.models import AccountFreeze, AuditRun, WithdrawalFreeze
from wallet.exceptions import AccountClosed, NotCleared, NothingToDo, RemarkMissing
from wallet.ledger import posting
from wallet.ledger.models import Account


def check_books(*, published_head: str = "") -> Report:
    """Audit the ledger, record the run, and freeze withdrawals on a difference.

    The audit takes several transactions, since replaying all games may exceed the limit of one.
    """
    position = starts.position()
    report = audit(published_head=published_head)
    began = position.start
    with transaction.atomic():
        run = _record(
            report,
            seal_number=began.seal_number,
            seal_hash=began.seal_hash,
            to_xid=began.to_xid,
            next_transfer=began.next_transfer,
        )
        if report.is_clean:
            starts.keep(position, run=run)
    return report


def check_new_rows(*, published_head: str = "") -> Report:
    """Audit the rows since the last clean full audit; without one, audit everything.

    Like `check_books` it records the run, and a difference freezes withdrawals.
    """
    start = starts.last_clean_start()
    if start.is_beginning:
        return check_books(published_head=published_head)
    report = audit(start=start, published_head=published_head)
    _record(report, builds_on_id=start.run)
    return report


@transaction.atomic
def _record(report: Report, **began: Any) -> AuditRun:
    """Record an audit run; freeze withdrawals if it found a difference."""
    run = AuditRun.objects.create(
        kind=report.kind,
        differences=len(report.findings),
        transfers=report.transfers,
        entries=report.entries,
        seconds=report.seconds,
        **began,
    )
    if not report.is_clean:
        freeze_withdrawals(report=report)
    return run


@transaction.atomic
def freeze_withdrawals(*, report: Report) -> WithdrawalFreeze:
    """Freeze all withdrawals until staff have checked the ledger; idempotent."""
    assert not report.is_clean, "a clean audit freezes nothing"
    WithdrawalFreeze.objects.bulk_create(
        [
            WithdrawalFreeze(
                reason=f"The audit found {len(report.findings)} differences",
                findings="\n".join(map(str, report.findings)),
            )
        ],
        ignore_conflicts=True,  # One exists already, with the first finding.
    )
    return WithdrawalFreeze.objects.active().get()


@transaction.atomic(durable=True)
def clear_freeze(*, freeze: WithdrawalFreeze, by: User) -> WithdrawalFreeze:
    """Confirm that the ledger is right; another person must then lift the freeze."""
    refuse_own_interest(freeze, by=by)
    standing = WithdrawalFreeze.objects.locked().get(pk=freeze.pk)
    if standing.lifted_at is None and not standing.cleared_by:
        before = audit_log.facts(standing)
        standing.cleared_by = by.actor
        standing.save(update_fields=["cleared_by"])
        audit_log.record(by=by, act="clear", row=standing, before=before)
    return standing


@transaction.atomic(durable=True)
def lift_freeze(*, freeze: WithdrawalFreeze, by: User) -> WithdrawalFreeze:
    """Lift a freeze that another person has cleared."""
    refuse_own_interest(freeze, by=by)
    standing = WithdrawalFreeze.objects.locked().get(pk=freeze.pk)
    if standing.lifted_at is not None:
        return standing
    if not standing.cleared_by:
        raise NotCleared("one person must clear the freeze before another lifts it")
    if standing.cleared_by == by.actor:
        raise CheckerIsMaker("you cleared this freeze; another person must lift it")
    before = audit_log.facts(standing)
    standing.lifted_at, standing.lifted_by = database_now(), by.actor
    standing.save(update_fields=["lifted_at", "lifted_by"])
    audit_log.record(by=by, act="lift", row=standing, before=before)
    return standing


@transaction.atomic(durable=True)
def freeze_account(*, account: Account, reason: str, by: User) -> AccountFreeze:
    """Refuse further debits of an account; credits still arrive."""
    locked = _lock(account, reason, by)
    if locked.status == Account.Status.FROZEN:
        raise NothingToDo(f"{locked} is frozen already")
    posting.freeze(locked)
    return _note_act(locked, AccountFreeze.Act.FREEZE, reason, by)


@transaction.atomic(durable=True)
def thaw_account(*, account: Account, reason: str, by: User) -> AccountFreeze:
    """Allow debits of a frozen account again."""
    locked = _lock(account, reason, by)
    if locked.status == Account.Status.OPEN:
        raise NothingToDo(f"{locked} is not frozen")
    posting.thaw(locked)
    return _note_act(locked, AccountFreeze.Act.THAW, reason, by)


def _lock(account: Account, reason: str, by: User) -> Account:
    refuse_own_interest(account.player, account, by=by)
    locked = posting.lock([account])[account.pk]
    if locked.status == Account.Status.CLOSED:
        raise AccountClosed(f"{locked} is closed")
    if not reason.strip():
        raise RemarkMissing("a reason is required")
    return locked


def _note_act(account: Account, act: AccountFreeze.Act, reason: str, by: User) -> AccountFreeze:
    act_noted = AccountFreeze.objects.create(account=account, act=act, reason=reason.strip(), by=by)
    now = Account.objects.select_related("player").get(pk=account.pk)
    before = audit_log.facts(account)
    audit_log.record(by=by, act=act.value, row=now, before=before, about=now.player, reason=reason)
    return act_noted
