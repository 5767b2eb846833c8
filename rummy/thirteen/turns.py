"""Moves of a deal: their effects and refusals (RB 3.5, 5.3-5.8)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TypeVar, cast

from rummy.errors import IllegalMove
from rummy.notation.cards import Card, Rank
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
)
from rummy.notation.rules import Rules
from rummy.notation.states import changed, next_active, with_less_time, without
from rummy.solver.arrangement import hand_points
from rummy.solver.declaration import check_declaration
from rummy.thirteen.endings import end_exhausted, end_if_last, loss, open_window
from rummy.thirteen.state import DealState, Seat, Standing

Deal = TypeVar("Deal", bound=DealState)


def apply(deal: Deal, move: Move) -> Deal:
    """Return the deal after the move, or raise `IllegalMove`.

    >>> from rummy.notation.moves import parse_move
    >>> from rummy.notation.profiles import PROFILES
    >>> from rummy.notation.shuffle import Stream
    >>> from rummy.thirteen.deal import start
    >>> deal = start(PROFILES["total-rummy-pool-101"], players=2, stream=Stream(bytes(32)))
    >>> apply(deal, parse_move("p1 ds")).drawn == deal.stock[0]
    True
    >>> apply(deal, parse_move("p2 ds"))
    Traceback (most recent call last):
    ...
    rummy.errors.IllegalMove: it is the turn of position 1
    """
    return cast(Deal, _applied(deal, move))


def _applied(deal: DealState, move: Move) -> DealState:
    if deal.to_act != move.position:
        return _applied_beside(deal, move)
    deal = with_less_time(deal, move)
    match move:
        case Draw():
            return _draw(deal, move)
        case Discard():
            return _discard(deal, move)
        case Drop():
            return _drop(deal, move)
        case Show():
            return _show(deal, move)
        case Miss():
            return _miss(deal, move)
        case Leave():
            return _end_turn(deal, _out_as_drop(deal, move.position))
    raise IllegalMove("unknown_move", f"{move.action!r} is no move while {deal.phase}")


def _applied_beside(deal: DealState, move: Move) -> DealState:
    """Return the deal after a move of a position that is not to act: an answer, or a leaving."""
    seat = deal.seat(move.position)
    if deal.phase == "ended":
        raise IllegalMove("deal_over", "the deal is over")
    if deal.phase == "showing":
        if not isinstance(move, Meld | Miss | Leave):
            raise IllegalMove("unknown_move", f"{move.action!r} is no move while {deal.phase}")
        if move.position not in deal.waiting:
            raise IllegalMove("not_awaited", f"no answer of position {move.position} is awaited")
        charged = with_less_time(deal, move)
        return _meld(charged, move) if isinstance(move, Meld) else _answered(charged, move)
    if isinstance(move, Meld | LayOff | TurnOver):
        raise IllegalMove("unknown_move", f"{move.action!r} is no move while {deal.phase}")
    if not seat.is_active:
        raise IllegalMove("not_in_deal", f"position {move.position} is out of this deal")
    if not isinstance(move, Leave):
        raise IllegalMove("not_your_turn", f"it is the turn of position {deal.to_act}")
    charged = with_less_time(deal, move)
    return end_if_last(changed(charged, seats=_out_as_drop(charged, move.position)))


def _not_drawn(deal: DealState) -> None:
    if deal.drawn is not None:
        raise IllegalMove("already_drawn", "a card is drawn; discard or show")


def _has_drawn(deal: DealState) -> None:
    if deal.drawn is None:
        raise IllegalMove("draw_first", "draw a card first")


def _draw(deal: DealState, move: Draw) -> DealState:
    _not_drawn(deal)
    stock, pile, has_first_upcard = deal.stock, deal.pile, deal.has_first_upcard
    if move.source == "open":
        refusal = why_not_open(pile, deal.wild_rank, deal.rules, has_first_upcard)
        if refusal is not None:
            raise refusal
        card, pile, has_first_upcard = pile[-1], pile[:-1], False
    elif stock:
        card, stock = stock[0], stock[1:]
    else:  # Not reached in play, but possible in a parsed position.
        raise IllegalMove("stock_empty", "the stock is empty")
    seat = deal.seats[move.position - 1]
    seat = changed(seat, hand=(*seat.hand, card), has_drawn=True)
    return changed(
        deal,
        seats=deal.seats_with(move.position, seat),
        stock=stock,
        pile=pile,
        drawn=card,
        drawn_from=move.source,
        has_first_upcard=has_first_upcard,
    )


def why_not_open(
    pile: Sequence[Card], wild: Rank, rules: Rules, has_first_upcard: bool
) -> IllegalMove | None:
    """Return why the open pile's top may not be taken, or None (RB 5.3).

    >>> from rummy import PROFILES, parse_cards
    >>> rules = PROFILES["total-rummy-pool-101"]
    >>> why_not_open(parse_cards("PJ"), Rank.TWO, rules, has_first_upcard=True) is None
    True
    >>> why_not_open(parse_cards("7H PJ"), Rank.TWO, rules, has_first_upcard=False).code
    'joker_not_takeable'
    """
    if not pile:
        return IllegalMove("open_pile_empty", "the open pile is empty")
    if not pile[-1].is_joker(wild) or rules.open_joker == "always":
        return None
    if rules.open_joker == "first_only" and has_first_upcard:
        return None
    return IllegalMove("joker_not_takeable", "a joker may not be taken from the open pile")


def _discard(deal: DealState, move: Discard) -> DealState:
    _has_drawn(deal)
    seat = deal.seats[move.position - 1]
    seat = changed(seat, hand=without(seat.hand, (move.card,)), misses=0)
    return _end_turn(deal, deal.seats_with(move.position, seat), move.card)


def _drop(deal: DealState, move: Drop) -> DealState:
    _not_drawn(deal)
    if not deal.rules.drops_allowed:
        raise IllegalMove("drop_not_allowed", f"{deal.rules.name} is played without drops")
    return _end_turn(deal, _out_as_drop(deal, move.position))


def _out_as_drop(deal: DealState, position: int) -> tuple[Seat, ...]:
    """Return the seats with one out by the present drop, or with the cap without drops."""
    seat, rules = deal.seat(position), deal.rules
    standing: Standing = "middle_drop" if seat.has_drawn else "first_drop"
    price = rules.middle_drop if seat.has_drawn else rules.first_drop
    points = price if rules.drops_allowed else rules.cap
    return deal.seats_with(position, changed(seat, standing=standing, points=points))


def _show(deal: DealState, move: Show) -> DealState:
    """Check the groups as sent; a wrong show costs the cap and play continues (RB 3.4, 3.5)."""
    _has_drawn(deal)
    seat = deal.seat(move.position)
    held = without(seat.hand, (move.finish,))
    without(held, (card for group in (*move.groups, move.loose) for card in group))
    verdict = check_declaration(move.groups, wild=deal.wild, rules=deal.rules, held=held)
    if verdict.valid:
        seat = changed(seat, hand=held, groups=move.groups, misses=0)
        return open_window(
            changed(deal, seats=deal.seats_with(move.position, seat), finish=move.finish),
            move.position,
        )
    seat = changed(
        seat,
        standing="wrong_show",
        points=deal.rules.cap,
        groups=move.groups,
        reasons=verdict.reasons,
    )
    return _end_turn(deal, deal.seats_with(move.position, seat))


def _miss(deal: DealState, move: Miss) -> DealState:
    """End the turn by the clock: discard the drawn card; the third miss in a row drops (RB 5.8)."""
    seat = deal.seat(move.position)
    seat = changed(seat, misses=seat.misses + 1)
    if deal.drawn is not None:
        seat = changed(seat, hand=without(seat.hand, (deal.drawn,)))
    if seat.misses >= deal.rules.misses_allowed_for(deal.players):
        seat = _out_as_absent(deal, seat)
    return _end_turn(deal, deal.seats_with(move.position, seat), deal.drawn)


def _out_as_absent(deal: DealState, seat: Seat) -> Seat:
    """Return the seat, out after too many misses with a middle drop, even if no card was drawn.

    With `absent_pays_lower` the hand's price counts if it is lower (RB 4.8).
    """
    rules = deal.rules
    points = rules.drop_when_absent
    if rules.absent_pays_lower:
        exact = hand_points(seat.hand, wild=deal.wild, rules=rules)
        points = loss(rules, exact, has_had_turn=True, is_absent=True)
    return changed(seat, standing="middle_drop", points=points)


def _end_turn(deal: DealState, seats: tuple[Seat, ...], thrown: Card | None = None) -> DealState:
    """Pass the turn on with these seats and a card thrown on the open pile (RB 5.5, 5.7).

    An empty stock is refilled once, then ends the deal.
    """
    here = deal.to_act
    assert here is not None, "a deal that is played has a position to act"
    after = changed(
        deal,
        seats=seats,
        pile=deal.pile if thrown is None else (*deal.pile, thrown),
        has_first_upcard=deal.has_first_upcard and thrown is None,
        to_act=next_active(seats, here),
        drawn=None,
        drawn_from=None,
    )
    if not seats[here - 1].is_active:
        after = end_if_last(after)
    return after if after.phase == "ended" or after.stock else _refilled(after)


def _refilled(deal: DealState) -> DealState:
    """Return the deal with the open pile shuffled as its stock, or ended (RB 5.5)."""
    if deal.reshuffles >= deal.rules.max_reshuffles or len(deal.pile) < 2:
        return end_exhausted(deal)
    stock, stream = deal.stream.shuffled(deal.pile[:-1])
    return changed(
        deal,
        stock=stock,
        pile=deal.pile[-1:],
        stream=stream,
        reshuffles=deal.reshuffles + 1,
        has_first_upcard=False,
    )


def _meld(deal: DealState, move: Meld) -> DealState:
    """Store a loser's groups, which are shown beside the best ones and cost nothing (RB 4.1)."""
    seat = deal.seat(move.position)
    laid = Counter(card for group in (*move.groups, move.loose) for card in group)
    foreign = laid - Counter(seat.hand)
    if foreign:
        raise IllegalMove("card_not_held", f"{next(iter(foreign))} is not in the hand")
    seat = changed(seat, groups=move.groups)
    return _answered(changed(deal, seats=deal.seats_with(move.position, seat)), move)


def _answered(deal: DealState, move: Move) -> DealState:
    """Remove the position from the awaited ones; the last answer ends the deal (RB 5.6)."""
    waiting = deal.waiting - {move.position}
    return changed(deal, waiting=waiting, phase="showing" if waiting else "ended")
