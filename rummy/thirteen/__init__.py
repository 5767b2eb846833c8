"""The thirteen-card family: points, pool and deals rummy share one deal (RB 2-5)."""

from rummy.notation.states import (
    Status,
    clock_move,
    extra_ms_left,
    leave_move,
    misses,
    thrown_by,
)
from rummy.thirteen.deal import Deal, start
from rummy.thirteen.endings import Outcome, Result, opening_lines, outcome, result_lines
from rummy.thirteen.position import format_position, parse_position
from rummy.thirteen.state import full_deck
from rummy.thirteen.turns import apply
from rummy.thirteen.views import (
    SeatView,
    Shown,
    View,
    legal_moves,
    public_view,
    status,
    view,
    window_seconds,
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
    "format_position",
    "full_deck",
    "leave_move",
    "legal_moves",
    "misses",
    "opening_lines",
    "outcome",
    "parse_position",
    "public_view",
    "result_lines",
    "start",
    "status",
    "thrown_by",
    "view",
    "window_seconds",
]
