"""Receipts of open-ended tables: buy-ins, results of deals, cash-out (RB 8.1)."""

from __future__ import annotations

from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from moneyed import Money

from wallet.bonuses.receipts import expired_on_return
from wallet.ledger.models import Account, Entry, Transfer
from wallet.ledger.money import as_money
from wallet.ledger.receipt_line import Description, Line, moved, total
from wallet.stakes.models import StackChange, Stake


def cash_out(transfer: Transfer, entries: tuple[Entry, ...]) -> Description:
    """Describe a whole session: buy-in, wins, losses and cash-out."""
    paid = _stakes_of_the_sitting(transfer)
    put_in = as_money(sum(stake.entry_minor for stake in paid), entries[0].currency)
    text = _(
        "You left the table. Your own money went back to the balances it came from; "
        "your wins are in your winnings."
    )
    return (
        f"{text} {expired_on_return(transfer, entries)}".strip(),
        (
            Line(_("Brought to the table"), put_in),
            *deal_lines(transfer),
            Line(_("Cashed out"), total(entries), is_result=True),
            *moved(entries),
        ),
    )


def deal_lines(transfer: Transfer) -> tuple[Line, ...]:
    """Return lines for the wins and losses of this session's deals so far."""
    stakes = _stakes_of_the_sitting(transfer)
    amounts = list(
        StackChange.objects.filter(stake__in=stakes).values_list("amount_minor", flat=True)
    )
    if not amounts:
        return ()
    currency = stakes[0].currency
    won = [amount for amount in amounts if amount > 0]
    lost = [amount for amount in amounts if amount < 0]
    lines = []
    if won:
        text = ngettext("Won in %(number)d deal", "Won in %(number)d deals", len(won))
        lines.append(_sum(text % {"number": len(won)}, won, currency))
    if lost:
        text = ngettext("Lost in %(number)d deal", "Lost in %(number)d deals", len(lost))
        lines.append(_sum(text % {"number": len(lost)}, lost, currency))
    return tuple(lines)


def _sum(text: str, amounts: list[int], currency: str) -> Line:
    money: Money = as_money(sum(amounts), currency)
    return Line(text, money)


def _stakes_of_the_sitting(transfer: Transfer) -> list[Stake]:
    """Return the player's stakes at this table since their stack was last empty."""
    moved = Entry.objects.filter(transfer=transfer, account__player__isnull=False)
    mine = Stake.objects.filter(
        player__in=moved.values("account__player"),
        escrow__kind=Account.Kind.ESCROW,
        escrow__ref=transfer.game,
    )
    sitting: list[Stake] = []
    for stake in mine.select_related("escrow").order_by("pk"):
        if all(one.closed_at and one.closed_at <= stake.created_at for one in sitting):
            if sitting and stake.transfer_id > transfer.pk:
                break
            sitting = []
        sitting.append(stake)
    return sitting
