"""House rules as data: one frozen object, every house rule a field, a text that reads back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Final, Literal, get_args, get_type_hints

from rummy.errors import RulesError

Family = Literal["thirteen"]
Game = Literal["points", "pool", "deals"]
LifeOfFour = Literal["none", "any", "other"]
OpenJoker = Literal["first_only", "never", "always"]
Unmet = Literal["all", "pure_exempt"]
UnmetPoints = Literal["sum", "flat"]

LONGEST_NUMBER: Final = 10
LONGEST_NAME: Final = 100
CODES_OF_CHOICES: Final = (Family, Game, LifeOfFour, OpenJoker, Unmet, UnmetPoints)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """The rules one house plays by; two houses differ in almost every number (RB, opening words).

    >>> PROFILE = Rules(name="kitchen", limit=101, game="pool")
    >>> PROFILE.first_drop, PROFILE.cap, PROFILE.with_(cap=60).cap
    (20, 80, 60)
    >>> Rules.from_text(PROFILE.to_text()) == PROFILE
    True
    """

    name: str
    version: int = 1
    family: Family = "thirteen"
    game: Game = "points"

    # The people and the cards (RB 1.2).
    players_min: int = 2
    players_max: int = 6
    decks: int = 2
    """Decks for a table below `three_decks_from` players."""
    three_decks_from: int | None = None
    """From how many players a third deck is added; none for never."""
    printed_jokers_per_deck: int = 1

    # Groups and the declaration (RB 2, 3).
    max_jokers_per_sequence: int | None = None
    max_jokers_per_set: int | None = None
    max_set_size: int | None = None
    min_naturals: int = 1
    identical_triples: bool = False
    life_of_four: LifeOfFour = "none"
    loose_jokers: bool = False

    # The price of a hand (RB 4, 5.4).
    first_drop: int = 20
    middle_drop: int = 40
    cap: int = 80
    unmet: Unmet = "all"
    unmet_points: UnmetPoints = "sum"

    # The deal (RB 5).
    drops_allowed: bool = True
    open_joker: OpenJoker = "first_only"
    max_reshuffles: int = 1
    misses_allowed: int = 3

    # The game around the deals (RB 6, 7).
    limit: int | None = None
    """Out at this total; none outside pools."""
    rejoin: bool = False
    max_rejoins: int | None = None
    split: bool = False
    auto_split: bool = False
    deals: int | None = None
    chips: int | None = None
    max_extra_deals: int = 3

    # The clock, whole seconds (RB 5.8, 5.10, 7.3, 7.4).
    turn_seconds: int = 30
    extra_seconds: int = 30
    meld_seconds: int = 30
    gap_seconds: int = 10
    toss_seconds: int = 5
    start_seconds: int = 10
    rejoin_seconds: int = 20
    split_seconds: int = 20

    def __hash__(self) -> int:
        return hash((self.name, self.version))  # Rules are looked up far more often than made.

    def __post_init__(self) -> None:
        for field, kind in _KINDS.items():
            _check_kind(field, getattr(self, field), kind)
        _check(self)

    def decks_for(self, players: int) -> int:
        """Return how many decks a table of `players` uses (RB 1.2).

        >>> Rules(name="v", three_decks_from=5, players_max=5).decks_for(5)
        3
        """
        if self.three_decks_from is not None and players >= self.three_decks_from:
            return 3
        return self.decks

    def refuse_players(self, players: int) -> None:
        """Refuse a number of players that no table of these rules has (RB 1.2).

        >>> Rules(name="kitchen").refuse_players(0)
        Traceback (most recent call last):
        ...
        rummy.errors.RulesError: kitchen is for 2 to 6 players, not 0
        """
        if not self.players_min <= players <= self.players_max:
            span = f"{self.players_min} to {self.players_max}"
            raise RulesError("bad_players", f"{self.name} is for {span} players, not {players}")

    @property
    def decks_max(self) -> int:
        """The most decks any table of these rules uses."""
        return self.decks_for(self.players_max)

    def with_(self, /, **overrides: Any) -> Rules:
        """Return these rules with some fields replaced, checked again.

        >>> Rules(name="kitchen").with_(caps=3)
        Traceback (most recent call last):
        ...
        rummy.errors.RulesError: no rule is called 'caps'
        """
        for field in overrides:
            if field not in _KINDS:
                raise RulesError("unknown_field", f"no rule is called {field!r}")
        return replace(self, **overrides)

    def to_dict(self) -> dict[str, str | int | bool | None]:
        """Return every field by name, in the order of the text form.

        >>> Rules(name="kitchen").to_dict()["first_drop"]
        20
        """
        return {field: getattr(self, field) for field in _KINDS}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Rules:
        """Build rules from every field by name; a missing field is refused, never guessed.

        >>> Rules.from_dict({"name": "kitchen"})
        Traceback (most recent call last):
        ...
        rummy.errors.RulesError: the rule 'version' is missing
        """
        for field in values:
            if field not in _KINDS:
                raise RulesError("unknown_field", f"no rule is called {field!r}")
        for field in _KINDS:
            if field not in values:
                raise RulesError("missing_field", f"the rule {field!r} is missing")
        return cls(**dict(values))

    def to_text(self) -> str:
        """Print the canonical text: one `field: value` a line, in a fixed order.

        >>> Rules(name="kitchen").to_text().splitlines()[:3]
        ['name: kitchen', 'version: 1', 'family: thirteen']
        """
        return "".join(f"{field}: {_print(value)}\n" for field, value in self.to_dict().items())

    @classmethod
    def from_text(cls, text: str) -> Rules:
        """Read the text form; empty lines and lines that open with `#` are skipped.

        >>> Rules.from_text("name: kitchen\\nname: hall")
        Traceback (most recent call last):
        ...
        rummy.errors.RulesError: line 2: the rule 'name' is given twice
        """
        values: dict[str, Any] = {}
        for number, line in enumerate(text.splitlines(), start=1):
            if not line.strip() or line.lstrip().startswith("#"):
                continue
            field, colon, value = line.partition(":")
            field = field.strip()
            if not colon:
                raise RulesError("bad_line", f"line {number}: {line!r} is not 'field: value'")
            if field not in _KINDS:
                raise RulesError("unknown_field", f"line {number}: no rule is called {field!r}")
            if field in values:
                sentence = f"line {number}: the rule {field!r} is given twice"
                raise RulesError("repeated_field", sentence)
            values[field] = _read(field, value.strip())
        return cls.from_dict(values)


def _print(value: str | int | bool | None) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value is None else str(value)


def _read(field: str, text: str) -> str | int | bool | None:
    """Read one value by its field's kind; what does not fit is left for the checks to name."""
    kind = _KINDS[field]
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
    """Refuse a value of the wrong kind; True is no number here."""
    if kind in CODES_OF_CHOICES:
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


MOST: Final = 1_000_000
"""More than any rule counts: points, chips, reshuffles."""
MOST_SECONDS: Final = 86_400
_AT_LEAST: Final = {
    "version": 1,
    "players_min": 2,
    "decks": 1,
    "three_decks_from": 2,
    "printed_jokers_per_deck": 0,
    "max_jokers_per_sequence": 0,
    "max_jokers_per_set": 0,
    "max_set_size": 3,
    "min_naturals": 1,
    "cap": 1,
    "max_reshuffles": 0,
    "misses_allowed": 1,
    "limit": 1,
    "max_rejoins": 0,
    "deals": 1,
    "chips": 1,
    "max_extra_deals": 0,
    "turn_seconds": 1,
    "extra_seconds": 0,
    "meld_seconds": 1,
    "gap_seconds": 0,
    "toss_seconds": 0,
    "start_seconds": 0,
    "rejoin_seconds": 1,
    "split_seconds": 1,
}


def _check(rules: Rules) -> None:
    """Refuse rules that contradict themselves; the pool inequality is RB 6, last line."""
    for field, least in _AT_LEAST.items():
        value = getattr(rules, field)
        if value is not None and value < least:
            raise RulesError("bad_value", f"the rule {field!r} is at least {least}, not {value}")
    for field, kind in _KINDS.items():
        value, most = getattr(rules, field), MOST_SECONDS if "seconds" in field else MOST
        if kind in {int, int | None} and value is not None and value > most:
            raise RulesError("bad_value", f"the rule {field!r} is at most {most}")
    if len(rules.name) > LONGEST_NAME:
        raise RulesError("bad_value", f"the rule 'name' has at most {LONGEST_NAME} letters")
    if not rules.name or rules.name != rules.name.strip() or not rules.name.isprintable():
        raise RulesError("bad_value", f"the rule 'name' is a printable name, not {rules.name!r}")
    if not rules.players_min <= rules.players_max <= 6:
        raise RulesError("bad_players", "players_min <= players_max <= 6 does not hold")
    if rules.decks > 3 or rules.printed_jokers_per_deck > 4:
        raise RulesError("bad_decks", "at most three decks with four printed jokers each")
    dealt = 13 * rules.players_max + 3
    if dealt > rules.decks_max * (52 + rules.printed_jokers_per_deck):
        raise RulesError("bad_decks", f"{rules.players_max} players need more decks")
    if rules.min_naturals > 3:
        raise RulesError("bad_value", "the rule 'min_naturals' is at most 3: groups of three exist")
    if not 0 < rules.first_drop <= rules.middle_drop <= rules.cap:
        raise RulesError("bad_drops", "0 < first_drop <= middle_drop <= cap does not hold")
    _check_game(rules)


def _check_game(rules: Rules) -> None:
    if (rules.game == "pool") != (rules.limit is not None):
        raise RulesError("bad_limit", "a pool has a limit, and nothing else has")
    if {rules.game == "deals"} != {rules.deals is not None, rules.chips is not None}:
        raise RulesError("bad_deals", "deals rummy has deals and chips, and nothing else has")
    if rules.limit is None:
        if rules.rejoin or rules.split or rules.auto_split:
            raise RulesError("bad_limit", "rejoin and split belong to pools")
    elif not rules.cap < rules.limit or rules.limit - rules.first_drop - 2 < 0:
        raise RulesError("bad_limit", "cap < limit and limit - first_drop >= 2 do not hold")


_HINTS: Final = get_type_hints(Rules)
_KINDS: Final[dict[str, Any]] = {field.name: _HINTS[field.name] for field in fields(Rules)}
