"""Deals of the thirteen-card family as environments for learning agents.

`DealEnv` is PettingZoo's AEC environment for all seats, `SeatEnv` Gymnasium's for one seat against
the package's own bots; `BatchEnv` plays many deals at once in NumPy arrays. They need the extra
`learning` (PettingZoo, Gymnasium, NumPy); nothing else of the package imports them.
"""

from rummy.learning.batch import BatchEnv
from rummy.learning.deals import DealEnv
from rummy.learning.encoding import ACTIONS, DRAW_OPEN, DRAW_STOCK, DROP, SHOW, SIZE
from rummy.learning.seats import SeatEnv

__all__ = [
    "ACTIONS",
    "DRAW_OPEN",
    "DRAW_STOCK",
    "DROP",
    "SHOW",
    "SIZE",
    "BatchEnv",
    "DealEnv",
    "SeatEnv",
]
