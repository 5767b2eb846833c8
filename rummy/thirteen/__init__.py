"""The thirteen-card family: points, pool and deals rummy share one deal (RB 2-5)."""

from rummy.thirteen.endings import Outcome, Result, outcome
from rummy.thirteen.state import Deal, full_deck, start
from rummy.thirteen.thrown import thrown_by
from rummy.thirteen.turns import apply
from rummy.thirteen.views import (
    SeatView,
    Shown,
    Status,
    View,
    clock_move,
    extra_ms_left,
    leave_move,
    legal_moves,
    misses,
    public_view,
    status,
    view,
)

__all__ = [
    "Deal",
    "Outcome",
    "Result",
    "SeatView",
    "Shown",
    "Status",
    "View",
    "apply",
    "clock_move",
    "extra_ms_left",
    "full_deck",
    "leave_move",
    "legal_moves",
    "misses",
    "outcome",
    "public_view",
    "start",
    "status",
    "thrown_by",
    "view",
]
