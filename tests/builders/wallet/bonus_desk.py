"""Bonus lots for tests: grant, read, and let time pass."""

from __future__ import annotations

from datetime import timedelta
from itertools import count

from moneyed import Money

from core.clock import database_now
from tests.builders.processes import clocks
from tests.builders.wallet.players import give_bonus, make_escrow
from wallet.audit.audit import row_findings
from wallet.audit.seals import seal_ledger
from wallet.bonuses.models import BonusGrant, BonusMode
from wallet.stakes import stakes

_numbers = count(1)
RELEASE = BonusMode.RELEASE


def rupees(amount):
    return Money(amount, "INR")


def give(player, amount, *, days=30, **terms):
    """Give a player a lot of so many rupees that ends in so many days."""
    expires_at = database_now() + timedelta(days=days)
    return give_bonus(player, rupees(amount), expires_at=expires_at, **terms)


def join(player, *, entry=100, escrow=None, rake_bps=0, key=None):
    return stakes.take_stake(
        player=player,
        escrow=escrow or make_escrow(),
        entry=rupees(entry),
        rake_bps=rake_bps,
        key=key or f"join:{next(_numbers)}",
    )


def settle(*paid, winner=None, key=None):
    """Let one of the stakes' players win all of them."""
    pot = sum(stake.net_minor for stake in paid)
    return stakes.settle_game(
        escrow=paid[0].escrow,
        stakes=paid,
        prizes=[(winner or paid[0].player, Money(pot / 100, "INR"))],
        key=key or f"finish:desk:{next(_numbers)}",
    )


def left(*lots):
    """Return what is left of lots in the database now, in minor units."""
    now = BonusGrant.objects.in_bulk([lot.pk for lot in lots])
    return [now[lot.pk].remaining_minor for lot in lots]


def parts_of(stake):
    rows = stake.parts.order_by("position").values_list("grant", "amount_minor")
    return [(grant, minor) for grant, minor in rows]


def days_later(days):
    """Let the database's clock show a later day."""
    return clocks.later(days=days)


def findings_later(days=2):
    """Audit when it is later, all being sealed: no transfer is booked on a day to come."""
    seal_ledger()
    with days_later(days):
        return row_findings()
