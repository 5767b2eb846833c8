"""Restitution: void prizes move from those who won them to those who lost, in one posting.

The part that a giver does not hold becomes a debt, as for a reversed payment. The steps belong to a
decision by two people in an app above the wallet, which names them and stores the facts.
"""

from __future__ import annotations

from collections.abc import Mapping

from django.db import connection

from core import audit_log, maker_checker
from players.accounts.models import User
from wallet.corrections.models import Restitution, RestitutionLine
from wallet.deposits.debts import collect_debts
from wallet.exceptions import RemarkMissing, Unbalanced, ZeroAmount
from wallet.ledger import accounts, posting
from wallet.ledger.models import Account, Transfer

# Prizes are in winnings, unless they were played or withdrawn since.
TAKEN_FROM = (Account.Kind.WINNINGS, Account.Kind.DEPOSIT)


def ask_restitution(
    *, ref: str, currency: str, lines: Mapping[int, int], reason: str, by: User
) -> Restitution:
    """Request a restitution; `lines` are minor units by player, negative for givers."""
    assert connection.in_atomic_block, "a restitution is requested with the decision it belongs to"
    if not reason.strip():
        raise RemarkMissing("a restitution needs a reason")
    if sum(lines.values()):
        raise Unbalanced("the lines of a restitution must sum to zero")
    moved = sum(minor for minor in lines.values() if minor > 0)
    if not moved or not all(lines.values()):
        raise ZeroAmount("the lines of a restitution must not be zero")
    asked = Restitution.objects.create(
        ref=ref, currency=currency, amount_minor=moved, reason=reason.strip(), made_by=by
    )
    RestitutionLine.objects.bulk_create(
        RestitutionLine(restitution=asked, player_id=player, amount_minor=minor)
        for player, minor in sorted(lines.items())
    )
    audit_log.record(by=by, act="ask", row=asked, reason=reason)
    return asked


def approve_restitution(*, restitution_id: int, by: User) -> Restitution:
    """Post a restitution another person requested; idempotent."""
    assert connection.in_atomic_block, "a restitution is approved with the decision"
    locked = _undecided(restitution_id, Restitution.Status.APPROVED, by)
    if locked.status == Restitution.Status.APPROVED:
        return locked
    locked.transfer = posting.post(
        key=f"restitution:{locked.pk}",
        kind=Transfer.Kind.RESTITUTION,
        entries=_entries(locked),
        document=Transfer.Document.RESTITUTION,
        document_id=locked.pk,
        memo=locked.reason,
        actor=by.actor,
    )
    # A receiver may owe money for a reversed payment.
    collect_debts(locked.transfer)
    return maker_checker.decide(locked, Restitution.Status.APPROVED, by=by, outcome="transfer")


def reject_restitution(*, restitution_id: int, by: User) -> Restitution:
    """Reject a restitution; nothing is posted."""
    assert connection.in_atomic_block, "a restitution is rejected with the decision"
    locked = _undecided(restitution_id, Restitution.Status.REJECTED, by)
    if locked.status == Restitution.Status.REJECTED:
        return locked
    return maker_checker.decide(locked, Restitution.Status.REJECTED, by=by, outcome="transfer")


def _undecided(pk: int, wanted: Restitution.Status, by: User) -> Restitution:
    rows = Restitution.objects.locked()
    asked: Restitution = maker_checker.undecided(rows, pk=pk, wanted=wanted, by=by)
    return asked


def _entries(asked: Restitution) -> list[tuple[Account, int]]:
    """Return the entries by the current balances of the accounts, which are locked."""
    lines = list(asked.lines.select_related("player"))
    mine, owed = {}, {}
    for line in lines:
        mine[line.pk] = accounts.open_player_accounts(player=line.player, currency=asked.currency)
        if line.amount_minor < 0:
            owed[line.pk] = accounts.open_player_account(
                player=line.player, currency=asked.currency, kind=Account.Kind.RECEIVABLE
            )
    buckets = [mine[line.pk][kind] for line in lines for kind in TAKEN_FROM]
    locked = posting.lock([*buckets, *owed.values()])
    entries = []
    for line in lines:
        left = -line.amount_minor
        if left < 0:
            entries.append((mine[line.pk][Account.Kind.WINNINGS], -left))
            continue
        for kind in TAKEN_FROM:
            account = locked[mine[line.pk][kind].pk]
            # Frozen accounts cannot be debited; the amount becomes a debt until they are thawed.
            there = account.balance_minor if account.status == Account.Status.OPEN else 0
            part = min(there, left)
            left -= part
            entries.append((account, -part))
        entries.append((owed[line.pk], -left))
    return [(account, minor) for account, minor in entries if minor]
