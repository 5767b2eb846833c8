"""Players' debts for reversed payments: the receivable account, paid before anything else.

A deposit pays the debt within its own transfer; other credits to the wallet (a returned withdrawal
or stake, a prize, a released bonus) pay it by a transfer that follows at once.

Every change of a receivable holds a lock on a bucket of its player, an increase on the deposit
bucket. Receivables are locked after the buckets.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from typing import Final

from django.db.models import Subquery
from django.db.models.functions import Coalesce
from django.utils.translation import gettext as _
from moneyed import Money

from players.accounts.models import User
from wallet.exceptions import DebtOutstanding
from wallet.ledger import posting
from wallet.ledger.models import Account, Entry, Transfer
from wallet.ledger.money import PLAY_POINTS, as_money, as_text

# Bonus money pays no debt, because the player cannot withdraw it.
PAID_FROM: Final = (Account.Kind.DEPOSIT, Account.Kind.WINNINGS)


def receivable_of(*, player: User, currency: str) -> Account | None:
    """Return the account of a player's debts, or None if they never had any."""
    mine = Account.objects.of_player(player).filter(currency=currency)
    return mine.filter(kind=Account.Kind.RECEIVABLE).first()


def owed_minor(*, player: User, currency: str) -> int:
    """Return the player's debt in minor units; lock the deposit bucket to rely on it."""
    receivable = receivable_of(player=player, currency=currency)
    return 0 if receivable is None else -receivable.balance_minor


def owed(*, player: User, currency: str) -> Coalesce:
    """Return `owed_minor` as an expression; it is 0 in play points."""
    mine = Account.objects.of_player(player).filter(currency=currency)
    receivable = mine.filter(kind=Account.Kind.RECEIVABLE).values("balance_minor")
    return Coalesce(-Subquery(receivable), 0)


def refuse_debtor(*, player: User, currency: str) -> None:
    """Raise `DebtOutstanding` if the player owes money; lock the deposit bucket to rely on it."""
    if currency == PLAY_POINTS:  # There are no debts in play points.
        return
    refuse_debt(as_money(owed_minor(player=player, currency=currency), currency))


def refuse_debt(owed: Money) -> None:
    """Raise `DebtOutstanding` if the amount owed is not zero."""
    if owed:
        raise DebtOutstanding(
            _("You owe %(owed)s for reversed payments. Deposit that amount, then try again.")
            % {"owed": as_text(owed)}
        )


def share_of_debt(
    *, player: User, currency: str, credited_minor: int, involved: Iterable[Account]
) -> list[tuple[Account, int]]:
    """Return the entry by which a deposit pays its player's debt, or none without a debt.

    Locks the accounts of the deposit, including the player's deposit bucket.
    """
    receivable = receivable_of(player=player, currency=currency)
    posting.lock([*involved, *([receivable] if receivable else [])])
    receivable = receivable_of(player=player, currency=currency)
    if receivable is None or not receivable.balance_minor:
        return []
    return [(receivable, min(credited_minor, -receivable.balance_minor))]


def collect_debts(brought: Transfer) -> None:
    """Pay players' debts from the amounts a transfer has just credited to them.

    Call it after the transfer, in its transaction. Frozen accounts pay nothing. For a replayed
    transfer nothing is posted: its debts were paid the first time.
    """
    if brought.is_replay:
        return
    owing = Account.objects.filter(kind=Account.Kind.RECEIVABLE, balance_minor__lt=0)
    entries = Entry.objects.filter(transfer=brought, amount_minor__gt=0).exclude(
        currency=PLAY_POINTS
    )
    entries = entries.filter(
        account__kind__in=PAID_FROM, account__player__in=owing.values("player")
    ).select_related("account")
    mine = sorted(entries, key=lambda one: (one.account.player_id, one.account.kind))
    if not mine:
        return
    debtors = {one.account.player_id for one in mine}
    receivables = owing.filter(player__in=debtors, currency=mine[0].currency)
    locked = posting.lock([*receivables, *(one.account for one in mine)])
    by_player = {
        one.player_id: one for one in locked.values() if one.kind == Account.Kind.RECEIVABLE
    }
    for player_id, own in groupby(mine, key=lambda one: one.account.player_id):
        if player_id in by_player:
            _pay(by_player[player_id], brought, [(locked[e.account_id], e) for e in own])


def _pay(receivable: Account, brought: Transfer, own: Iterable[tuple[Account, Entry]]) -> None:
    left, paid = -receivable.balance_minor, []
    for account, entry in own:
        part = min(entry.amount_minor, left)
        if part and account.status == Account.Status.OPEN:
            paid.append((account, -part))
            left -= part
    if not paid:
        return
    posting.post(
        key=f"debt:{brought.pk}:{receivable.player_id}",
        kind=Transfer.Kind.CHARGEBACK,
        entries=[*paid, (receivable, -sum(minor for _, minor in paid))],
        document=Transfer.Document.DEBT,
        document_id=brought.pk,
        actor="settlement",
    )
