"""Money in suspense that belongs to an order: staff credit it or send it back.

The gateway has signed the payment and the order names the player, so one member of staff may place
it, but not their own. Money of an unknown order needs an adjustment, which takes two people.
"""

from __future__ import annotations

from django.db import transaction

from core import audit_log
from core.clock import database_now
from core.exceptions import AlreadyDecided
from core.text_validation import refuse_lines
from players.accounts.conflicts_of_interest import refuse_own_interest
from players.accounts.models import User
from wallet.deposits.models import Deposit, StaffTask
from wallet.exceptions import (
    AccountInactive,
    AmountNotPositive,
    CurrencyMismatch,
    OrderUnknown,
    RemarkMissing,
)
from wallet.ledger import accounts, posting
from wallet.ledger.models import Account, Entry, Transfer
from wallet.tax import gst
from wallet.tax.arithmetic import DepositSum, taken_out_of
from wallet.tax.models import TaxRate


@transaction.atomic(durable=True)
def place_payment(*, task_id: int, by: User) -> StaffTask:
    """Credit a payment to the player who made it, less the order's tax (RB 11.5)."""
    task, deposit = _lock(task_id, by)
    key = f"task:{task.pk}:placed"
    if task.done_at is not None:
        return _refuse_other(task, key)
    if not User.objects.locked().get(pk=deposit.player_id).is_active:
        raise AccountInactive("The player's account is closed or blocked: send it back.")
    held = _held(task)
    if held.currency != deposit.currency:
        raise CurrencyMismatch("It was paid in another currency than ordered: send it back.")
    paid = held.amount_minor
    sums = taken_out_of(paid, deposit.gst_bps) if deposit.gst_bps else DepositSum(paid, paid, 0)
    if not sums.credited:
        raise AmountNotPositive("Tax would take all of it: send it back.")
    credit = gst.credit_entries(deposit=deposit, sums=sums, paid_from=held.account)
    transfer = posting.post(
        key=key,
        kind=Transfer.Kind.DEPOSIT,
        entries=[(held.account, -paid), *credit],
        document=Transfer.Document.TASK,
        document_id=task.pk,
        memo=deposit.order_reference,
        actor=by.actor,
    )
    gst.note_charge(
        deposit=deposit, transfer=transfer, sums=sums, treatment=TaxRate.Treatment.INCLUSIVE
    )
    _advance(deposit, Deposit.Status.PLACED)
    return finish(task, by=by, act="place", about=deposit.player)


@transaction.atomic(durable=True)
def return_payment(*, task_id: int, by: User, remark: str) -> StaffTask:
    """Record that the gateway sent a payment back; `remark` is its reference. No tax is due."""
    task, deposit = _lock(task_id, by)
    key = f"task:{task.pk}:returned"
    if task.done_at is not None:
        return _refuse_other(task, key)
    if not remark.strip():
        raise RemarkMissing("Enter the gateway's reference of the refund.")
    refuse_lines(remark.strip())
    held = _held(task)
    clearing = accounts.operator_account(kind=Account.Kind.GATEWAY_CLEARING, currency=held.currency)
    posting.post(
        key=key,
        kind=Transfer.Kind.DEPOSIT,
        entries=[(held.account, -held.amount_minor), (clearing, held.amount_minor)],
        document=Transfer.Document.TASK,
        document_id=task.pk,
        memo=remark.strip(),
        actor=by.actor,
    )
    _advance(deposit, Deposit.Status.RETURNED)
    return finish(task, by=by, act="send_back", about=deposit.player, reason=remark)


def _lock(task_id: int, by: User) -> tuple[StaffTask, Deposit]:
    """Lock the order, then the task, in the order a gateway event does."""
    task = StaffTask.objects.get(pk=task_id)
    if task.deposit_id is None or task.transfer_id is None:
        raise OrderUnknown("The payer is unknown: assign the money by an adjustment.")
    refuse_own_interest(User.objects.get(deposits=task.deposit_id), by=by)
    deposit = Deposit.objects.locked().select_related("player").get(pk=task.deposit_id)
    return StaffTask.objects.locked().get(pk=task_id), deposit


def _refuse_other(task: StaffTask, key: str) -> StaffTask:
    if not Transfer.objects.filter(key=key).exists():
        raise AlreadyDecided("The task was completed in another way.")
    return task


def _held(task: StaffTask) -> Entry:
    assert task.transfer is not None, "money in suspense has a transfer"
    entries = task.transfer.entries.select_related("account")
    return entries.get(account__kind=Account.Kind.SUSPENSE)


def _advance(deposit: Deposit, status: Deposit.Status) -> None:
    """Store the status after a placement; a paid order stays paid."""
    if deposit.status == Deposit.Status.CHECKING:
        deposit.status = status
        deposit.save(update_fields=["status"])


def finish(
    task: StaffTask, *, by: User, act: str, about: User | None = None, reason: str = ""
) -> StaffTask:
    """Record who has done a task, which the caller has locked."""
    before = audit_log.facts(task)
    task.done_at, task.done_by = database_now(), by
    task.save(update_fields=["done_at", "done_by"])
    audit_log.record(by=by, act=act, row=task, before=before, about=about, reason=reason)
    return task
