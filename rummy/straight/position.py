"""The text form of a deal of straight rummy in one line, for tests and reports; contains secrets.

Eight fields separated by single spaces; cards have no separators, an empty field is a dash:

    profile  stock  pile  turn  refills  melds  end  seats

`stock` has the next card first, `pile` its top last. `turn` is the position to act; once it drew,
`s` (stock) or `o` (open pile) and the card, the melds laid in this turn, and `l` if it has melded
or laid off: `2o7H:1:l`. `melds` are separated by slashes, each `owner:cards`. `end` is a dash while
the deal is played, else the ending, the winner and whether they went rummy: `out:2:rummy`.
`refills` is followed by a colon and the number of finished turns, if any: `1:48`.
`seats` are separated by slashes, each `hand:standing:laid:misses:extra_ms`, where `laid` is `m` for
a meld of the seat and `l` for cards laid in earlier turns.

The line does not contain the stream: later shuffles use the one passed to `parse_position`.
"""

from __future__ import annotations

import re
from typing import Any, Final, Literal, cast, get_args

from rummy.errors import IllegalMove, NotationError
from rummy.notation.cards import pack, parse_card
from rummy.notation.positions import EMPTY, cards_text, fields_of, read_cards
from rummy.notation.shuffle import SEED_BYTES, Stream
from rummy.straight.deal import Deal
from rummy.straight.rules import PROFILES, StraightRules
from rummy.straight.state import Ending, Seat, Standing, TableMeld

FIELDS: Final = 8
_TURN: Final = re.compile(
    r"(?P<at>[1-9])(?:(?P<source>[so])(?P<card>\w\w):(?P<melds>\d):(?P<laid>[l-]))?", re.ASCII
)
_END: Final = re.compile(r"(?P<ending>[a-z_]+):(?P<winner>[1-9])(?P<rummy>:rummy)?", re.ASCII)
_SEAT: Final = re.compile(
    r"(?P<hand>\w+|-):(?P<standing>[a-z]+):(?P<laid>m?l?|-):(?P<misses>\d{1,9}):(?P<extra>\d{1,9})",
    re.ASCII,
)
_MELD: Final = re.compile(r"(?P<owner>[1-9]):(?P<cards>\w+)", re.ASCII)
_REFILLS: Final = re.compile(r"(?P<refills>\d{1,9})(?::(?P<turns>[1-9]\d{0,8}))?", re.ASCII)


def format_position(deal: Deal) -> str:
    """Return a deal as one line.

    >>> from rummy.straight.rules import STRAIGHT
    >>> from rummy.straight.deal import start
    >>> deal = start(STRAIGHT, players=2, stream=Stream(bytes(32)))
    >>> line = format_position(deal)
    >>> line[-52:], parse_position(line, stream=deal.stream) == deal
    ('tive:-:0:30000/7S9D7HKSQC4STH5D5CAC:active:-:0:30000', True)
    """
    turn = EMPTY
    if deal.to_act is not None:
        turn = str(deal.to_act)
        if deal.drawn_from is not None:
            laid = "l" if deal.laid_this_turn else EMPTY
            turn += f"{deal.drawn_from[0]}{deal.drawn}:{deal.melds_this_turn}:{laid}"
    end = EMPTY
    if deal.ending is not None:
        end = f"{deal.ending}:{deal.winner}{':rummy' if deal.is_rummy else ''}"
    return " ".join(
        (
            deal.rules.name,
            cards_text(deal.stock),
            cards_text(deal.pile),
            turn,
            f"{deal.refills}:{deal.turns}" if deal.turns else str(deal.refills),
            "/".join(f"{meld.owner}:{cards_text(meld.cards)}" for meld in deal.melds) or EMPTY,
            end,
            "/".join(map(_seat_text, deal.seats)),
        )
    )


def _seat_text(seat: Seat) -> str:
    laid = ("m" if seat.has_melded else "") + ("l" if seat.has_laid else "")
    return ":".join(
        (cards_text(seat.hand), seat.standing, laid or EMPTY, str(seat.misses), str(seat.extra_ms))
    )


def parse_position(
    text: str, *, rules: StraightRules | None = None, stream: Stream | None = None
) -> Deal:
    """Parse a position; the cards must be one pack, the melds valid by the rules.

    `rules` are needed if their name is not a profile's; without a stream shuffles use a seed of
    zeros.

    >>> parse_position("straight 7H")
    Traceback (most recent call last):
    ...
    rummy.errors.NotationError: a position has 8 fields, not 2
    """
    name, stock, pile, turn, refills, melds, end, seats = fields_of(text, FIELDS)
    rules = PROFILES.get(name) if rules is None else rules
    if rules is None or rules.name != name:
        raise NotationError("bad_position", f"the rules of {name!r} are not those given")
    refilled = _REFILLS.fullmatch(refills)
    if refilled is None:
        raise NotationError("bad_position", f"{refills!r} is no number of refills")
    deal = Deal(
        rules=rules,
        stock=read_cards(stock),
        pile=read_cards(pile),
        seats=tuple(map(_parse_seat, seats.split("/"))),
        stream=stream or Stream(bytes(SEED_BYTES)),
        melds=_parse_melds(melds, rules),
        refills=int(refilled["refills"]),
        turns=int(refilled["turns"] or 0),
        **_parse_turn(turn),
        **_parse_end(end),
    )
    _check(deal)
    return deal


def _parse_turn(text: str) -> dict[str, Any]:
    if text == EMPTY:
        return {"to_act": None}
    turn = _TURN.fullmatch(text)
    if turn is None:
        raise NotationError("bad_position", f"{text!r} is no turn; a turn reads 2 or 2o7H:1:l")
    if turn["source"] is None:
        return {"to_act": int(turn["at"])}
    sources: dict[str, Literal["stock", "open"]] = {"s": "stock", "o": "open"}
    return {
        "to_act": int(turn["at"]),
        "drawn": parse_card(turn["card"]),
        "drawn_from": sources[turn["source"]],
        "melds_this_turn": int(turn["melds"]),
        "laid_this_turn": turn["laid"] == "l",
    }


def _parse_end(text: str) -> dict[str, Any]:
    if text == EMPTY:
        return {"phase": "playing"}
    end = _END.fullmatch(text)
    if end is None or end["ending"] not in get_args(Ending):
        raise NotationError("bad_position", f"{text!r} is no end; an end reads out:2:rummy")
    return {
        "phase": "ended",
        "ending": end["ending"],
        "winner": int(end["winner"]),
        "is_rummy": end["rummy"] is not None,
    }


def _parse_melds(text: str, rules: StraightRules) -> tuple[TableMeld, ...]:
    if text == EMPTY:
        return ()
    melds = []
    for word in text.split("/"):
        read = _MELD.fullmatch(word)
        if read is None:
            raise NotationError("bad_position", f"{word!r} is no meld; a meld reads 1:5H6H7H")
        cards = read_cards(read["cards"])
        try:
            meld = TableMeld.of(int(read["owner"]), cards, rules)
        except IllegalMove as error:
            raise NotationError("bad_position", error.message) from error
        if meld.cards != cards:
            raise NotationError("bad_position", f"{word!r} does not lie in order")
        melds.append(meld)
    return tuple(melds)


def _parse_seat(text: str) -> Seat:
    seat = _SEAT.fullmatch(text)
    if seat is None or seat["standing"] not in get_args(Standing):
        raise NotationError("bad_position", f"{text!r} is no seat")
    return Seat(
        hand=read_cards(seat["hand"]),
        extra_ms=int(seat["extra"]),
        standing=cast(Standing, seat["standing"]),
        has_melded="m" in seat["laid"],
        has_laid="l" in seat["laid"],
        misses=int(seat["misses"]),
    )


def _check(deal: Deal) -> None:
    """Raise `NotationError` for impossible deals: wrong cards, no one to act, a false end."""
    rules, players = deal.rules, deal.players
    named = {deal.to_act or 1, deal.winner or 1, *(meld.owner for meld in deal.melds)}
    hands = [card for seat in deal.seats for card in seat.hand]
    laid = [card for meld in deal.melds for card in meld.cards]
    for why, holds in (
        (f"there is no position {max(named)}", max(named) <= players),
        (
            f"{rules.name} is not played by {players}",
            rules.players_min <= players <= rules.players_max,
        ),
        (
            "the cards are not those of the pack",
            sorted([*deal.stock, *deal.pile, *hands, *laid]) == list(pack()),
        ),
        (f"{rules.name} has no {deal.refills} refills", deal.refills <= rules.max_refills),
        (
            f"{rules.name} has no deal of {deal.turns} turns",
            deal.turns < rules.max_turns + (deal.phase == "ended"),
        ),
        (
            "somebody is to act exactly while the deal is played",
            (deal.to_act is None) == (deal.phase == "ended"),
        ),
    ):
        if not holds:
            raise NotationError("bad_position", why)
    for at, seat in enumerate(deal.seats, start=1):
        _check_seat(deal, at, seat)
    if deal.phase == "playing":
        _check_turn(deal)
    else:
        _check_end(deal)


def _check_seat(deal: Deal, at: int, seat: Seat) -> None:
    owns = any(meld.owner == at for meld in deal.melds)
    for why, holds in (
        ("holds no card", seat.hand or at == deal.winner),
        ("has and has not melded", seat.has_melded == owns),
        ("has missed too often", not seat.is_active or seat.misses < deal.rules.misses_allowed),
        ("has more extra time than there is", seat.extra_ms <= deal.rules.extra_seconds * 1000),
        (
            "has laid cards where none lie",
            not seat.has_laid or bool(deal.melds),
        ),
    ):
        if not holds:
            raise NotationError("bad_position", f"position {at} {why}")


def _check_turn(deal: Deal) -> None:
    at = deal.to_act
    assert at is not None, "a deal that is played has somebody to act"
    seat, most = deal.seat(at), deal.rules.max_melds_per_turn
    own = sum(meld.owner == at for meld in deal.melds)
    laid = deal.drawn is not None and any(deal.drawn in meld.cards for meld in deal.melds)
    for why, holds in (
        ("is out and cannot act", seat.is_active and len(deal.active) > 1),
        ("has laid too many melds", most is None or deal.melds_this_turn <= most),
        ("has laid melds that do not lie there", deal.melds_this_turn <= own),
        ("has and has not laid", deal.laid_this_turn or not deal.melds_this_turn),
        ("lays where no meld lies", bool(deal.melds) or not deal.laid_this_turn),
        (
            "has not the card it drew",
            deal.drawn is None or deal.drawn in seat.hand or (laid and deal.laid_this_turn),
        ),
        ("has nothing to draw", bool(deal.drawn or deal.stock or deal.pile)),
    ):
        if not holds:
            raise NotationError("bad_position", f"position {at} {why}")


def _check_end(deal: Deal) -> None:
    winner = deal.seat(deal.winner or 1)
    is_out = deal.ending == "out"
    for why, holds in (
        ("who won is out of the deal", winner.is_active),
        ("who went out holds cards", is_out == (not winner.hand)),
        ("who went rummy had laid nothing before", is_out or not deal.is_rummy),
        (
            "the last one standing is alone",
            (deal.ending == "last_standing") == (len(deal.active) == 1),
        ),
    ):
        if not holds:
            raise NotationError("bad_position", why)
