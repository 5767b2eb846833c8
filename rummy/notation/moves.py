"""Moves and their text; a deal is recorded as its start and a list of these lines.

    p1 ds                            draw from the stock (which card is never in the text)
    p1 do                            draw the open pile's top
    p1 x 7H                          discard
    p1 drop                          give up the deal
    p1 show 5H 6H 7H | ... x KD      declare, the finish card behind the x
    p1 meld 5H 6H 7H | ... / 9C      answer in the meld window, cards left over behind the slash
    p1 meld 5H 6H 7H                 lay a meld on the table (straight rummy)
    p1 lay 8H 2                      lay a card off on the second meld of the table
    p1 turn                          turn the open pile over as the new stock
    p1 miss                          played by the clock
    p1 leave                         the seat leaves the table

Each may end in ` +12000`: milliseconds of extra time used, charged to the seat's bank (RB 5.8).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final, Literal, TypeAlias

from rummy.errors import NotationError
from rummy.notation.cards import Card, format_cards, parse_card, parse_cards

LONGEST_TEXT: Final = 400

_LINE: Final = re.compile(
    r"p(?P<position>[1-9]) +(?P<action>[a-z]+)(?: +(?P<rest>[^+]*?))?(?: +\+(?P<extra>\d{1,9}))?",
    re.ASCII,
)

_MELD_NUMBER: Final = re.compile(r"[1-9]\d?", re.ASCII)


@dataclass(frozen=True, slots=True)
class _Move:
    position: int
    extra_ms: int = field(default=0, kw_only=True)

    @property
    def action(self) -> str:
        """The keyword of the move in its text."""
        return _ACTIONS[type(self)]

    @property
    def text(self) -> str:
        """The move as its player sends it, without position and extra time."""
        return f"{self.action}{self._cards()}"

    @property
    def offer(self) -> str:
        """The text of a legal move; the player adds the groups of a show or meld."""
        return self.text

    def __str__(self) -> str:
        words = f"p{self.position} {self.text}"
        return f"{words} +{self.extra_ms}" if self.extra_ms else words

    def _cards(self) -> str:
        return ""


@dataclass(frozen=True, slots=True)
class Draw(_Move):
    """Draw the next card of the stock or the top of the open pile."""

    source: Literal["stock", "open"]

    @property
    def action(self) -> str:
        return "ds" if self.source == "stock" else "do"


@dataclass(frozen=True, slots=True)
class Discard(_Move):
    card: Card

    def _cards(self) -> str:
        return f" {self.card.text}"


@dataclass(frozen=True, slots=True)
class Drop(_Move):
    """Give the deal up."""


@dataclass(frozen=True, slots=True)
class _Laid(_Move):
    groups: tuple[tuple[Card, ...], ...] = ()
    loose: tuple[Card, ...] = ()

    @property
    def offer(self) -> str:
        return self.text if self.groups else self.action

    def _cards(self) -> str:
        groups = " " + " | ".join(map(format_cards, self.groups)) if self.groups else ""
        return f"{groups} / {format_cards(self.loose)}" if self.loose else groups


@dataclass(frozen=True, slots=True)
class Meld(_Laid):
    """Answer a show with groups; in straight rummy lay one group on the table."""


@dataclass(frozen=True, slots=True)
class Show(_Laid):
    """Declare with these groups, the finish card laid aside."""

    finish: Card = field(kw_only=True)

    def _cards(self) -> str:
        # `super()` without arguments does not work in dataclasses with slots.
        return f"{_Laid._cards(self)} x {self.finish}"


@dataclass(frozen=True, slots=True)
class LayOff(_Move):
    """Add a card to a meld on the table."""

    card: Card
    meld: int
    """The meld's number; 1 for the first one laid."""

    def _cards(self) -> str:
        return f" {self.card} {self.meld}"


@dataclass(frozen=True, slots=True)
class TurnOver(_Move):
    """Turn the open pile over, unshuffled, as the new stock."""


@dataclass(frozen=True, slots=True)
class Miss(_Move):
    """The clock ends a turn, or a window."""


@dataclass(frozen=True, slots=True)
class Leave(_Move):
    """The player leaves the table."""


Move: TypeAlias = Draw | Discard | Drop | Show | Meld | LayOff | TurnOver | Miss | Leave

_ACTIONS: Final[dict[type[_Move], str]] = {
    Discard: "x",
    Drop: "drop",
    Show: "show",
    Meld: "meld",
    LayOff: "lay",
    TurnOver: "turn",
    Miss: "miss",
    Leave: "leave",
}
_WITHOUT_CARDS: Final[dict[str, Callable[[int, int], Move]]] = {
    "ds": lambda position, extra: Draw(position, "stock", extra_ms=extra),
    "do": lambda position, extra: Draw(position, "open", extra_ms=extra),
    "turn": lambda position, extra: TurnOver(position, extra_ms=extra),
    "drop": lambda position, extra: Drop(position, extra_ms=extra),
    "miss": lambda position, extra: Miss(position, extra_ms=extra),
    "leave": lambda position, extra: Leave(position, extra_ms=extra),
}
ACTIONS: Final = {*_WITHOUT_CARDS, "x", "show", "meld", "lay"}
# The other moves are made by the clock and the table.
SENT: Final = ACTIONS - {"miss", "leave"}
_SENT_LINE: Final = re.compile(r"(?P<action>[a-z]+)(?: +[^+]*)?", re.ASCII)


@lru_cache(maxsize=1_024)
def parse_move(text: str) -> Move:
    """Parse a move; `str(move)` is its text.

    >>> str(parse_move("p2 show 5h 6h 7h | 9c 10c jc pj x kd +1200"))
    'p2 show 5H 6H 7H | 9C TC JC PJ x KD +1200'
    >>> parse_move("p1 fold")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    rummy.errors.NotationError: 'fold' is no move; known: do, drop, ds, lay, leave, meld, ...
    """
    if len(text) > LONGEST_TEXT:
        raise NotationError("bad_move", f"a move has at most {LONGEST_TEXT} characters")
    line = _LINE.fullmatch(text.strip())
    if line is None:
        raise NotationError("bad_move", f"{text!r} is not a move; a move reads 'p1 x 7H'")
    action, rest = line["action"], (line["rest"] or "").strip()
    if action not in ACTIONS:
        known = ", ".join(sorted(ACTIONS))
        raise NotationError("unknown_move", f"{action!r} is no move; known: {known}")
    position, extra = int(line["position"]), int(line["extra"] or 0)
    if (plain := _WITHOUT_CARDS.get(action)) is not None:
        if rest:
            raise NotationError("bad_move", f"{action!r} takes no cards, {rest!r} was given")
        return plain(position, extra)
    if action == "x":
        return Discard(position, parse_card(rest), extra_ms=extra)
    if action == "meld":
        return Meld(position, *_parse_laid(rest), extra_ms=extra)
    if action == "lay":
        return _parse_lay_off(position, rest, extra)
    laid, mark, finish = rest.rpartition("x")
    if not mark:
        raise NotationError("no_finish_card", "a show names its finish card behind an x")
    card = parse_card(finish)
    return Show(position, *_parse_laid(laid), finish=card, extra_ms=extra)


def parse_sent(position: int, text: str) -> Move:
    """Parse a move as its player sends it, without position and extra time.

    >>> parse_sent(2, "x 7h") == parse_move("p2 x 7H")
    True
    >>> parse_sent(2, "p2 ds")
    Traceback (most recent call last):
    ...
    rummy.errors.NotationError: 'p2 ds' is not a move; a move reads 'ds' or 'x 7H'
    """
    line = _SENT_LINE.fullmatch(text.strip())
    if line is None:
        raise NotationError("bad_move", f"{text!r} is not a move; a move reads 'ds' or 'x 7H'")
    if line["action"] not in SENT:
        known = ", ".join(sorted(SENT))
        raise NotationError("unknown_move", f"{line['action']!r} is no move; known: {known}")
    return parse_move(f"p{position} {text}")


def _parse_lay_off(position: int, text: str, extra: int) -> LayOff:
    card, _, number = text.partition(" ")
    if not _MELD_NUMBER.fullmatch(number.strip()):
        raise NotationError("bad_move", f"a card is laid off on a meld's number, not {number!r}")
    return LayOff(position, parse_card(card), int(number), extra_ms=extra)


def _parse_laid(text: str) -> tuple[tuple[tuple[Card, ...], ...], tuple[Card, ...]]:
    groups, _, loose = text.partition("/")
    return parse_groups(groups), parse_cards(loose)


def parse_groups(text: str) -> tuple[tuple[Card, ...], ...]:
    """Parse groups separated by bars; empty groups are ignored.

    >>> [len(group) for group in parse_groups("5H 6H 7H | KD KS | ")]
    [3, 2]
    """
    groups = (parse_cards(part) for part in text.split("|"))
    return tuple(group for group in groups if group)
