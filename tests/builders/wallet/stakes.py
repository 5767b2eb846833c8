"""Stakes and their parts."""

from __future__ import annotations

from moneyed import Money

from wallet.stakes import stakes
from wallet.stakes.models import StakePart


def take(player, escrow, entry="100.00", key="buyin:1:1", **options):
    asked = {"rake_bps": 1_000, "key": key} | options
    return stakes.take_stake(player=player, escrow=escrow, entry=Money(entry, "INR"), **asked)


def part_rows(*of):
    rows = StakePart.objects.filter(stake__in=of).order_by("stake", "position")
    return [(row.amount_minor, row.consumed_minor, row.returned_minor) for row in rows]
