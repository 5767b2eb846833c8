"""What players owe for payments that were taken back: a receivable, which their deposits pay first.

Whoever moves a receivable holds its player's deposit bucket, which was opened before it.
"""

from __future__ import annotations

from collections.abc import Iterable

from django.utils.translation import gettext as _
from moneyed import Money

from players.models import User
from wallet import ledger
from wallet.currencies import PLAY_POINTS
from wallet.models import Account
from wallet.money import as_money, as_text
from wallet.payout_exceptions import DebtOutstanding


def receivable_of(*, player: User, currency: str) -> Account | None:
    """Return the account of what a player owes, None for one who never did."""
    mine = Account.objects.of_player(player).filter(currency=currency)
    return mine.filter(kind=Account.Kind.RECEIVABLE).first()


def owed_minor(*, player: User, currency: str) -> int:
    """Return what a player owes in minor units; hold the deposit bucket to decide by it."""
    receivable = receivable_of(player=player, currency=currency)
    return 0 if receivable is None else -receivable.balance_minor


def refuse_debtor(*, player: User, currency: str) -> None:
    """Raise `DebtOutstanding` while the player owes; hold the deposit bucket to decide by it."""
    if currency == PLAY_POINTS:  # Nobody owes any.
        return
    refuse_debt(as_money(owed_minor(player=player, currency=currency), currency))


def refuse_debt(owed: Money) -> None:
    """Raise `DebtOutstanding` where anything is owed."""
    if owed:
        raise DebtOutstanding(
            _(
                "You owe %(owed)s for payments that were taken back. "
                "Pay in that much first, then come back."
            )
            % {"owed": as_text(owed)}
        )


def share_of_debt(
    *, player: User, currency: str, credited_minor: int, involved: Iterable[Account]
) -> list[tuple[Account, int]]:
    """Return the entry by which a deposit pays what its player owes; none where nothing is owed.

    Locks the accounts involved in the deposit, the player's deposit bucket among them.
    """
    receivable = receivable_of(player=player, currency=currency)
    ledger.lock([*involved, *([receivable] if receivable else [])])
    receivable = receivable_of(player=player, currency=currency)
    if receivable is None or not receivable.balance_minor:
        return []
    return [(receivable, min(credited_minor, -receivable.balance_minor))]
