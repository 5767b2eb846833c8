"""The functions behind the command line: questions and answers as JSON-like dictionaries."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from rummy.command_line import records
from rummy.command_line.questions import (
    Answer,
    Query,
    number_of,
    numbers_of,
    refuse_others,
    rules_of,
    text_of,
    thirteen_rules_of,
    wild_of,
)
from rummy.errors import ImpossibleHand, NotationError, RulesError, RummyError
from rummy.money.payouts import points_payout, prize, rake
from rummy.money.pool import rejoin_offer, split_offer
from rummy.notation.cards import Card, Rank, format_cards, parse_cards
from rummy.notation.moves import parse_groups
from rummy.notation.rules import Rules
from rummy.solver.arrangement import LARGEST_HAND, best_arrangement, declarable
from rummy.solver.declaration import check_declaration
from rummy.solver.groups import judge_group
from rummy.straight.melds import melds_in
from rummy.straight.rules import StraightRules


def score(query: Query) -> Answer:
    """Price a hand: `hand`, `wild`, and optionally `profile` and `rules`.

    >>> answer = score({"hand": "5H 6H 7H KD KS 2C", "wild": "9"})
    >>> answer["points"], answer["unmet"], answer["declarable"]
    (40, 'one_sequence_only', False)

    In straight rummy all cards of a hand count; `groups` are the melds that may be laid from it.

    >>> score({"hand": "5H 6H 7H AC KD", "profile": "straight"})
    {'points': 29, 'groups': [{'kind': 'run', 'cards': '5H 6H 7H'}]}
    """
    refuse_others(query, {"hand", "wild", "profile", "rules"})
    rules = rules_of(query)
    if isinstance(rules, StraightRules):
        return _straight_score(query, rules)
    wild = wild_of(query)
    hand = parse_cards(text_of(query, "hand"))
    best = best_arrangement(hand, wild=wild, rules=rules)
    if len(hand) == LARGEST_HAND:
        finishes = [card for card, _ in declarable(hand, wild=wild, rules=rules)]
    else:
        finishes = []
    answer = {
        "points": best.points,
        "raw_points": best.raw_points,
        "declarable": bool(finishes) or (len(hand) == LARGEST_HAND - 1 and best.declares(rules)),
        "groups": [{"kind": group.kind.value, "cards": str(group)} for group in best.groups],
        "deadwood": format_cards(best.deadwood),
        "unmet": best.unmet,
    }
    if len(hand) == LARGEST_HAND:
        answer["finish_cards"] = format_cards(finishes)
    return answer


def _straight_score(query: Query, rules: StraightRules) -> Answer:
    hand = parse_cards(text_of(query, "hand"))
    if "wild" in query:
        raise RulesError("wrong_family", f"{rules.name} has no wild cards")
    if any(card.is_printed_joker for card in hand) or len(set(hand)) < len(hand):
        raise ImpossibleHand("too_many_of_a_card", "one pack without jokers has no such hand")
    return {
        "points": sum(map(rules.points_of, hand)),
        "groups": [
            {"kind": _kind(cards), "cards": format_cards(cards)} for cards in melds_in(hand, rules)
        ],
    }


def _kind(cards: tuple[Card, ...]) -> str:
    return "set" if cards[0].rank is cards[1].rank else "run"


def declare(query: Query) -> Answer:
    """Check a declaration: `groups`, `wild`, and optionally `held`, `profile` and `rules`.

    >>> declare({"groups": ["5H 6H 7H", "KD KS KC"], "wild": "9"})["reasons"]
    ['one_sequence_only', 'wrong_number_of_cards']
    """
    refuse_others(query, {"groups", "held", "wild", "profile", "rules"})
    rules, wild = thirteen_rules_of(query), wild_of(query)
    asked = query.get("groups")
    if isinstance(asked, str):
        groups = list(parse_groups(asked))
    elif isinstance(asked, list) and all(isinstance(group, str) for group in asked):
        groups = [parse_cards(group) for group in asked]
    else:
        raise NotationError("bad_groups", "'groups' is a list of texts, one a group")
    held = parse_cards(text_of(query, "held")) if "held" in query else None
    verdict = check_declaration(groups, wild=wild, rules=rules, held=held)
    return {
        "valid": verdict.valid,
        "reasons": list(verdict.reasons),
        "groups": [_group(group, wild, rules) for group in groups],
    }


def _group(cards: tuple[Any, ...], wild: Rank, rules: Rules) -> Answer:
    judged = judge_group(cards, wild=wild, rules=rules)
    kind = judged.kind.value if judged.kind else None
    return {"cards": format_cards(cards), "kind": kind, "reasons": list(judged.reasons)}


def split(query: Query) -> Answer:
    """Split a pool: `scores` of the survivors, `started`, `entries`, `entry`, `rake_bps`.

    >>> split({"profile": "total-rummy-pool-101", "scores": [40, 81], "started": 3,
    ...        "entries": 7, "entry": 10000, "rake_bps": 1000})["shares"]
    [45000, 18000]
    """
    numbers = {"started", "entries", "entry", "rake_bps"}
    refuse_others(query, {"profile", "rules", "scores", *numbers})
    offer = split_offer(
        thirteen_rules_of(query),
        numbers_of(query, "scores"),
        started=number_of(query, "started"),
        entries=number_of(query, "entries"),
        entry=number_of(query, "entry"),
        bps=number_of(query, "rake_bps"),
    )
    shares = None if offer.shares is None else list(offer.shares)
    return {"eligible": offer.eligible, "auto": offer.auto, "shares": shares, "why": offer.why}


def rejoin(query: Query) -> Answer:
    """Return whether eliminated players may rejoin: `scores` of the survivors and `started`.

    >>> rejoin({"profile": "total-rummy-pool-101", "scores": [0, 79], "started": 3})
    {'allowed': True, 'score': 80, 'why': None}
    """
    refuse_others(query, {"profile", "rules", "scores", "started"})
    offer = rejoin_offer(
        thirteen_rules_of(query), numbers_of(query, "scores"), started=number_of(query, "started")
    )
    return {"allowed": offer.allowed, "score": offer.score, "why": offer.why}


def payout(query: Query) -> Answer:
    """Price points rummy (`points`, `value`, `rake_bps`) or a prize (`entries`, `entry`, ...).

    Points above the cap of the rules are refused (RB 4.3).

    >>> payout({"points": [0, 15, 25, 10, 20, 5], "value": 100, "rake_bps": 0})["net"]
    7500
    >>> payout({"entries": 7, "entry": 10000, "rake_bps": 1000})
    {'prize': 63000, 'rake': 7000}
    """
    bps = number_of(query, "rake_bps")
    if "points" in query:
        refuse_others(query, {"points", "value", "rake_bps", "profile", "rules"})
        points, value = numbers_of(query, "points"), number_of(query, "value")
        rules = thirteen_rules_of(query)
        rules.refuse_players(len(points))
        if max(points) > rules.cap:
            raise NotationError(
                "too_many_points", f"a deal costs {rules.cap} points at most, not {max(points)}"
            )
        paid = points_payout(points, value=value, bps=bps)
        return {
            "losses": list(paid.losses),
            "gross": paid.gross,
            "rake": paid.rake,
            "net": paid.net,
        }
    refuse_others(query, {"entries", "entry", "rake_bps"})
    entries, entry = number_of(query, "entries"), number_of(query, "entry")
    if not entries:
        raise NotationError("bad_entries", "a prize needs at least one entry")
    return {"prize": prize(entries, entry, bps), "rake": entries * rake(entry, bps)}


ANSWERS: Final[Mapping[str, Callable[[Query], Answer]]] = {
    "score": score,
    "declare": declare,
    "split": split,
    "rejoin": rejoin,
    "payout": payout,
    "deal": records.deal,
    "replay": records.replay,
    "verify": records.verify,
    "perft": records.perft,
}


def refusal(error: RummyError) -> Answer:
    """Return the answer to a refused question.

    >>> refusal(RummyError("bad_card", "no card"))
    {'error': 'bad_card', 'message': 'no card'}
    """
    return {"error": error.code, "message": error.message}
