"""Straight rummy: open melds, laying off, going out (RB 9)."""

from rummy.notation.states import (
    Status,
    clock_move,
    extra_ms_left,
    leave_move,
    misses,
    thrown_by,
)
from rummy.straight.deal import Deal, start
from rummy.straight.endings import Outcome, Result, opening_lines, outcome, result_lines
from rummy.straight.position import format_position, parse_position
from rummy.straight.rules import HOUSE_RULES, PROFILES, StraightRules, is_over, winner
from rummy.straight.state import TableMeld
from rummy.straight.turns import apply, legal_moves
from rummy.straight.views import (
    SeatView,
    View,
    public_view,
    status,
    view,
    window_seconds,
)

__all__ = [
    "HOUSE_RULES",
    "PROFILES",
    "Deal",
    "Outcome",
    "Result",
    "SeatView",
    "Status",
    "StraightRules",
    "TableMeld",
    "View",
    "apply",
    "clock_move",
    "extra_ms_left",
    "format_position",
    "is_over",
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
    "winner",
]
