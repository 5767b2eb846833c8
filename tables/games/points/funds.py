"""What a points table costs: the smallest and the largest stack, and paying one in (RB 8.1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from django.utils.translation import gettext as _
from moneyed import Money

import rummy
from tables.exceptions import BadStack
from tables.games.buy_ins import buy_in
from tables.games.thirteen.cards import thirteen_rules
from tables.models.seats import Seat
from tables.models.tables import Table
from tables.state.locks import LockedTable
from tables.state.rules import rules_of
from wallet.ledger.money import as_money, as_text, minor_units
from wallet.stakes import stacks

# The largest stack, in smallest ones.
LARGEST_STACK_TIMES: Final = 10


def smallest_stack_minor(table: Table) -> int:
    """Return what a seat needs to be dealt in: nobody can lose more in one deal (RB 8.1)."""
    cap = thirteen_rules(rules_of(table.profile)).cap
    return rummy.payouts.points_hold(cap, table.point_value_minor)


def largest_stack_minor(table: Table) -> int:
    """Return the most a player may bring to the table, top-ups included (RB 8.1)."""
    return LARGEST_STACK_TIMES * smallest_stack_minor(table)


def funded_seats(table: Table) -> list[Seat]:
    """Return the seats that would be dealt in now: there, with a stack that bears a deal."""
    held, smallest = stacks.stacks_in(table.escrow), smallest_stack_minor(table)
    there = table.seats.present().filter(sits_out_since__isnull=True).order_by("pk")
    return [seat for seat in there if held.get(seat.player_id, 0) >= smallest]


def short_seats(table: Table, seats: Sequence[Seat]) -> list[Seat]:
    """Return those of the seats whose stack does not bear another deal."""
    held: Mapping[int, int] = stacks.stacks_in(table.escrow) if seats else {}
    smallest = smallest_stack_minor(table)
    return [seat for seat in seats if held.get(seat.player_id, 0) < smallest]


def refuse_stack(table: Table, amount: Money, *, stack: Money | None = None) -> None:
    """Raise `BadStack` unless the amount, added to the stack, is within the bounds."""
    held = 0 if stack is None else minor_units(stack)
    least = max(1, smallest_stack_minor(table) - held)
    most = largest_stack_minor(table) - held
    if least <= minor_units(amount) <= most:
        return
    if most < least:
        raise BadStack(_("Your stack is as large as it may be here."), least=0, most=0)
    bounds = {"least": as_money(least, table.currency), "most": as_money(most, table.currency)}
    sentence = (
        _("Sit down here with a stack of %(least)s to %(most)s.")
        if stack is None
        else _("You can add %(least)s to %(most)s to your stack.")
    )
    named = {name: as_text(money) for name, money in bounds.items()}
    raise BadStack(sentence % named, least=least, most=most)


def pay_in(table: LockedTable, seat: Seat, *, no: int, amount: Money) -> None:
    """Take payment `no` of a seat; rake is of what is won, so nothing is the house's (RB 8.1)."""
    buy_in(table, seat, no=no, escrow=table.escrow, amount=amount, rake_bps=0)
