"""Stacks that players bring to a table and top up: their limits and payments (RB 8.1).

The smallest stack, which a seat needs to be dealt in, is the table's entry: the most that one deal
can cost.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from django.utils.translation import gettext as _
from moneyed import Money

from tables.exceptions import BadStack
from tables.games.sitting import buy_in
from tables.models.deals import Deal
from tables.models.seats import Seat
from tables.models.tables import Table
from tables.state.locks import LockedTable, snapshot_of
from wallet.ledger.money import as_money, as_text, minor_units
from wallet.stakes import stacks

# The largest stack, as a multiple of the smallest.
LARGEST_STACK_TIMES: Final = 10


def largest_stack_minor(table: Table) -> int:
    """Return the largest stack a player may have after a payment (RB 8.1)."""
    return LARGEST_STACK_TIMES * table.entry_minor


def funded_seats(table: LockedTable) -> list[Seat]:
    """Return the seats that would be dealt in now: present, with a large enough stack."""
    there = [seat for seat in snapshot_of(table).present() if seat.sits_out_since is None]
    short = short_seats(table, there)
    return [seat for seat in there if seat not in short]


def short_seats(table: Table, seats: Sequence[Seat]) -> list[Seat]:
    """Return the seats whose stack is too small for another deal."""
    if not seats:
        return []
    held = stacks.stacks_in(table.escrow)
    return [seat for seat in seats if held.get(seat.player_id, 0) < table.entry_minor]


def undecided_deal(table: LockedTable) -> Deal | None:
    """Return the deal whose cards or money are not settled yet, if any."""
    deal = snapshot_of(table).deal
    is_open = deal is not None and deal.status in (Deal.Status.PLAYING, Deal.Status.ENDED)
    return deal if is_open else None


def refuse_stack(table: Table, amount: Money, *, stack: Money | None = None) -> None:
    """Raise `BadStack` unless the amount, added to the stack, is within the bounds."""
    held = 0 if stack is None else minor_units(stack)
    least = max(1, table.entry_minor - held)
    most = largest_stack_minor(table) - held
    if least <= minor_units(amount) <= most:
        return
    if most < least:
        raise BadStack(
            _("Your stack is already the largest allowed at this table."), least=0, most=0
        )
    bounds = {"least": as_money(least, table.currency), "most": as_money(most, table.currency)}
    sentence = (
        _("Choose a stack of %(least)s to %(most)s.")
        if stack is None
        else _("You can add %(least)s to %(most)s to your stack.")
    )
    named = {name: as_text(money) for name, money in bounds.items()}
    raise BadStack(sentence % named, least=least, most=most)


def pay_in(table: LockedTable, seat: Seat, *, no: int, amount: Money) -> None:
    """Take payment `no` of a seat; there is no rake on it, only on winnings (RB 8.1)."""
    buy_in(table, seat, no=no, escrow=table.escrow, amount=amount, rake_bps=0)
