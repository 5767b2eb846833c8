"""Withdrawals (RB 11.2): request, approval, payment by the bank, or return to the wallet.

Lock order: the withdrawal, then accounts. Every step is refused while withdrawals are frozen.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from moneyed import Money

from core import audit_log
from core.clock import database_now
from core.db.identifiers import new_public_id
from core.events import Event, record_event
from core.exceptions import CheckerIsMaker
from players.accounts.conflicts_of_interest import opponents_of, refuse_own_interest
from players.accounts.models import User
from players.eligibility.verdicts import Act, require_may, require_own_name
from players.notifications.models import Notification
from players.notifications.steps import Recipient, notify
from players.sign_in.security.changes import held_until
from wallet.deposits.debts import collect_debts
from wallet.exceptions import NothingToSend, TaxChanged
from wallet.ledger import accounts, cash_offered, posting
from wallet.ledger.models import Account, Transfer
from wallet.ledger.money import as_money, as_text, minor_units
from wallet.tax import withholding
from wallet.tax.arithmetic import financial_year
from wallet.tax.assessment import Assessment
from wallet.withdrawals import overdue, withdrawable
from wallet.withdrawals.models import PayoutBatch, Withdrawal
from wallet.withdrawals.payees.banks import merged_codes, refuse_merged
from wallet.withdrawals.payees.models import RegisteredPayee
from wallet.withdrawals.payees.sealing import open_payee
from wallet.withdrawals.refusals import (
    is_left_out,
    normal_reference,
    refuse_changed_account,
    refuse_frozen,
    refuse_new_account,
    refuse_removed,
    refuse_step,
    refuse_taken_back,
    refuse_unsent,
    refuse_used,
    require_remark,
)

Status = Withdrawal.Status
NOTIFICATION_KINDS: Final = {
    Status.APPROVED: Notification.Kind.WITHDRAWAL_APPROVED,
    Status.REJECTED: Notification.Kind.WITHDRAWAL_REJECTED,
    Status.PAID: Notification.Kind.WITHDRAWAL_PAID,
    Status.FAILED: Notification.Kind.WITHDRAWAL_FAILED,
}


@transaction.atomic
def request_withdrawal(
    *,
    player: User,
    amount: Money,
    payee: RegisteredPayee,
    requested_by: User,
    agreed_tax: Money | None = None,
) -> Withdrawal:
    """Hold money for a registered bank account: deposit first, then winnings, never bonus.

    The tax (RB 11.4) is withheld at once. Raise `TaxChanged` if it differs from `agreed_tax`, which
    is zero by default.
    """
    require_may(player, Act.WITHDRAW)
    refuse_removed(RegisteredPayee.objects.locked().get(pk=payee.pk), player)
    refuse_merged(payee.bank)
    require_own_name(player, open_payee(payee).name)
    refuse_frozen()
    cash_offered.refuse_amount(amount)
    currency = amount.currency.code
    mine = accounts.open_player_accounts(player=player, currency=currency)
    payable = withholding.payable_account(player=player, currency=currency)
    # Taxes of past years first, since they reduce the amount that can be withdrawn.
    withholding.settle_past_years(player=player, currency=currency)
    deposit_minor, winnings_minor = _lock_shares(player, mine, amount)
    agreed = as_money(0, currency) if agreed_tax is None else agreed_tax
    assessed = withholding.withhold(player=player, amount=amount, agreed_tax=agreed)
    tax_minor = assessed.tax if assessed else 0

    public_id, now = new_public_id(), database_now()
    held = (payee.new_until(now), held_until(player, now))
    account_new_until = max(filter(None, held), default=None)
    moves = [
        (mine[Account.Kind.DEPOSIT], -deposit_minor),
        (mine[Account.Kind.WINNINGS], -winnings_minor),
        (mine[Account.Kind.WITHDRAWAL_HOLD], minor_units(amount) - tax_minor),
        (payable, tax_minor),
    ]
    transfer = _set_aside(public_id, moves, requested_by)
    if assessed:
        _refuse_another_year(assessed, transfer, amount=amount, agreed_tax=agreed)
    withdrawal = Withdrawal.objects.create(
        public_id=public_id,
        player=player,
        currency=currency,
        deposit_minor=deposit_minor,
        winnings_minor=winnings_minor,
        tax_minor=tax_minor,
        hold=transfer,
        payee=payee,
        account_new_until=account_new_until,
        requested_by=requested_by,
        due_at=_latest_end(Status.REQUESTED, account_new_until or now),
    )
    _record_request(withdrawal, now)
    if assessed:
        withholding.note_withdrawal(withdrawal=withdrawal, found=assessed)
    return withdrawal


def _record_request(withdrawal: Withdrawal, now: datetime) -> None:
    """Record the event for the operator's webhooks."""
    key = str(withdrawal.public_id)
    data = {
        "withdrawal": key,
        "currency": withdrawal.currency,
        "amount_minor": withdrawal.amount_minor,
        "tax_minor": withdrawal.tax_minor,
    }
    record_event(Event.Kind.WITHDRAWAL_ASKED, key=key, data=data, now=now)


@transaction.atomic(durable=True)
def approve(*, withdrawal_id: int, by: User) -> Withdrawal:
    """Approve a withdrawal for the next payout file."""
    withdrawal = _locked(withdrawal_id, by)
    if withdrawal.status == Status.APPROVED and withdrawal.decided_by_id == by.pk:
        return withdrawal
    refuse_step(withdrawal, Status.REQUESTED, by)
    refuse_taken_back(withdrawal)
    refuse_merged(withdrawal.payee.bank)
    before, now = audit_log.facts(withdrawal), database_now()
    refuse_new_account(withdrawal, now)
    refuse_changed_account(withdrawal, now)

    withdrawal.status, withdrawal.due_at = Status.APPROVED, _latest_end(Status.APPROVED, now)
    withdrawal.decided_by, withdrawal.decided_at = by, now
    withdrawal.save(update_fields=["status", "due_at", "decided_by", "decided_at"])
    overdue.close_late_task(withdrawal=withdrawal, by=by)
    audit_log.record(by=by, act="approve", row=withdrawal, before=before, about=withdrawal.player)
    notify_player(withdrawal, now=now)
    return withdrawal


@transaction.atomic(durable=True)
def reject(*, withdrawal_id: int, by: User, remark: str) -> Withdrawal:
    """Return the money to the buckets it came from and notify the player of the reason.

    Until it is in a payout file, an approved withdrawal can be rejected by a person other than its
    approver.
    """
    withdrawal = _locked(withdrawal_id, by)
    if _is_done(withdrawal, Status.REJECTED, remark) and withdrawal.decided_by_id == by.pk:
        return withdrawal
    is_unsent = withdrawal.status == Status.APPROVED and withdrawal.batch_id is None
    refuse_step(withdrawal, Status.APPROVED if is_unsent else Status.REQUESTED, by)
    require_remark(remark)

    before = audit_log.facts(withdrawal)
    given_back = posting.reverse(
        withdrawal.hold, memo=gettext_noop("withdrawal rejected"), actor=by.actor
    )
    withdrawal.decided_by, withdrawal.decided_at = by, database_now()
    _close(withdrawal, Status.REJECTED, remark, by)
    collect_debts(given_back)
    audit_log.record(
        by=by, act="reject", row=withdrawal, before=before, about=withdrawal.player, reason=remark
    )
    return withdrawal


@transaction.atomic(durable=True)
def send_to_bank(*, by: User) -> PayoutBatch:
    """Put all approved withdrawals into one payout file, each into exactly one.

    Those that `by` owns, requested or approved, and those of players in a game with `by`, are left
    for another person. Also left out are withdrawals with a frozen hold, since the payment could
    not
    be posted; of players with a payment that is or may be taken back; of players whose address,
    password or second factor changed within the term of a new bank account; and to a merged bank,
    which staff reject.
    """
    refuse_frozen()
    shared = {by.pk, *opponents_of(by)}
    waiting = Withdrawal.objects.locked().to_send().exclude(player__in=shared)
    payable = waiting.exclude(payee__bank__in=merged_codes())
    others = payable.exclude(requested_by=by).exclude(decided_by=by)
    ready = _with_open_holds([row for row in others if not is_left_out(row)])
    if not ready:
        raise NothingToSend("There are no approved withdrawals to send.")
    for withdrawal in ready:
        open_payee(withdrawal.payee)  # Fail now, rather than with half a file.
    batch = PayoutBatch.objects.create(made_by=by)
    Withdrawal.objects.filter(pk__in=[row.pk for row in ready]).update(batch=batch)
    sent = ", ".join(str(row.public_id) for row in ready)
    audit_log.record(by=by, act="send_to_bank", row=batch, after={"withdrawals": sent})
    return batch


@transaction.atomic
def note_file_given(*, batch: PayoutBatch, by: User) -> None:
    """Record who downloaded a file of names and bank accounts.

    Raise `CheckerIsMaker` for a person who approved one of its withdrawals, because anyone with the
    file can have it paid.
    """
    if batch.withdrawals.filter(decided_by=by).exists():
        raise CheckerIsMaker("You approved a withdrawal in it: another person must download it.")
    audit_log.record(by=by, act="take_file", row=batch, before=audit_log.facts(batch))


@transaction.atomic(durable=True)
def mark_paid(*, withdrawal_id: int, by: User, remark: str) -> Withdrawal:
    """Record that the bank has paid; `remark` is its reference, unique to this payment.

    Raise `ReferenceUsed` if another payment in the same currency has this reference.
    """
    withdrawal = _locked(withdrawal_id, by)
    reference = normal_reference(remark)
    if withdrawal.status == Status.PAID and normal_reference(withdrawal.remark) == reference:
        return withdrawal
    refuse_step(withdrawal, Status.APPROVED, by)
    refuse_unsent(withdrawal, by)
    require_remark(remark)

    refuse_used(withdrawal, reference)
    before, currency = audit_log.facts(withdrawal), withdrawal.currency
    mine = accounts.open_player_accounts(player=withdrawal.player, currency=currency)
    clearing = accounts.operator_account(kind=Account.Kind.GATEWAY_CLEARING, currency=currency)
    hold = mine[Account.Kind.WITHDRAWAL_HOLD]
    posting.post(
        key=f"withdrawal:{withdrawal.public_id}:paid",
        kind=Transfer.Kind.WITHDRAWAL,
        entries=[(hold, -withdrawal.payout_minor), (clearing, withdrawal.payout_minor)],
        document=Transfer.Document.PAYOUT,
        document_id=withdrawal.pk,
        memo=gettext_noop("paid to your bank"),
        actor=by.actor,
    )
    # Checked again after the posting, whose lock of clearing serialises payments; and by a
    # constraint.
    refuse_used(withdrawal, reference)
    withdrawal.bank_reference = reference
    _close(withdrawal, Status.PAID, remark, by)
    audit_log.record(by=by, act="note_paid", row=withdrawal, before=before, about=withdrawal.player)
    return withdrawal


@transaction.atomic(durable=True)
def mark_failed(*, withdrawal_id: int, by: User, remark: str) -> Withdrawal:
    """Return a withdrawal that the bank refused to the buckets it came from."""
    withdrawal = _locked(withdrawal_id, by)
    if _is_done(withdrawal, Status.FAILED, remark):
        return withdrawal
    refuse_step(withdrawal, Status.APPROVED, by)
    refuse_unsent(withdrawal, by)
    require_remark(remark)

    before = audit_log.facts(withdrawal)
    given_back = posting.reverse(
        withdrawal.hold, memo=gettext_noop("the bank refused"), actor=by.actor
    )
    _close(withdrawal, Status.FAILED, remark, by)
    collect_debts(given_back)
    audit_log.record(
        by=by, act="note_failed", row=withdrawal, before=before, about=withdrawal.player
    )
    return withdrawal


def _lock_shares(player: User, mine: Mapping[str, Account], amount: Money) -> tuple[int, int]:
    """Lock the player's accounts; return the amounts taken from deposit and winnings."""
    locked = posting.lock([mine[kind] for kind in withdrawable.KINDS])
    there = withdrawable.withdrawable_of(
        player=player,
        currency=amount.currency.code,
        accounts={account.kind: account for account in locked.values()},
    )
    return withdrawable.shares(there, amount)


def _set_aside(public_id: UUID, moves: Sequence[tuple[Account, int]], by: User) -> Transfer:
    return posting.post(
        key=f"withdrawal:{public_id}:hold",
        kind=Transfer.Kind.WITHDRAWAL,
        entries=[(account, moved) for account, moved in moves if moved],
        document=Transfer.Document.WITHDRAWAL,
        memo=gettext_noop("set aside for your bank"),
        actor=by.actor,
    )


def _refuse_another_year(
    assessed: Assessment, transfer: Transfer, *, amount: Money, agreed_tax: Money
) -> None:
    """Raise if the tax year ended between quote and posting, since the new year's tax differs."""
    if financial_year(transfer.booked_on) != assessed.year:
        text = _("The tax on this withdrawal is %(tax)s, you would get %(payout)s.")
        payout = as_text(amount - agreed_tax)
        raise TaxChanged(text % {"tax": as_text(agreed_tax), "payout": payout})


def _is_done(withdrawal: Withdrawal, status: Status, remark: str) -> bool:
    """Return whether the same result was recorded before; a different one is not a repetition."""
    return withdrawal.status == status and withdrawal.remark == remark.strip()


def _with_open_holds(waiting: list[Withdrawal]) -> list[Withdrawal]:
    """Return those with a hold that is not frozen, with the holds locked."""
    holds = Account.objects.filter(
        kind=Account.Kind.WITHDRAWAL_HOLD, player__in={row.player_id for row in waiting}
    )
    open_holds = {
        (hold.player_id, hold.currency)
        for hold in posting.lock(holds).values()
        if hold.status == Account.Status.OPEN
    }
    return [row for row in waiting if (row.player_id, row.currency) in open_holds]


def _locked(withdrawal_id: int, by: User) -> Withdrawal:
    """Return the withdrawal, locked; raise if `by` has a conflict of interest with its player."""
    refuse_own_interest(User.objects.get(withdrawals=withdrawal_id), by=by)
    return Withdrawal.objects.locked().get(pk=withdrawal_id)


def _close(withdrawal: Withdrawal, status: Status, remark: str, by: User) -> None:
    now = database_now()
    withdrawal.status, withdrawal.remark = status, remark.strip()
    withdrawal.due_at, withdrawal.closed_at = None, now
    changed = ["status", "remark", "bank_reference", "due_at", "closed_at"]
    withdrawal.save(update_fields=[*changed, "decided_by", "decided_at"])
    overdue.close_late_task(withdrawal=withdrawal, by=by)
    notify_player(withdrawal, now=now)


def _latest_end(status: Status, since: datetime) -> datetime:
    return since + timedelta(hours=settings.WITHDRAWAL_WAIT_HOURS[status])


def notify_player(withdrawal: Withdrawal, *, now: datetime) -> None:
    """Notify the player of the new status; the linked page shows the bank's reference."""
    status = Status(withdrawal.status)
    has_reason = status in (Status.REJECTED, Status.FAILED)
    notify(
        [Recipient(withdrawal.player, as_text(withdrawal.amount))],
        kind=NOTIFICATION_KINDS[status],
        key=f"withdrawal:{withdrawal.public_id}:{status}",
        subject=str(withdrawal.public_id),
        remark=withdrawal.remark if has_reason else "",
        now=now,
    )
