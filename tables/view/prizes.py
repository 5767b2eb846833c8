"""The prize of a table as it is shown: what will be paid, or at most."""

from __future__ import annotations

from typing import NamedTuple

import rummy
from tables.models.tables import Table


class PrizeShown(NamedTuple):
    minor: int
    """In minor units, net of rake."""
    is_most: bool
    """Whether fewer players would make it smaller: the seats are not known yet."""


def net_entry(table: Table) -> int:
    """Return the amount that one entry adds to the prize."""
    return rummy.pool.net_entry(table.entry_minor, table.rake_bps)


def prize_shown(table: Table, *, entries: int) -> PrizeShown:
    """Return the prize to show (RB 7.5); `entries` are those paid so far.

    A tournament's tables show the prizes of the tournament. Before the start it is the prize of
    a full table, which sitting down does not change.
    """
    if table.owner_prize_minor is not None:
        return PrizeShown(table.owner_prize_minor, is_most=False)
    if table.phase == Table.Phase.WAITING:
        is_most = table.seats_min < table.seats_max
        return PrizeShown(table.seats_max * net_entry(table), is_most)
    return PrizeShown(entries * net_entry(table), is_most=False)
