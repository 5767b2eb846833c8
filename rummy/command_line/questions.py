"""Parsing of a question's fields; invalid fields are refused with a code."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from rummy.errors import NotationError, RulesError
from rummy.families import AnyRules, profile_named
from rummy.notation.cards import Rank, parse_card, parse_rank, wild_rank
from rummy.notation.rules import Rules

DEFAULT_PROFILE: Final = "total-rummy-points"
LARGEST_NUMBER: Final = 10**15

Query = Mapping[str, Any]
Answer = dict[str, Any]


def refuse_others(query: Query, known: Iterable[str]) -> None:
    """Raise `NotationError` for a field that the question does not have.

    >>> refuse_others({"colour": "red"}, {"hand", "wild"})
    Traceback (most recent call last):
    ...
    rummy.errors.NotationError: no field is called 'colour' here
    """
    for name in query:
        if name not in known:
            raise NotationError("unknown_field", f"no field is called {name!r} here")


def field_of(query: Query, name: str) -> Any:
    """Return a required field.

    >>> field_of({"wild": "7"}, "hand")
    Traceback (most recent call last):
    ...
    rummy.errors.NotationError: the field 'hand' is missing
    """
    if name not in query:
        raise NotationError("missing_field", f"the field {name!r} is missing")
    return query[name]


def text_of(query: Query, name: str) -> str:
    """Return a required text field.

    >>> text_of({"wild": "7"}, "wild")
    '7'
    """
    value = field_of(query, name)
    if not isinstance(value, str):
        raise NotationError("bad_field", f"the field {name!r} is a text, not {value!r}")
    return value


def number_of(query: Query, name: str) -> int:
    """Return a required field with a whole number >= 0: points, people, minor units.

    >>> number_of({"entry": -100}, "entry")
    Traceback (most recent call last):
    ...
    rummy.errors.NotationError: the field 'entry' is not below 0
    """
    value = field_of(query, name)
    if not isinstance(value, int) or isinstance(value, bool):
        raise NotationError("bad_field", f"the field {name!r} is a whole number, not {value!r}")
    if value < 0:
        raise NotationError("negative_number", f"the field {name!r} is not below 0")
    if value > LARGEST_NUMBER:
        raise NotationError("number_too_large", f"the field {name!r} is above {LARGEST_NUMBER}")
    return value


def list_of(query: Query, name: str) -> list[Any]:
    """Return a required list field.

    >>> list_of({"scores": [20, 55]}, "scores")
    [20, 55]
    """
    values = field_of(query, name)
    if not isinstance(values, list):
        raise NotationError("bad_field", f"the field {name!r} is a list, not {values!r}")
    return values


def numbers_of(query: Query, name: str) -> list[int]:
    """Return a required field with a list of whole numbers.

    >>> numbers_of({"scores": [20, 55]}, "scores")
    [20, 55]
    """
    return [number_of({name: value}, name) for value in list_of(query, name)]


def wild_of(query: Query) -> Rank:
    """Return the wild rank of a rank (`7`) or of the turned-up card (`7H`, `PJ`).

    >>> wild_of({"wild": "PJ"})
    <Rank.ACE: 1>
    """
    text = text_of(query, "wild").strip()
    if len(text) == 1 or text == "10":
        return parse_rank(text)
    return wild_rank(parse_card(text))


def rules_of(query: Query) -> AnyRules:
    """Return the question's profile, changed by the fields in its `rules`.

    >>> rules_of({"profile": "straight", "rules": {"target": 60}}).target
    60
    """
    name = query.get("profile", DEFAULT_PROFILE)
    if not isinstance(name, str):
        raise RulesError("unknown_profile", f"a profile is a name, not {name!r}")
    overrides = query.get("rules", {})
    if not isinstance(overrides, dict):
        raise RulesError("bad_rules", "'rules' are fields and their values")
    return profile_named(name).with_(**overrides)


def thirteen_rules_of(query: Query) -> Rules:
    """Return the question's rules, which must be of the thirteen-card family.

    >>> thirteen_rules_of({"profile": "straight"})
    Traceback (most recent call last):
    ...
    rummy.errors.RulesError: straight is not of the thirteen-card family
    """
    rules = rules_of(query)
    if not isinstance(rules, Rules):
        raise RulesError("wrong_family", f"{rules.name} is not of the thirteen-card family")
    return rules
