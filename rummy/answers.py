"""Questions and answers as plain dictionaries: what the command line reads and prints as JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from rummy.arrangement import LARGEST_HAND, best_arrangement, declarable
from rummy.cards import Rank, format_cards, parse_card, parse_cards, parse_rank, wild_rank
from rummy.declaration import check_declaration
from rummy.errors import NotationError, RulesError, RummyError
from rummy.groups import judge_group
from rummy.moves import parse_groups
from rummy.payouts import points_payout, prize, rake
from rummy.pool import rejoin_offer, split_offer
from rummy.profiles import profile
from rummy.rules import Rules

DEFAULT_PROFILE: Final = "total-rummy-points"

Query = Mapping[str, Any]
Answer = dict[str, Any]


def score(query: Query) -> Answer:
    """Price a hand: `hand`, `wild`, and optionally `profile` and `rules`.

    >>> answer = score({"hand": "5H 6H 7H KD KS 2C", "wild": "9"})
    >>> answer["points"], answer["unmet"], answer["declarable"]
    (40, 'one_sequence_only', False)
    """
    _refuse_others(query, {"hand", "wild", "profile", "rules"})
    rules, wild = _rules(query), _wild(query)
    hand = parse_cards(_text(query, "hand"))
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


def declare(query: Query) -> Answer:
    """Judge a declaration: `groups`, `wild`, and optionally `held`, `profile` and `rules`.

    >>> declare({"groups": ["5H 6H 7H", "KD KS KC"], "wild": "9"})["reasons"]
    ['one_sequence_only', 'wrong_number_of_cards']
    """
    _refuse_others(query, {"groups", "held", "wild", "profile", "rules"})
    rules, wild = _rules(query), _wild(query)
    asked = query.get("groups")
    if isinstance(asked, str):
        groups = list(parse_groups(asked))
    elif isinstance(asked, list) and all(isinstance(group, str) for group in asked):
        groups = [parse_cards(group) for group in asked]
    else:
        raise NotationError("bad_groups", "'groups' is a list of texts, one a group")
    held = parse_cards(_text(query, "held")) if "held" in query else None
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
    """Share a pool: `scores` of the survivors, `started`, `entries`, `entry`, `rake_bps`.

    >>> split({"profile": "total-rummy-pool-101", "scores": [40, 81], "started": 3,
    ...        "entries": 7, "entry": 10000, "rake_bps": 1000})["shares"]
    [45000, 18000]
    """
    numbers = {"started", "entries", "entry", "rake_bps"}
    _refuse_others(query, {"profile", "rules", "scores", *numbers})
    offer = split_offer(
        _rules(query),
        _numbers(query, "scores"),
        started=_number(query, "started"),
        entries=_number(query, "entries"),
        entry=_number(query, "entry"),
        bps=_number(query, "rake_bps"),
    )
    shares = None if offer.shares is None else list(offer.shares)
    return {"eligible": offer.eligible, "auto": offer.auto, "shares": shares, "why": offer.why}


def rejoin(query: Query) -> Answer:
    """Say whether those out may rejoin: `scores` of the survivors and `started`.

    >>> rejoin({"profile": "total-rummy-pool-101", "scores": [0, 79], "started": 3})
    {'allowed': True, 'score': 80, 'why': None}
    """
    _refuse_others(query, {"profile", "rules", "scores", "started"})
    offer = rejoin_offer(
        _rules(query), _numbers(query, "scores"), started=_number(query, "started")
    )
    return {"allowed": offer.allowed, "score": offer.score, "why": offer.why}


def payout(query: Query) -> Answer:
    """Price points rummy (`points`, `value`, `rake_bps`) or a prize (`entries`, `entry`, ...).

    >>> payout({"points": [0, 15, 25, 10, 20, 5], "value": 100, "rake_bps": 0})["net"]
    7500
    >>> payout({"entries": 7, "entry": 10000, "rake_bps": 1000})
    {'prize': 63000, 'rake': 7000}
    """
    bps = _number(query, "rake_bps")
    if "points" in query:
        _refuse_others(query, {"points", "value", "rake_bps"})
        points, value = _numbers(query, "points"), _number(query, "value")
        paid = points_payout(points, value=value, bps=bps)
        return {
            "losses": list(paid.losses),
            "gross": paid.gross,
            "rake": paid.rake,
            "net": paid.net,
        }
    _refuse_others(query, {"entries", "entry", "rake_bps"})
    entries, entry = _number(query, "entries"), _number(query, "entry")
    return {"prize": prize(entries, entry, bps), "rake": entries * rake(entry, bps)}


ANSWERS: Final[Mapping[str, Callable[[Query], Answer]]] = {
    "score": score,
    "declare": declare,
    "split": split,
    "rejoin": rejoin,
    "payout": payout,
}


def refusal(error: RummyError) -> Answer:
    """Return what is answered to a question that cannot be.

    >>> refusal(RummyError("bad_card", "no card"))
    {'error': 'bad_card', 'message': 'no card'}
    """
    return {"error": error.code, "message": error.message}


def _refuse_others(query: Query, known: Iterable[str]) -> None:
    for name in query:
        if name not in known:
            raise NotationError("unknown_field", f"no field is called {name!r} here")


def _missing(query: Query, name: str) -> Any:
    if name not in query:
        raise NotationError("missing_field", f"the field {name!r} is missing")
    return query[name]


def _text(query: Query, name: str) -> str:
    value = _missing(query, name)
    if not isinstance(value, str):
        raise NotationError("bad_field", f"the field {name!r} is a text, not {value!r}")
    return value


def _number(query: Query, name: str) -> int:
    value = _missing(query, name)
    if not isinstance(value, int) or isinstance(value, bool):
        raise NotationError("bad_field", f"the field {name!r} is a whole number, not {value!r}")
    if value < 0:
        raise NotationError("negative_number", f"the field {name!r} is not below 0")
    return value


def _numbers(query: Query, name: str) -> list[int]:
    values = _missing(query, name)
    if not isinstance(values, list):
        raise NotationError("bad_field", f"the field {name!r} is a list of whole numbers")
    return [_number({name: value}, name) for value in values]


def _wild(query: Query) -> Rank:
    """Read the wild rank: a rank (`7`), or the card turned up (`7H`, `PJ`)."""
    text = _text(query, "wild")
    if len(text.strip()) == 1 or text.strip() == "10":
        return parse_rank(text)
    return wild_rank(parse_card(text))


def _rules(query: Query) -> Rules:
    name = query.get("profile", DEFAULT_PROFILE)
    if not isinstance(name, str):
        raise RulesError("unknown_profile", f"a profile is a name, not {name!r}")
    overrides = query.get("rules", {})
    if not isinstance(overrides, dict):
        raise RulesError("bad_rules", "'rules' are fields and their values")
    return profile(name).with_(**overrides)
