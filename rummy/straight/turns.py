"""Moves of straight rummy: their effects and refusals (RB 9.1-9.4)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Final, Protocol, TypeVar, cast

from rummy.errors import IllegalMove
from rummy.notation.cards import CARDS, Card, by_cost
from rummy.notation.moves import Discard, Draw, LayOff, Leave, Meld, Miss, Move, TurnOver
from rummy.notation.states import changed, next_active, with_less_time, without
from rummy.straight.endings import end_if_last, end_undecided, go_out
from rummy.straight.melds import Cards, fitting, laid_out, melds_in
from rummy.straight.rules import StraightRules
from rummy.straight.state import DealState, Seat, TableMeld

_DISCARDS: Final = {
    position: tuple(Discard(position, card) for card in CARDS) for position in range(1, 7)
}


Deal = TypeVar("Deal", bound=DealState)


class Turn(Protocol):
    """The fields of deals and views that the moves of a turn depend on, besides the hand."""

    @property
    def rules(self) -> StraightRules: ...

    @property
    def melds(self) -> tuple[TableMeld, ...]: ...

    @property
    def melds_this_turn(self) -> int: ...

    @property
    def taken(self) -> Card | None: ...


def apply(deal: Deal, move: Move) -> Deal:
    """Return the deal after the move, or raise `IllegalMove`.

    >>> from rummy import Stream, parse_move
    >>> from rummy.straight.rules import STRAIGHT
    >>> from rummy.straight.deal import start
    >>> deal = start(STRAIGHT, players=2, stream=Stream(bytes(32)))
    >>> apply(deal, parse_move("p1 ds")).drawn == deal.stock[0]
    True
    >>> apply(deal, parse_move("p1 meld 5H 6H 7H"))
    Traceback (most recent call last):
    ...
    rummy.errors.IllegalMove: draw a card first
    """
    return cast(Deal, _applied(deal, move))


def _applied(deal: DealState, move: Move) -> DealState:
    if deal.to_act != move.position:
        _refuse_out_of_turn(deal, move)
    deal = with_less_time(deal, move)
    match move:
        case Draw():
            return _draw(deal, move)
        case Discard():
            return _discard(deal, move)
        case Meld():
            return _meld(deal, move)
        case LayOff():
            return _lay_off(deal, move)
        case TurnOver():
            return _turn_over(deal)
        case Miss():
            return _miss(deal)
        case Leave():
            return _leave(deal, move.position)
    raise IllegalMove("unknown_move", f"{move.action!r} is no move of straight rummy")


def _refuse_out_of_turn(deal: DealState, move: Move) -> None:
    """Raise `IllegalMove` for a position that is not to act; an active one may leave."""
    seat = deal.seat(move.position)
    if deal.phase == "ended":
        raise IllegalMove("deal_over", "the deal is over")
    if not seat.is_active:
        raise IllegalMove("not_in_deal", f"position {move.position} is out of this deal")
    if not isinstance(move, Leave):
        raise IllegalMove("not_your_turn", f"it is the turn of position {deal.to_act}")


def legal_moves(deal: DealState, position: int) -> tuple[Move, ...]:
    """Return the legal moves of the position, melds with their cards.

    >>> from rummy import Stream
    >>> from rummy.straight.rules import STRAIGHT
    >>> from rummy.straight.deal import start
    >>> deal = start(STRAIGHT, players=2, stream=Stream(bytes(32)))
    >>> [move.text for move in legal_moves(deal, 1)], legal_moves(deal, 2)
    (['ds', 'do'], ())
    """
    seat = deal.seat(position)
    if deal.to_act != position:
        return ()
    if deal.drawn is None:
        return before_drawing(position, deal.rules, len(deal.stock), len(deal.pile))
    return after_drawing(position, deal, seat.hand, seat.has_melded)


def before_drawing(position: int, rules: StraightRules, stock: int, pile: int) -> tuple[Move, ...]:
    """Return the ways to draw for these numbers of cards in the stock and on the open pile.

    >>> from rummy.straight.rules import STRAIGHT
    >>> [str(move) for move in before_drawing(2, STRAIGHT, stock=31, pile=0)]
    ['p2 ds']
    """
    return _draws(position, stock > 0, pile > 0, _may_turn_over(rules, stock, pile))


def after_drawing(
    position: int, turn: Turn, hand: Cards, has_melded: bool
) -> tuple[Meld | LayOff | Discard, ...]:
    """Return the legal moves of a hand with its drawn card, melds with their cards.

    >>> from rummy import Stream
    >>> from rummy.straight.rules import STRAIGHT
    >>> from rummy.straight.deal import start
    >>> deal = start(STRAIGHT, players=2, stream=Stream(bytes(32))).apply("p1 ds")
    >>> moves = after_drawing(1, deal, deal.seat(1).hand, has_melded=False)
    >>> moves == deal.view(1).legal_moves() == deal.legal_moves()
    True
    """
    barred = None if turn.rules.may_discard_taken else turn.taken
    discards = _DISCARDS[position]
    return (
        *_possible_melds(turn, position, hand),
        *(_possible_lay_offs(turn, position, hand) if _may_lay_off(turn, has_melded) else ()),
        *[discards[card.index] for card in hand if card is not barred],
    )


@cache
def _draws(position: int, stock: bool, pile: bool, turn_over: bool) -> tuple[Move, ...]:
    ways = (
        (stock, Draw(position, "stock")),
        (pile, Draw(position, "open")),
        (turn_over, TurnOver(position)),
    )
    return tuple(move for is_possible, move in ways if is_possible)


def _possible_melds(turn: Turn, position: int, hand: Cards) -> Iterator[Meld]:
    if _may_meld(turn):
        for cards in melds_in(hand, turn.rules):
            if _why_unfinished(turn, hand, cards, cards) is None:
                yield Meld(position, (cards,))


def _possible_lay_offs(turn: Turn, position: int, hand: Cards) -> Iterator[LayOff]:
    for number, meld in enumerate(turn.melds, start=1):
        if not meld.fits.isdisjoint(hand):
            for card in hand:
                if card in meld.fits and _may_lay(turn, hand, card, meld):
                    yield LayOff(position, card, number)


def _draw(deal: DealState, move: Draw) -> DealState:
    _refuse_second_draw(deal)
    if move.source == "stock":
        if not deal.stock:
            raise IllegalMove("stock_empty", "the stock is empty")
        card, stock, pile = deal.stock[0], deal.stock[1:], deal.pile
    else:
        if not deal.pile:
            raise IllegalMove("open_pile_empty", "the open pile is empty")
        card, stock, pile = deal.pile[-1], deal.stock, deal.pile[:-1]
    seat = deal.seats[move.position - 1]
    return changed(
        deal,
        seats=deal.seats_with(move.position, changed(seat, hand=(*seat.hand, card))),
        stock=stock,
        pile=pile,
        drawn=card,
        drawn_from=move.source,
    )


def _turn_over(deal: DealState) -> DealState:
    """Turn the open pile into the stock; its first card is the new up-card (RB 9.2)."""
    _refuse_second_draw(deal)
    if not _may_turn_over(deal.rules, len(deal.stock), len(deal.pile)):
        raise IllegalMove("cannot_turn_over", "the open pile may not be turned over now")
    return changed(deal, stock=deal.pile[1:], pile=deal.pile[:1], refills=deal.refills + 1)


def _may_turn_over(rules: StraightRules, stock: int, pile: int) -> bool:
    return rules.refill == "turn_over" and not stock and pile > 1


def _meld(deal: DealState, move: Meld) -> DealState:
    _refuse_without_draw(deal)
    if len(move.groups) != 1 or move.loose:
        raise IllegalMove("bad_meld", "one meld is laid at a time, and nothing beside it")
    (cards,) = move.groups
    seat = deal.seat(move.position)
    hand = without(seat.hand, cards)
    laid = TableMeld.of(move.position, cards, deal.rules)
    if not _may_meld(deal):
        most = deal.rules.max_melds_per_turn
        raise IllegalMove("one_meld_a_turn", f"a turn has at most {most} meld(s)")
    if (refusal := _why_unfinished(deal, seat.hand, cards, laid.cards)) is not None:
        raise refusal
    seat = changed(seat, hand=hand, has_melded=True)
    deal = changed(deal, melds=(*deal.melds, laid), melds_this_turn=deal.melds_this_turn + 1)
    return _laid(deal, move.position, seat)


def _lay_off(deal: DealState, move: LayOff) -> DealState:
    _refuse_without_draw(deal)
    if not 1 <= move.meld <= len(deal.melds):
        raise IllegalMove("no_such_meld", f"there is no meld {move.meld} on the table")
    seat, meld = deal.seat(move.position), deal.melds[move.meld - 1]
    hand = without(seat.hand, (move.card,))
    if not _may_lay_off(deal, seat.has_melded):
        raise IllegalMove("meld_first", "lay off after a meld of one's own")
    if move.card not in meld.fits:
        raise IllegalMove("not_fitting", f"{move.card} does not fit meld {move.meld}")
    grown = TableMeld.of(meld.owner, (*meld.cards, move.card), deal.rules)
    refusal = _why_unfinished(deal, seat.hand, (move.card,), grown.cards, instead_of=meld)
    if refusal is not None:
        raise refusal
    melds = (*deal.melds[: move.meld - 1], grown, *deal.melds[move.meld :])
    return _laid(changed(deal, melds=melds), move.position, changed(seat, hand=hand))


def _laid(deal: DealState, position: int, seat: Seat) -> DealState:
    deal = changed(deal, seats=deal.seats_with(position, seat), laid_this_turn=True)
    return deal if seat.hand else go_out(deal, position)


def _discard(deal: DealState, move: Discard) -> DealState:
    _refuse_without_draw(deal)
    seat = deal.seats[move.position - 1]
    hand = without(seat.hand, (move.card,))
    if _is_barred(deal, move.card):
        raise IllegalMove("same_card_discarded", f"{move.card} was taken in this turn")
    return _end_turn(deal, changed(seat, hand=hand, misses=0), (*deal.pile, move.card))


def _miss(deal: DealState) -> DealState:
    """End the turn by the clock: discard if a card was drawn; too many misses end the hand."""
    position = deal.to_act
    assert position is not None, "a deal that is played has somebody to act"
    seat = deal.seat(position)
    thrown = () if deal.drawn is None else (_clock_discard(deal, seat),)
    seat = changed(seat, misses=seat.misses + 1, hand=without(seat.hand, thrown))
    if seat.hand and seat.misses >= deal.rules.misses_allowed:
        seat = changed(seat, standing="left")
    return _end_turn(deal, seat, (*deal.pile, *thrown))


def _clock_discard(deal: DealState, seat: Seat) -> Card:
    """Return the drawn card, or the dearest other if it cannot be discarded (RB 5.8)."""
    drawn = deal.drawn
    assert drawn is not None, "the clock discards after a draw"
    if drawn in seat.hand and not _is_barred(deal, drawn):
        return drawn
    others = [card for card in seat.hand if card is not drawn]
    points = deal.rules.points_of
    return min(others or [drawn], key=lambda card: (-points(card), by_cost(card)))


def _leave(deal: DealState, position: int) -> DealState:
    """End the position's hand at once, on turn or not; its cards count at the end."""
    seat = changed(deal.seat(position), standing="left")
    if deal.to_act == position:
        return _end_turn(deal, seat, deal.pile)
    return end_if_last(changed(deal, seats=deal.seats_with(position, seat)))


def _end_turn(deal: DealState, seat: Seat, pile: Cards) -> DealState:
    """End the turn with this seat and open pile; the seat goes out or the next one is to act."""
    here = deal.to_act
    assert here is not None, "a deal that is played has somebody to act"
    if not seat.hand:
        return go_out(changed(deal, seats=deal.seats_with(here, seat), pile=pile), here)
    if deal.laid_this_turn:
        seat = changed(seat, has_laid=True)
    seats = deal.seats_with(here, seat)
    deal = changed(
        deal,
        seats=seats,
        pile=pile,
        to_act=next_active(seats, here),
        drawn=None,
        drawn_from=None,
        melds_this_turn=0,
        laid_this_turn=False,
        turns=deal.turns + 1,
    )
    if not seat.is_active and (ended := end_if_last(deal)) is not deal:
        return ended
    if deal.turns >= deal.rules.max_turns:
        return end_undecided(deal, "too_long")
    return deal if deal.stock else _refilled(deal)


def _refilled(deal: DealState) -> DealState:
    """Refill an empty stock, or end the deal (RB 9.2)."""
    if deal.refills >= deal.rules.max_refills or len(deal.pile) < 2:
        return end_undecided(deal, "exhausted")
    if deal.rules.refill == "turn_over":
        return deal  # The next player decides on drawing.
    stock, stream = deal.stream.shuffled(deal.pile[:-1])
    return changed(deal, stock=stock, pile=deal.pile[-1:], stream=stream, refills=deal.refills + 1)


def _refuse_second_draw(deal: DealState) -> None:
    if deal.drawn is not None:
        raise IllegalMove("already_drawn", "a card is drawn; meld, lay off or discard")


def _refuse_without_draw(deal: DealState) -> None:
    if deal.drawn is None:
        raise IllegalMove("draw_first", "draw a card first")


def _may_meld(turn: Turn) -> bool:
    most = turn.rules.max_melds_per_turn
    return most is None or turn.melds_this_turn < most


def _may_lay_off(turn: Turn, has_melded: bool) -> bool:
    return has_melded or turn.rules.lay_off_before_meld


def _is_barred(turn: Turn, card: Card) -> bool:
    """Return whether the card was just taken and so may not be discarded (RB 9.2)."""
    return card is turn.taken and not turn.rules.may_discard_taken


def _may_lay(turn: Turn, hand: Cards, card: Card, meld: TableMeld) -> bool:
    if len(hand) > 2:
        return True
    grown = laid_out((*meld.cards, card), turn.rules)
    return _why_unfinished(turn, hand, (card,), grown, instead_of=meld) is None


def _why_unfinished(
    turn: Turn,
    hand: Cards,
    cards: Cards,
    laid: Cards,
    instead_of: TableMeld | None = None,
) -> IllegalMove | None:
    """Return why laying these cards is refused: the turn could not be ended (RB 9.2).

    `laid` is the resulting meld, `instead_of` the one it extends. The only card left may be the one
    just taken if it can be laid off in this turn.
    """
    if len(hand) - len(cards) > 1:
        return None
    left = [card for card in hand if card not in cards]
    last = IllegalMove("must_discard_last", "the last card must be left to be discarded")
    if not left:
        return last if turn.rules.must_discard_last else None
    if not _is_barred(turn, left[0]):
        return None
    if turn.rules.must_discard_last:
        return last
    melds = [meld.cards for meld in turn.melds if meld is not instead_of]
    if any(left[0] in fitting(meld, turn.rules) for meld in (*melds, laid)):
        return None
    return IllegalMove("same_card_discarded", f"{left[0]} alone would be left, and was just taken")
