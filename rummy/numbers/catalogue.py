"""All tables, in the order in which they are measured and shown."""

from __future__ import annotations

from typing import Final

from rummy.numbers import counted, deals, dealt, first_drops, pools, straight_deals
from rummy.numbers.table import Table

TABLES: Final[tuple[Table, ...]] = (
    counted.TABLE,
    dealt.TABLE,
    deals.PLAYED_ON,
    first_drops.POINTS,
    first_drops.POOLS,
    # By bots that drop by the two tables before.
    deals.POINTS,
    pools.TABLE,
    straight_deals.TABLE,
)
