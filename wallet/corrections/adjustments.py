"""Manual corrections: one member of staff requests, another decides."""

from __future__ import annotations

from django.db import transaction
from moneyed import Money

from core import audit_log, maker_checker
from players.accounts.conflicts_of_interest import refuse_own_interest
from players.accounts.models import User
from wallet.corrections.models import Adjustment
from wallet.deposits.debts import collect_debts
from wallet.exceptions import (
    AmountOutOfRange,
    CurrencyMismatch,
    NotAdjustable,
    RemarkMissing,
    RepeatedAccount,
    ZeroAmount,
)
from wallet.ledger import posting
from wallet.ledger.models import Account, Transfer
from wallet.ledger.money import MINOR_UNITS_MAX, as_money, minor_units

# Stakes, withdrawals, lots and tickets explain the balances of these kinds; a correction would
# contradict them.
EXPLAINED_ELSEWHERE = (
    Account.Kind.ESCROW,
    Account.Kind.WITHDRAWAL_HOLD,
    Account.Kind.BONUS,
    Account.Kind.LOCKED_BONUS,
    Account.Kind.TICKET,
)


@transaction.atomic(durable=True)
def request_adjustment(
    *, source: Account, target: Account, amount: Money, reason: str, by: User
) -> Adjustment:
    """Request a movement from one account to another; nothing is posted yet."""
    refuse_own_interest(source.player, target.player, by=by)
    if not reason.strip():
        raise RemarkMissing("a correction needs a reason")
    if source.pk == target.pk:
        raise RepeatedAccount("a correction moves money between two accounts")
    if {source.currency, target.currency} != {amount.currency.code}:
        raise CurrencyMismatch(f"{amount} cannot move from {source} to {target}")
    if minor_units(amount) <= 0:
        raise ZeroAmount("the amount must be above zero; swap the accounts instead")
    if minor_units(amount) > MINOR_UNITS_MAX:
        raise AmountOutOfRange("the amount does not fit into 64 bits")
    for account in (source, target):
        if account.kind in EXPLAINED_ELSEWHERE:
            raise NotAdjustable(f"{account} cannot be corrected manually")
    asked = Adjustment.objects.create(
        source=source,
        target=target,
        amount_minor=minor_units(amount),
        reason=reason.strip(),
        made_by=by,
    )
    audit_log.record(by=by, act="ask", row=asked, about=_player_of(asked), reason=reason)
    return asked


def rehearse_adjustment(*, adjustment: Adjustment) -> tuple[Money, Money]:
    """Return the balances of source and target that approval would leave; nothing is posted."""
    left = posting.rehearse(
        kind=Transfer.Kind.ADJUSTMENT,
        entries=_entries(adjustment),
        document=Transfer.Document.ADJUSTMENT,
    )
    source, target = adjustment.source, adjustment.target
    return (
        as_money(left[source.pk], source.currency),
        as_money(left[target.pk], target.currency),
    )


@transaction.atomic(durable=True)
def approve_adjustment(*, adjustment: Adjustment, by: User) -> Adjustment:
    """Post a correction another person requested; repeating it changes nothing."""
    locked = _undecided(adjustment, Adjustment.Status.APPROVED, by)
    if locked.status == Adjustment.Status.APPROVED:
        return locked
    locked.transfer = posting.post(
        key=f"adjustment:{locked.pk}",
        kind=Transfer.Kind.ADJUSTMENT,
        entries=_entries(locked),
        document=Transfer.Document.ADJUSTMENT,
        document_id=locked.pk,
        memo=locked.reason,
        actor=by.actor,
    )
    collect_debts(locked.transfer)
    return maker_checker.decide(
        locked, Adjustment.Status.APPROVED, by=by, outcome="transfer", about=_player_of(locked)
    )


@transaction.atomic(durable=True)
def reject_adjustment(*, adjustment: Adjustment, by: User) -> Adjustment:
    """Reject a correction another person requested; nothing is posted."""
    locked = _undecided(adjustment, Adjustment.Status.REJECTED, by)
    if locked.status == Adjustment.Status.REJECTED:
        return locked
    return maker_checker.decide(
        locked, Adjustment.Status.REJECTED, by=by, outcome="transfer", about=_player_of(locked)
    )


def _undecided(adjustment: Adjustment, wanted: Adjustment.Status, by: User) -> Adjustment:
    rows = Adjustment.objects.select_related("source__player", "target__player")
    asked = rows.get(pk=adjustment.pk)
    refuse_own_interest(asked.source.player, asked.target.player, by=by)
    decided: Adjustment = maker_checker.undecided(rows.locked(), pk=asked.pk, wanted=wanted, by=by)
    return decided


def _player_of(asked: Adjustment) -> User | None:
    return asked.target.player or asked.source.player


def _entries(adjustment: Adjustment) -> list[tuple[int, int]]:
    moved = adjustment.amount_minor
    return [(adjustment.source_id, -moved), (adjustment.target_id, moved)]
