from tables.models.clock import Heartbeat, Outage
from tables.models.deal import Deal, DealSeat, DealSecret, Move
from tables.models.dispute import Dispute
from tables.models.fairness import ClientSeed, Reveal
from tables.models.house import Drain, OriginHashes, ReviewFlag, Ruling, SeatOrigin
from tables.models.profile import BotStrength, NetworkRule, RuleProfile, StakeMode, TableTemplate
from tables.models.result import Elimination, Result, Score
from tables.models.table import BuyIn, Seat, Table
from tables.models.window import Answer, Window

__all__ = [
    "Answer",
    "BotStrength",
    "BuyIn",
    "ClientSeed",
    "Deal",
    "DealSeat",
    "DealSecret",
    "Dispute",
    "Drain",
    "Elimination",
    "Heartbeat",
    "Move",
    "NetworkRule",
    "OriginHashes",
    "Outage",
    "Result",
    "Reveal",
    "ReviewFlag",
    "RuleProfile",
    "Ruling",
    "Score",
    "Seat",
    "SeatOrigin",
    "StakeMode",
    "Table",
    "TableTemplate",
    "Window",
]
