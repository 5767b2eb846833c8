"""The base class of house rules as data, common to all families.

A family's rules are a frozen dataclass of flags, numbers, names and choices, validated on creation,
with a text form that can be parsed again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, Final, Literal, Self, get_args, get_origin, get_type_hints

from rummy.errors import RulesError

LONGEST_NUMBER: Final = 10
LONGEST_NAME: Final = 100
MOST: Final = 1_000_000
"""The upper bound of all numbers in rules: points, chips, reshuffles."""
MOST_SECONDS: Final = 86_400
_KINDS: Final[dict[type, dict[str, Any]]] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class HouseRules:
    """A rules profile; a subclass adds its family's fields and checks."""

    name: str
    version: int = 1
    family: str
    game: str
    players_min: int = 2
    players_max: int = 6

    AT_LEAST: ClassVar[Mapping[str, int]] = {
        "version": 1,
        "players_min": 2,
        "misses_allowed": 1,
        "turn_seconds": 1,
        "extra_seconds": 0,
        "gap_seconds": 0,
        "toss_seconds": 0,
        "start_seconds": 0,
    }
    """The least value of each number; every family has a clock."""

    def __hash__(self) -> int:
        # Cached, because rules are hashed far more often than created.
        return hash((self.name, self.version))

    def __post_init__(self) -> None:
        kinds = kinds_of(type(self))
        for field, kind in kinds.items():
            _check_kind(field, getattr(self, field), kind)
        _check_numbers(self, kinds)
        if len(self.name) > LONGEST_NAME:
            raise RulesError("bad_value", f"the rule 'name' has at most {LONGEST_NAME} letters")
        if not self.name or self.name != self.name.strip() or not self.name.isprintable():
            raise RulesError("bad_value", f"the rule 'name' is a printable name, not {self.name!r}")
        if not self.players_min <= self.players_max <= 6:
            raise RulesError("bad_players", "players_min <= players_max <= 6 does not hold")
        self._check()

    @property
    def variant(self) -> str:
        """The name of these rules for players: `Pool 101`, `Straight 100`."""
        raise NotImplementedError

    def misses_allowed_for(self, players: int) -> int:
        """Return the missed turns in a row after which a seat is out of a deal (RB 5.8).

        >>> from rummy import Rules
        >>> Rules(name="kitchen").misses_allowed_for(4)
        3
        """
        raise NotImplementedError

    def _check(self) -> None:
        """Raise `RulesError` if fields contradict each other."""
        raise NotImplementedError

    def refuse_players(self, players: int) -> None:
        """Raise `RulesError` for a number of players outside these rules (RB 1.2).

        >>> from rummy import Rules
        >>> Rules(name="kitchen").refuse_players(0)
        Traceback (most recent call last):
        ...
        rummy.errors.RulesError: kitchen is for 2 to 6 players, not 0
        """
        if not self.players_min <= players <= self.players_max:
            span = f"{self.players_min} to {self.players_max}"
            raise RulesError("bad_players", f"{self.name} is for {span} players, not {players}")

    def with_(self, /, **overrides: Any) -> Self:
        """Return these rules with some fields replaced, validated again.

        >>> from rummy import Rules
        >>> Rules(name="kitchen").with_(caps=3)
        Traceback (most recent call last):
        ...
        rummy.errors.RulesError: no rule is called 'caps'
        """
        for field in overrides:
            if field not in kinds_of(type(self)):
                raise RulesError("unknown_field", f"no rule is called {field!r}")
        return replace(self, **overrides)

    def to_dict(self) -> dict[str, str | int | bool | None]:
        """Return all fields by name, in the order of the text form.

        >>> from rummy import Rules
        >>> Rules(name="kitchen").to_dict()["first_drop"]
        20
        """
        return {field: getattr(self, field) for field in kinds_of(type(self))}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Return the rules of a dictionary with all fields; raise `RulesError` for a missing one.

        >>> from rummy import Rules
        >>> Rules.from_dict({"name": "kitchen"})
        Traceback (most recent call last):
        ...
        rummy.errors.RulesError: the rule 'version' is missing
        """
        for field in values:
            if field not in kinds_of(cls):
                raise RulesError("unknown_field", f"no rule is called {field!r}")
        for field in kinds_of(cls):
            if field not in values:
                raise RulesError("missing_field", f"the rule {field!r} is missing")
        return cls(**dict(values))

    def to_text(self) -> str:
        """Return the canonical text: one `field: value` a line, in a fixed order.

        >>> from rummy import Rules
        >>> Rules(name="kitchen").to_text().splitlines()[:3]
        ['name: kitchen', 'version: 1', 'family: thirteen']
        """
        return "".join(f"{field}: {_print(value)}\n" for field, value in self.to_dict().items())

    @classmethod
    def from_text(cls, text: str) -> Self:
        """Parse the text form; empty lines and lines that begin with `#` are skipped.

        >>> from rummy import Rules
        >>> Rules.from_text("name: kitchen\\nname: hall")
        Traceback (most recent call last):
        ...
        rummy.errors.RulesError: line 2: the rule 'name' is given twice
        """
        kinds = kinds_of(cls)
        values: dict[str, Any] = {}
        for number, line in enumerate(text.splitlines(), start=1):
            if not line.strip() or line.lstrip().startswith("#"):
                continue
            field, colon, value = line.partition(":")
            field = field.strip()
            if not colon:
                raise RulesError("bad_line", f"line {number}: {line!r} is not 'field: value'")
            if field not in kinds:
                raise RulesError("unknown_field", f"line {number}: no rule is called {field!r}")
            if field in values:
                sentence = f"line {number}: the rule {field!r} is given twice"
                raise RulesError("repeated_field", sentence)
            values[field] = _read(kinds[field], value.strip())
        return cls.from_dict(values)


def _print(value: str | int | bool | None) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value is None else str(value)


def _read(kind: Any, text: str) -> str | int | bool | None:
    """Parse a value by its field's type; return other text unchanged for the checks."""
    if kind is bool and text in {"yes", "no"}:
        return text == "yes"
    if kind == int | None and text == "none":
        return None
    if kind is int or kind == int | None:
        digits = text.removeprefix("-")
        readable = digits.isascii() and digits.isdigit() and len(digits) < LONGEST_NUMBER
        return int(text) if readable and str(int(text)) == text else text
    return text


def _check_kind(field: str, value: object, kind: Any) -> None:
    """Raise `RulesError` for a value of the wrong type; a bool is not a number."""
    if get_origin(kind) is Literal:
        choices = get_args(kind)
        fits, wanted = value in choices, "one of " + ", ".join(choices)
    elif kind is bool:
        fits, wanted = isinstance(value, bool), "yes or no"
    elif kind is str:
        fits, wanted = isinstance(value, str), "a text"
    else:
        whole = isinstance(value, int) and not isinstance(value, bool)
        fits = whole or (value is None and kind is not int)
        wanted = "a whole number" if kind is int else "a whole number or none"
    if not fits:
        raise RulesError("bad_value", f"the rule {field!r} is {wanted}, not {value!r}")


def _check_numbers(rules: HouseRules, kinds: Mapping[str, Any]) -> None:
    for field, least in rules.AT_LEAST.items():
        value = getattr(rules, field)
        if value is not None and value < least:
            raise RulesError("bad_value", f"the rule {field!r} is at least {least}, not {value}")
    for field, kind in kinds.items():
        value, most = getattr(rules, field), MOST_SECONDS if "seconds" in field else MOST
        if kind in {int, int | None} and value is not None and value > most:
            raise RulesError("bad_value", f"the rule {field!r} is at most {most}")


def kinds_of(rules: type[HouseRules]) -> dict[str, Any]:
    """Return the type of every field, in the order of the text form.

    >>> from rummy import Rules
    >>> list(kinds_of(Rules))[:3], kinds_of(Rules)["cap"]
    (['name', 'version', 'family'], <class 'int'>)
    """
    if rules not in _KINDS:
        hints = get_type_hints(rules)
        _KINDS[rules] = {field.name: hints[field.name] for field in fields(rules)}
    return _KINDS[rules]
