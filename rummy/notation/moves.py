"""Moves and their text: a deal is its start and a log of these lines.

    p1 ds                            draw from the stock (which card is never in the text)
    p1 do                            draw the open pile's top
    p1 x 7H                          discard
    p1 drop                          give up the deal
    p1 show 5H 6H 7H | ... x KD      declare, the finish card behind the x
    p1 meld 5H 6H 7H | ... / 9C      answer in the meld window, cards left over behind the slash
    p1 miss                          played by the clock
    p1 leave                         the seat leaves the table

Each may end in ` +12000`: milliseconds of extra time used, charged to the seat's bank (RB 5.8).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from rummy.errors import NotationError
from rummy.notation.cards import Card, format_cards, parse_card, parse_cards

PLAIN: Final = frozenset({"ds", "do", "drop", "miss", "leave"})
ACTIONS: Final = PLAIN | {"x", "show", "meld"}
LONGEST_TEXT: Final = 400

_LINE: Final = re.compile(
    r"p(?P<position>[1-9]) +(?P<action>[a-z]+)(?: +(?P<rest>[^+]*?))?(?: +\+(?P<extra>\d{1,9}))?",
    re.ASCII,
)


@dataclass(frozen=True, slots=True)
class Move:
    """What one position does; `card` is the discard or the finish card."""

    position: int
    action: str
    card: Card | None = None
    groups: tuple[tuple[Card, ...], ...] = ()
    loose: tuple[Card, ...] = ()
    extra_ms: int = 0

    def __str__(self) -> str:
        words = [f"p{self.position} {self.action}"]
        if self.groups:
            words.append(" | ".join(map(format_cards, self.groups)))
        if self.loose:
            words.append(f"/ {format_cards(self.loose)}")
        if self.card is not None:
            words.append(str(self.card) if self.action == "x" else f"x {self.card}")
        if self.extra_ms:
            words.append(f"+{self.extra_ms}")
        return " ".join(words)


@lru_cache(maxsize=1_024)
def parse_move(text: str) -> Move:
    """Read a move; what is printed reads back as the same move.

    >>> str(parse_move("p2 show 5h 6h 7h | 9c 10c jc pj x kd +1200"))
    'p2 show 5H 6H 7H | 9C TC JC PJ x KD +1200'
    >>> parse_move("p1 fold")
    Traceback (most recent call last):
    ...
    rummy.errors.NotationError: 'fold' is no move; known: do, drop, ds, leave, meld, miss, show, x
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
    if action in PLAIN:
        if rest:
            raise NotationError("bad_move", f"{action!r} takes no cards, {rest!r} was given")
        return Move(position, action, extra_ms=extra)
    if action == "x":
        return Move(position, action, parse_card(rest), extra_ms=extra)
    card = None
    if action == "show":
        rest, mark, finish = rest.rpartition("x")
        if not mark:
            raise NotationError("no_finish_card", "a show names its finish card behind an x")
        card = parse_card(finish)
    groups, _, loose = rest.partition("/")
    return Move(position, action, card, parse_groups(groups), parse_cards(loose), extra)


def parse_groups(text: str) -> tuple[tuple[Card, ...], ...]:
    """Read groups parted by bars; empty groups vanish.

    >>> [len(group) for group in parse_groups("5H 6H 7H | KD KS | ")]
    [3, 2]
    """
    groups = (parse_cards(part) for part in text.split("|"))
    return tuple(group for group in groups if group)
