"""The rules of Indian and straight rummy: exact scores, deals, pools, fair shuffles; pure Python.

>>> rules = PROFILES["total-rummy-pool-101"]
>>> hand = parse_cards("5H 6H 7H 9C TC JC PJ 4D 4S 4H KD QD 2C")
>>> best_arrangement(hand, wild=Rank.KING, rules=rules).to_text()
'9C TC JC | 5H 6H 7H | QD KD PJ | 4D 4H 4S / 2C'
"""

from rummy import bots
from rummy.bots.advice import best_discard
from rummy.errors import (
    HistoryError,
    IllegalMove,
    ImpossibleHand,
    MoneyError,
    NotationError,
    RulesError,
    RummyError,
)
from rummy.families import (
    ALL_PROFILES,
    AnyDeal,
    AnyFamily,
    AnyOutcome,
    AnyResult,
    AnyRules,
    AnySeatView,
    AnyView,
    Family,
    family_of,
    rules_from_text,
    start,
)
from rummy.history import files as history
from rummy.history.files import History
from rummy.history.heads import first_head, last_head, next_head, rules_sha256
from rummy.money import chips, payouts, pool
from rummy.money.whole_pool import Pool, PoolSeat
from rummy.notation.cards import Card, Rank, Suit, format_cards, parse_card, parse_cards, parse_rank
from rummy.notation.moves import (
    Discard,
    Draw,
    Drop,
    LayOff,
    Leave,
    Meld,
    Miss,
    Move,
    Show,
    TurnOver,
    parse_groups,
    parse_move,
    parse_sent,
)
from rummy.notation.profiles import PROFILES, profile
from rummy.notation.rules import Rules
from rummy.notation.shuffle import Stream, chained, commitment, toss, toss_order, turn_order
from rummy.solver.arrangement import Arrangement, best_arrangement, declarable, hand_points
from rummy.solver.declaration import Verdict, check_declaration
from rummy.solver.groups import Group, GroupVerdict, Kind, judge_group
from rummy.straight.rules import StraightRules
from rummy.thirteen import Deal, Outcome, SeatView, View
from rummy.thirteen.position import format_position, parse_position

__version__ = "1.0.0"

__all__ = [
    "ALL_PROFILES",
    "PROFILES",
    "AnyDeal",
    "AnyFamily",
    "AnyOutcome",
    "AnyResult",
    "AnyRules",
    "AnySeatView",
    "AnyView",
    "Arrangement",
    "Card",
    "Deal",
    "Discard",
    "Draw",
    "Drop",
    "Family",
    "Group",
    "GroupVerdict",
    "History",
    "HistoryError",
    "IllegalMove",
    "ImpossibleHand",
    "Kind",
    "LayOff",
    "Leave",
    "Meld",
    "Miss",
    "MoneyError",
    "Move",
    "NotationError",
    "Outcome",
    "Pool",
    "PoolSeat",
    "Rank",
    "Rules",
    "RulesError",
    "RummyError",
    "SeatView",
    "Show",
    "StraightRules",
    "Stream",
    "Suit",
    "TurnOver",
    "Verdict",
    "View",
    "best_arrangement",
    "best_discard",
    "bots",
    "chained",
    "check_declaration",
    "chips",
    "commitment",
    "declarable",
    "family_of",
    "first_head",
    "format_cards",
    "format_position",
    "hand_points",
    "history",
    "judge_group",
    "last_head",
    "next_head",
    "parse_card",
    "parse_cards",
    "parse_groups",
    "parse_move",
    "parse_position",
    "parse_rank",
    "parse_sent",
    "payouts",
    "pool",
    "profile",
    "rules_from_text",
    "rules_sha256",
    "start",
    "toss",
    "toss_order",
    "turn_order",
]
