from tables.models.clock import Heartbeat, Outage
from tables.models.deal import Deal, DealSeat, DealSecret, Move
from tables.models.profile import RuleProfile, StakeMode, TableTemplate
from tables.models.result import Elimination, Result, Score
from tables.models.table import BuyIn, Seat, Table
from tables.models.window import Answer, Window

__all__ = [
    "Answer",
    "BuyIn",
    "Deal",
    "DealSeat",
    "DealSecret",
    "Elimination",
    "Heartbeat",
    "Move",
    "Outage",
    "Result",
    "RuleProfile",
    "Score",
    "Seat",
    "StakeMode",
    "Table",
    "TableTemplate",
    "Window",
]
