"""The models of all rooms, gathered where Django looks for them."""

from tables.collusion.models import Finding, FindingDecision, FindingFact, VoidedPrize
from tables.fairness.models import ClientSeed, Reveal
from tables.moderation.dispute_models import Dispute
from tables.moderation.models import Ruling
from tables.seats.models import OriginHashes, ReviewFlag, SeatOrigin
from tables.settlement.models import Answer, Result, Window
from tables.table.addresses import Address
from tables.table.deal_models import Deal, DealSeat, DealSecret, Move
from tables.table.models import Drain, Heartbeat, Outage, Table
from tables.table.profile_models import (
    BotStrength,
    NetworkRule,
    RuleProfile,
    StakeMode,
    TableTemplate,
)
from tables.table.seat_models import BuyIn, Elimination, Score, Seat

__all__ = [
    "Address",
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
    "Finding",
    "FindingDecision",
    "FindingFact",
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
    "VoidedPrize",
    "Window",
]
