"""Refunds and disputes: money of payments that a gateway takes back (docs/cashier.md).

The amount is debited from the player's deposit, then winnings; the rest becomes a debt. A fee that
the payer bore was never the player's: a return of it is an expense of the operator. While a refund
or dispute is open, its player cannot withdraw. Reports may be repeated and come in any order; one
that does not match the payment moves nothing and becomes a staff task.

Lock order: the order, its payment, the refund or dispute, withdrawals, accounts.
"""

from __future__ import annotations

from dataclasses import dataclass

from django.db import transaction
from django.db.models import Sum
from django.db.models.functions import Coalesce

from core import audit_log
from core.clock import database_now
from core.exceptions import AlreadyDecided
from players.accounts.conflicts_of_interest import refuse_own_interest
from players.accounts.models import User
from players.notifications.models import Notification
from players.notifications.steps import Recipient, notify
from wallet.deposits.models import GatewayEvent, StaffTask
from wallet.deposits.payment_models import GatewayPayment, PaymentReturn
from wallet.exceptions import RemarkMissing
from wallet.ledger import accounts, posting
from wallet.ledger.models import Account, Transfer
from wallet.ledger.money import as_money, as_text
from wallet.withdrawals.models import Withdrawal

Kind = GatewayEvent.Kind
Outcome = GatewayEvent.Outcome
Status = PaymentReturn.Status
What = PaymentReturn.What
REPORTED = {
    Kind.REFUND_BEGUN: (What.REFUND, Status.OPEN),
    Kind.REFUND_DONE: (What.REFUND, Status.TAKEN),
    Kind.REFUND_FAILED: (What.REFUND, Status.DROPPED),
    Kind.DISPUTE_OPEN: (What.DISPUTE, Status.OPEN),
    Kind.DISPUTE_LOST: (What.DISPUTE, Status.TAKEN),
    Kind.DISPUTE_WON: (What.DISPUTE, Status.DROPPED),
}
FEE_KINDS = (Account.Kind.GATEWAY_FEES, Account.Kind.INPUT_TAX)
TAKEN_FROM = (Account.Kind.DEPOSIT, Account.Kind.WINNINGS)
# The columns that may change; the others stay as the gateway reported them.
CHANGING = (
    "status",
    "reported",
    "moved_minor",
    "player",
    "transfer",
    "closed_at",
    "closed_by",
    "remark",
)


@dataclass(frozen=True)
class Trouble:
    """Why staff must check a gateway's report."""

    kind: StaffTask.Kind
    details: str


Answer = tuple[Outcome, Trouble | None]


def apply_return(*, payment: GatewayPayment, event: GatewayEvent) -> Answer:
    """Apply a reported refund or dispute; the caller has locked the payment."""
    what, reported = REPORTED[Kind(event.kind)]
    found = PaymentReturn.objects.locked().filter(provider=payment.provider)
    case = found.filter(reference=event.case_reference).first()
    if case is None:
        case = PaymentReturn.objects.create(
            payment=payment,
            provider=payment.provider,
            reference=event.case_reference,
            what=what,
            currency=event.currency,
            amount_minor=event.amount_minor,
            reported=reported,
        )
        return _reported_as(reported, case, payment, event)
    before = (case.payment_id, case.what, case.currency, case.amount_minor)
    now = (payment.pk, what, event.currency, event.amount_minor)
    is_final = case.status in (Status.TAKEN, Status.DROPPED)
    if before != now:
        if not is_final:
            _leave_to_staff(case, reported)
        return _checking(
            case, f"now {_figure(event.amount_minor, event.currency)} of {payment.reference}"
        )
    if is_final:
        return _apply_again(case, payment, reported, event)
    if reported == case.reported:
        return Outcome.IGNORED, None
    if reported == Status.OPEN:  # Sent earlier, but arrived later.
        return Outcome.IGNORED, None
    return _reported_as(reported, case, payment, event)


def apply_earlier_returns(payment: GatewayPayment) -> None:
    """Apply the refunds and disputes that were reported before their payment."""
    for case in PaymentReturn.objects.locked().unsettled().filter(payment=payment):
        _follow(case, payment)


@transaction.atomic(durable=True)
def close_return(*, return_id: int, by: User, remark: str) -> PaymentReturn:
    """Close a case that staff had to check, once the money is where it belongs. Posts nothing.

    The player can withdraw again afterwards.
    """
    refuse_own_interest(User.objects.filter(returns=return_id).first(), by=by)
    case = PaymentReturn.objects.locked().get(pk=return_id)
    if case.status != Status.CHECKING:
        raise AlreadyDecided(f"It is {case.get_status_display().lower()}; the gateway decides.")
    if not remark.strip():
        raise RemarkMissing("Enter where the money is now.")
    before = audit_log.facts(case)
    case.closed_by, case.remark = by, remark.strip()
    _close(case, Status.DROPPED)
    audit_log.record(by=by, act="close", row=case, before=before, about=case.player, reason=remark)
    return case


def _reported_as(
    reported: Status, case: PaymentReturn, payment: GatewayPayment, event: GatewayEvent
) -> Answer:
    """Record what a report says, and follow it; leave a loss that cannot be to staff."""
    moved = event.moved_minor
    if moved is not None and not 0 < moved <= case.amount_minor:
        _leave_to_staff(case, reported)
        return _checking(case, f"lost, but {_figure(moved, case.currency)} was moved")
    case.reported, case.moved_minor = reported, moved
    return _follow(case, payment)


def _apply_again(
    case: PaymentReturn, payment: GatewayPayment, reported: Status, event: GatewayEvent
) -> Answer:
    """Apply another report about a closed refund or dispute."""
    if reported in (case.status, Status.OPEN):
        return Outcome.IGNORED, None
    if case.status == Status.TAKEN:
        return _checking(case, "now reported as not taken: return it by an adjustment")
    if case.closed_by_id is not None:
        return _checking(case, "staff closed it, but it is now reported as taken back")
    # A dispute won may be lost on appeal; a failed refund may be repeated.
    return _reported_as(reported, case, payment, event)


def _follow(case: PaymentReturn, payment: GatewayPayment) -> Answer:
    if case.reported == Status.DROPPED:
        _close(case, Status.DROPPED)
        _notify(case, Notification.Kind.PAYMENT_KEPT)
        return Outcome.DROPPED, None
    if payment.transfer is None:
        _leave_to_staff(case, case.reported)
        return _checking(case, "the payment is unknown")
    case.player = payment.deposit.player if payment.deposit else None
    taken = _taken_by_others(case, payment)
    assert payment.amount_minor is not None, "a booked payment has an amount"
    if case.currency != payment.currency or taken + case.taken_minor > payment.amount_minor:
        _leave_to_staff(case, case.reported)
        brought = f"the payment brought {_figure(payment.amount_minor, payment.currency)}"
        before = f", and {_figure(taken, payment.currency)} was taken back before" if taken else ""
        return _checking(case, brought + before)
    if case.reported == Status.OPEN:
        return _stop_withdrawals(case)
    return _take(case, payment)


def _taken_by_others(case: PaymentReturn, payment: GatewayPayment) -> int:
    others = payment.returns.exclude(pk=case.pk).filter(status=Status.TAKEN)
    return others.aggregate(sum=Sum(Coalesce("moved_minor", "amount_minor")))["sum"] or 0


def _figure(minor: int, currency: str) -> str:
    return as_text(as_money(minor, currency))


def _stop_withdrawals(case: PaymentReturn) -> Answer:
    if case.player is not None:
        _lock_outgoing(case.player, case.currency)
    case.status = Status.OPEN
    _save(case)
    _notify(case, Notification.Kind.PAYMENT_DISPUTED)
    if case.what == What.REFUND:
        return Outcome.OPENED, None
    return Outcome.OPENED, Trouble(
        StaffTask.Kind.DISPUTE, f"{case.reference}: {as_text(case.amount)}"
    )


def _take(case: PaymentReturn, payment: GatewayPayment) -> Answer:
    player = _credited_to(payment)
    if player is None:
        sent_back = _sent_back(case, payment)
        if sent_back is None:
            _leave_to_staff(case, case.reported)
            return _checking(case, "the payment is in suspense: send it back, then close this")
        case.transfer = sent_back
    else:
        case.transfer = _post(case, player, _of_the_fee(case, payment))
    _close(case, Status.TAKEN)
    _notify(case, Notification.Kind.PAYMENT_TAKEN_BACK)
    return Outcome.TAKEN, None


def _of_the_fee(case: PaymentReturn, payment: GatewayPayment) -> int:
    """Return how much of a return exceeds what the payment brought for its order."""
    assert payment.transfer is not None, "the payment is booked"
    assert payment.amount_minor is not None, "a booked payment has an amount"
    borne = _borne_minor(payment.transfer)
    before = _taken_by_others(case, payment)
    for_order = payment.amount_minor - borne
    return max(before + case.taken_minor - for_order, 0) - max(before - for_order, 0)


def _borne_minor(transfer: Transfer) -> int:
    """Return the gateway's fee in a payment, which its payer bore."""
    borne = transfer.entries.filter(account__kind__in=FEE_KINDS)
    return borne.aggregate(sum=Sum("amount_minor"))["sum"] or 0


def _post(case: PaymentReturn, player: User, of_fee_minor: int) -> Transfer:
    mine = accounts.open_player_accounts(player=player, currency=case.currency)
    owed = accounts.open_player_account(
        player=player, currency=case.currency, kind=Account.Kind.RECEIVABLE
    )
    clearing = accounts.operator_account(kind=Account.Kind.GATEWAY_CLEARING, currency=case.currency)
    fees = accounts.operator_account(kind=Account.Kind.GATEWAY_FEES, currency=case.currency)
    _lock_withdrawals(player, case.currency)
    operators = [clearing, fees] if of_fee_minor else [clearing]
    locked = posting.lock([*(mine[kind] for kind in TAKEN_FROM), owed, *operators])
    entries = [(clearing, case.taken_minor), (fees, -of_fee_minor)]
    left = case.taken_minor - of_fee_minor
    for kind in TAKEN_FROM:
        account = locked[mine[kind].pk]
        # Frozen accounts cannot be debited; the amount becomes a debt until they are thawed.
        there = account.balance_minor if account.status == Account.Status.OPEN else 0
        part = min(there, left)
        left -= part
        entries.append((account, -part))
    entries.append((owed, -left))
    return posting.post(
        key=f"return:{case.provider}:{case.reference}",
        kind=Transfer.Kind.CHARGEBACK,
        entries=[(account, minor) for account, minor in entries if minor],
        document=Transfer.Document.PAYMENT_RETURN,
        document_id=case.pk,
        memo=case.reference,
        actor="gateway",
    )


def _credited_to(payment: GatewayPayment) -> User | None:
    """Return the player credited with a payment; None while it is in suspense or was sent back."""
    if payment.deposit is None:
        return None
    if payment.deposit.transfer_id == payment.transfer_id:
        return payment.deposit.player
    placed = _task_transfer(payment, "placed")
    return payment.deposit.player if placed else None


def _sent_back(case: PaymentReturn, payment: GatewayPayment) -> Transfer | None:
    """Return the transfer by which staff recorded this same refund, or None."""
    noted = _task_transfer(payment, "returned")
    assert payment.transfer is not None, "the payment is booked"
    assert payment.amount_minor is not None, "a booked payment has an amount"
    brought = payment.amount_minor - _borne_minor(payment.transfer)
    is_it = noted is not None and case.taken_minor == brought
    return noted if is_it and not hasattr(noted, "payment_return") else None


def _task_transfer(payment: GatewayPayment, how: str) -> Transfer | None:
    tasks = StaffTask.objects.filter(transfer=payment.transfer).values_list("pk", flat=True)
    return Transfer.objects.filter(key__in=[f"task:{pk}:{how}" for pk in tasks]).first()


def _lock_outgoing(player: User, currency: str) -> None:
    """Lock the deposit bucket, so that no withdrawal is requested or decided meanwhile."""
    _lock_withdrawals(player, currency)
    mine = accounts.open_player_accounts(player=player, currency=currency)
    posting.lock([mine[kind] for kind in TAKEN_FROM])


def _lock_withdrawals(player: User, currency: str) -> None:
    list(Withdrawal.objects.locked().pending().of_player(player).filter(currency=currency))


def _leave_to_staff(case: PaymentReturn, reported: str) -> None:
    if case.player is not None:
        _lock_outgoing(case.player, case.currency)
    case.status, case.reported, case.closed_at = Status.CHECKING, reported, None
    _save(case)


def _checking(case: PaymentReturn, why: str) -> Answer:
    details = f"{case.reference}, {as_text(case.amount)} of {case.payment.reference}: {why}"
    return Outcome.CHECKING, Trouble(StaffTask.Kind.OTHER_RETURN, details)


def _close(case: PaymentReturn, status: Status) -> None:
    case.status, case.closed_at = status, database_now()
    _save(case)


def _save(case: PaymentReturn) -> None:
    case.save(update_fields=CHANGING)


def _notify(case: PaymentReturn, kind: Notification.Kind) -> None:
    if case.player is None:
        return
    notify(
        [Recipient(case.player, as_text(case.taken))],
        kind=kind,
        key=f"return:{case.provider}:{case.reference}:{case.status}"[:120],
        subject=case.reference,
        about=case.payment.deposit.public_id if case.payment.deposit else None,
        now=database_now(),
    )
