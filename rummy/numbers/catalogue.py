"""All tables, in the order in which they are measured and shown."""

from __future__ import annotations

from typing import Final

from rummy.numbers import counted, deals, dealt, drops, pools, straight_deals
from rummy.numbers.table import Table

TABLES: Final[tuple[Table, ...]] = (
    counted.TABLE,
    dealt.DEALT,
    dealt.JOKERS,
    deals.PLAYED_ON,
    deals.POINTS,
    drops.TABLE,
    pools.TABLE,
    straight_deals.TABLE,
)
