"""The models of all packages, imported where Django looks for them."""

from tables.history.fairness.models import ClientSeed, Reveal
from tables.history.sharing.models import SharedDeal
from tables.integrity.collusion.models import Finding, FindingDecision, FindingFact, VoidedPrize
from tables.integrity.moderation.dispute_models import Dispute
from tables.integrity.moderation.models import Ruling
from tables.manners.models import Block, PlayerReport
from tables.models.addresses import Address
from tables.models.deals import Deal, DealSeat, DealSecret, Move
from tables.models.seats import BuyIn, Elimination, Score, Seat
from tables.models.tables import Drain, Heartbeat, Outage, StakeMode, Table
from tables.models.templates import BotStrength, NetworkRule, RuleProfile, TableTemplate
from tables.ratings.models import Rating, RatingChange
from tables.seats.models import OriginHashes, ReviewFlag, SeatOrigin
from tables.settlement.models import Answer, Result, Window

__all__ = [
    "Address",
    "Answer",
    "Block",
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
    "PlayerReport",
    "Rating",
    "RatingChange",
    "Result",
    "Reveal",
    "ReviewFlag",
    "RuleProfile",
    "Ruling",
    "Score",
    "Seat",
    "SeatOrigin",
    "SharedDeal",
    "StakeMode",
    "Table",
    "TableTemplate",
    "VoidedPrize",
    "Window",
]
