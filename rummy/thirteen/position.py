"""The text form of a deal in one line, for tests and reports; contains secrets.

Eight fields separated by single spaces; cards have no separators, an empty field is a dash:

    profile  wild  stock  pile  turn  reshuffles  end  seats

`stock` has the next card first, `pile` its top last, with an exclamation mark behind it while the
first up-card lies untouched. `turn` is the position to act, with `s` or `o` behind it once it drew
from the stock or the open pile. `end` is a dash while the deal is played, else how it ended, the
winner and the finish card, and behind a question mark the positions whose answer is awaited:
`show:2:KD?13`. `seats` are parted by slashes, each `hand:standing:points:drew:misses:extra_ms`,
then groups parted by bars and the reasons of a wrong show, where there are any.

The stream is not part of the line: a reshuffle needs the one given to `parse_position`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final, Literal, cast, get_args

from rummy.errors import NotationError
from rummy.notation.cards import Card, parse_card
from rummy.notation.positions import EMPTY, cards_text, fields_of, read_cards
from rummy.notation.profiles import profile
from rummy.notation.rules import Rules
from rummy.notation.shuffle import SEED_BYTES, Stream
from rummy.notation.states import Phase
from rummy.solver.declaration import check_declaration
from rummy.thirteen.deal import Deal
from rummy.thirteen.state import Ending, Seat, Standing, full_deck

FIELDS: Final = 8
_END: Final = re.compile(
    r"(?P<ending>[a-z_]+):(?P<winner>[1-9])(?::(?P<finish>\w\w))?(?:\?(?P<waiting>[1-9]+))?"
)
NUMBER: Final = re.compile(r"\d{1,9}", re.ASCII)
_TURN: Final = re.compile(r"(?P<position>[1-9])(?P<source>[so]?)")


def format_position(deal: Deal) -> str:
    """Print a deal as one line.

    >>> from rummy.notation.profiles import PROFILES
    >>> from rummy.thirteen import start
    >>> deal = start(PROFILES["total-rummy-pool-101"], players=2, stream=Stream(bytes(32)))
    >>> line = format_position(deal)
    >>> line[:36], parse_position(line, stream=deal.stream) == deal
    ('total-rummy-pool-101 QS 3H7HQHJC3HTC', True)
    """
    turn = EMPTY
    if deal.to_act is not None:
        turn = str(deal.to_act) + (deal.drawn_from[0] if deal.drawn_from else "")
    end = EMPTY
    if deal.ending is not None:
        end = f"{deal.ending}:{deal.winner}"
        end += f":{deal.finish}" if deal.finish else ""
        end += "?" + "".join(map(str, sorted(deal.waiting))) if deal.waiting else ""
    return " ".join(
        (
            deal.rules.name,
            str(deal.wild),
            cards_text(deal.stock),
            cards_text(deal.pile) + ("!" if deal.has_first_upcard else ""),
            turn,
            str(deal.reshuffles),
            end,
            "/".join(map(_seat_text, deal.seats)),
        )
    )


def parse_position(text: str, *, rules: Rules | None = None, stream: Stream | None = None) -> Deal:
    """Parse a position; the cards must be exactly those of the table's deck.

    `rules` are needed if their name is not a profile's; without a stream reshuffles use a seed of
    zeros.

    >>> parse_position("total-rummy-pool-101 7H")
    Traceback (most recent call last):
    ...
    rummy.errors.NotationError: a position has 8 fields, not 2
    """
    name, wild, stock, pile, turn, reshuffles, end, seats = fields_of(text, FIELDS)
    if not NUMBER.fullmatch(reshuffles):
        raise NotationError("bad_position", f"{reshuffles!r} is no number of reshuffles")
    rules = profile(name) if rules is None else rules
    if rules.name != name:
        raise NotationError(
            "bad_position", f"the rules of {name!r} are not those of {rules.name!r}"
        )
    to_act, source = _parse_turn(turn)
    ending, winner, finish, waiting = _parse_end(end)
    phase: Phase = "playing" if ending is None else "showing" if waiting else "ended"
    sitting = tuple(_parse_seat(seat) for seat in seats.split("/"))
    deal = Deal(
        rules=rules,
        wild=parse_card(wild),
        stock=read_cards(stock),
        pile=read_cards(pile.removesuffix("!")),
        seats=sitting,
        stream=stream or Stream(bytes(SEED_BYTES)),
        to_act=to_act,
        phase=phase,
        drawn=_last_card(sitting, to_act) if source else None,
        drawn_from=source,
        has_first_upcard=pile.endswith("!"),
        reshuffles=int(reshuffles),
        finish=finish,
        winner=winner,
        ending=ending,
        waiting=waiting,
    )
    _check(deal)
    return deal


def _check(deal: Deal) -> None:
    """Raise `NotationError` for impossible deals: wrong cards, long hands, no one to act."""
    rules, players = deal.rules, deal.players
    named = {deal.to_act or 1, deal.winner or 1, *deal.waiting}
    if max(named) > players:
        raise NotationError("bad_position", f"there is no position {max(named)}")
    if not rules.players_min <= players <= rules.players_max:
        raise NotationError("bad_position", f"{rules.name} is not played by {players}")
    cards = [*deal.stock, *deal.pile, deal.wild, *([deal.finish] if deal.finish else [])]
    cards += [card for seat in deal.seats for card in seat.hand]
    if Counter(cards) != Counter(full_deck(rules, players)):
        raise NotationError("bad_position", "the cards are not those of the deck")
    if deal.reshuffles > rules.max_reshuffles:
        raise NotationError("bad_position", f"{rules.name} has no {deal.reshuffles} reshuffles")
    if deal.has_first_upcard and (len(deal.pile) != 1 or deal.reshuffles):
        raise NotationError("bad_position", "the first up-card lies alone on the open pile")
    for at, seat in enumerate(deal.seats, start=1):
        _check_seat(deal, at, seat)
    if deal.phase == "playing":
        _check_turn(deal)
    else:
        _check_end(deal)


def _check_seat(deal: Deal, at: int, seat: Seat) -> None:
    laid = Counter(card for group in seat.groups or () for card in group)
    misses_allowed = deal.rules.misses_allowed_for(deal.players)
    for why, holds in (
        ("lays cards it does not hold", not laid - Counter(seat.hand)),
        ("has points before the end", not (seat.is_active and seat.points)),
        ("costs more than the cap", seat.points <= deal.rules.cap),
        ("has reasons but no wrong show", seat.standing == "wrong_show" or not seat.reasons),
        ("has missed too often", not seat.is_active or seat.misses < misses_allowed),
        ("has more extra time than there is", seat.extra_ms <= deal.rules.extra_seconds * 1000),
        (f"holds {len(seat.hand)} cards", len(seat.hand) in {13, 14}),
    ):
        if not holds:
            raise NotationError("bad_position", f"position {at} {why}")


def _check_turn(deal: Deal) -> None:
    if deal.to_act is None or len(deal.active) < 2:
        raise NotationError("bad_position", "somebody is to act exactly while the deal is played")
    if not deal.seat(deal.to_act).is_active:
        raise NotationError("bad_position", f"position {deal.to_act} is out and cannot act")
    if deal.drawn and not deal.seat(deal.to_act).has_drawn:
        raise NotationError("bad_position", f"position {deal.to_act} has and has not drawn")
    for at in deal.active:
        held = len(deal.seat(at).hand)
        if held != (14 if at == deal.to_act and deal.drawn else 13):
            raise NotationError("bad_position", f"position {at} holds {held} cards")


def _check_end(deal: Deal) -> None:
    if deal.to_act is not None:
        raise NotationError("bad_position", "somebody is to act exactly while the deal is played")
    is_show = deal.ending == "show"
    if deal.winner not in deal.active or deal.waiting - (set(deal.active) - {deal.winner}):
        raise NotationError("bad_position", "who won or is awaited is out of the deal")
    if is_show != (deal.finish is not None) or (deal.waiting and not is_show):
        raise NotationError("bad_position", "a show, and nothing else, has a finish card")
    if (deal.ending == "last_standing") != (len(deal.active) == 1) and not is_show:
        raise NotationError("bad_position", "the last one standing is alone")
    if is_show:
        shown = deal.seat(deal.winner)
        verdict = check_declaration(
            shown.groups or (), wild=deal.wild, rules=deal.rules, held=shown.hand
        )
        if not verdict.valid:
            raise NotationError("bad_position", f"position {deal.winner} shows what is no show")


def _last_card(seats: Sequence[Seat], to_act: int | None) -> Card:
    """Return the drawn card, the last one in the hand of the position on turn."""
    if to_act is None or to_act > len(seats) or not seats[to_act - 1].hand:
        raise NotationError("bad_position", "nobody is there to have drawn")
    return seats[to_act - 1].hand[-1]


def _parse_turn(text: str) -> tuple[int | None, Literal["stock", "open"] | None]:
    if text == EMPTY:
        return None, None
    turn = _TURN.fullmatch(text)
    if turn is None:
        raise NotationError("bad_position", f"{text!r} is no turn; a turn reads 2 or 2s")
    sources: dict[str, Literal["stock", "open"] | None] = {"s": "stock", "o": "open", "": None}
    return int(turn["position"]), sources[turn["source"]]


def _parse_end(text: str) -> tuple[Ending | None, int | None, Card | None, frozenset[int]]:
    if text == EMPTY:
        return None, None, None, frozenset()
    end = _END.fullmatch(text)
    if end is None or end["ending"] not in get_args(Ending):
        raise NotationError("bad_position", f"{text!r} is no end; an end reads show:2:KD?13")
    finish = parse_card(end["finish"]) if end["finish"] else None
    waiting = frozenset(map(int, end["waiting"] or ""))
    return cast(Ending, end["ending"]), int(end["winner"]), finish, waiting


def _seat_text(seat: Seat) -> str:
    parts = [
        cards_text(seat.hand),
        seat.standing,
        str(seat.points),
        "d" if seat.has_drawn else EMPTY,
    ]
    parts += [str(seat.misses), str(seat.extra_ms)]
    if seat.groups is not None:
        parts.append("|".join(map(cards_text, seat.groups)) or EMPTY)
    if seat.reasons:
        parts.append(",".join(seat.reasons))
    return ":".join(parts)


def _parse_seat(text: str) -> Seat:
    parts = text.split(":")
    numbers = [parts[place] for place in (2, 4, 5)] if len(parts) in {6, 7, 8} else [""]
    if not all(NUMBER.fullmatch(number) for number in numbers):
        raise NotationError("bad_position", f"{text!r} is no seat")
    hand, standing, points, drew, misses, extra, *rest = parts
    if standing not in get_args(Standing) or drew not in {"d", EMPTY}:
        raise NotationError("bad_position", f"{text!r} is no seat")
    groups = None
    if rest:
        groups = tuple(cards for cards in map(read_cards, rest[0].split("|")) if cards)
    return Seat(
        hand=read_cards(hand),
        extra_ms=int(extra),
        standing=cast(Standing, standing),
        has_drawn=drew == "d",
        misses=int(misses),
        points=int(points),
        groups=groups,
        reasons=tuple(rest[1].split(",")) if len(rest) > 1 else (),
    )
