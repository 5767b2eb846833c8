"""Freezing and thawing of single accounts; each action is kept."""

from __future__ import annotations

from django.db import transaction

from core import audit_log
from players.accounts.conflicts_of_interest import refuse_own_interest
from players.accounts.models import User
from wallet.exceptions import AccountClosed, NothingToDo, RemarkMissing
from wallet.ledger import posting
from wallet.ledger.models import Account
from wallet.ledger.safeguard_models import AccountFreeze


@transaction.atomic(durable=True)
def freeze_account(*, account: Account, reason: str, by: User) -> AccountFreeze:
    """Refuse further debits of an account; credits still arrive."""
    locked = _lock(account, reason, by)
    if locked.status == Account.Status.FROZEN:
        raise NothingToDo(f"{locked} is frozen already")
    posting.freeze(locked)
    return _note(locked, AccountFreeze.Act.FREEZE, reason, by)


@transaction.atomic(durable=True)
def thaw_account(*, account: Account, reason: str, by: User) -> AccountFreeze:
    """Allow debits of a frozen account again."""
    locked = _lock(account, reason, by)
    if locked.status == Account.Status.OPEN:
        raise NothingToDo(f"{locked} is not frozen")
    posting.thaw(locked)
    return _note(locked, AccountFreeze.Act.THAW, reason, by)


def _lock(account: Account, reason: str, by: User) -> Account:
    refuse_own_interest(account.player, account, by=by)
    locked = posting.lock([account])[account.pk]
    if locked.status == Account.Status.CLOSED:
        raise AccountClosed(f"{locked} is closed")
    if not reason.strip():
        raise RemarkMissing("a reason is required")
    return locked


def _note(account: Account, act: AccountFreeze.Act, reason: str, by: User) -> AccountFreeze:
    act_noted = AccountFreeze.objects.create(account=account, act=act, reason=reason.strip(), by=by)
    now = Account.objects.select_related("player").get(pk=account.pk)
    before = audit_log.facts(account)
    audit_log.record(by=by, act=act.value, row=now, before=before, about=now.player, reason=reason)
    return act_noted
