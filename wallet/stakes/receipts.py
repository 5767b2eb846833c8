"""Receipts of open-ended tables: what was put on the table, and what deals made of it (RB 8.1)."""

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
    """Describe a whole sitting: buy-in, wins, losses and cash-out."""
    paid = _stakes_of_the_sitting(transfer)
    put_in = as_money(sum(stake.entry_minor for stake in paid), entries[0].currency)
    words = _(
        "You left the table with what was left of your stack. Your own money went back to "
        "where it came from, what you won is in your winnings."
    )
    return (
        f"{words} {expired_on_return(transfer, entries)}".strip(),
        (
            Line(_("Put on the table"), put_in),
            *deal_lines(transfer),
            Line(_("Left on the table"), total(entries), is_result=True),
            *moved(entries),
        ),
    )


def deal_lines(transfer: Transfer) -> tuple[Line, ...]:
    """Return what the deals of this sitting brought and cost, of those settled so far."""
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
        words = ngettext("Won in %(number)d deal", "Won in %(number)d deals", len(won))
        lines.append(_sum(words % {"number": len(won)}, won, currency))
    if lost:
        words = ngettext("Lost in %(number)d deal", "Lost in %(number)d deals", len(lost))
        lines.append(_sum(words % {"number": len(lost)}, lost, currency))
    return tuple(lines)


def _sum(words: str, amounts: list[int], currency: str) -> Line:
    money: Money = as_money(sum(amounts), currency)
    return Line(words, money)


def _stakes_of_the_sitting(transfer: Transfer) -> list[Stake]:
    """Return what the player has paid in at this table since they last had nothing there."""
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
