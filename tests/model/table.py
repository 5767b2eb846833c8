"""The table of the modelled pool: sitting down, a deal's turns, the clock, messages to workers."""

from __future__ import annotations

from tests.model import money
from tests.model.state import Refused, State, Terms, with_seat, with_seats


def join(terms: Terms, state: State, no: int) -> State:
    """Sit down and pay; the last seat starts the game, or a countdown runs."""
    seat = state.seats[no]
    if state.phase != "waiting" or state.ruling:
        raise Refused("table_not_waiting")
    if seat.here:
        raise Refused("already_seated")
    if seat.sat >= terms.sittings or len(state.here()) >= terms.seats_max:
        raise Refused("table_full")
    state = with_seat(state, no, here=True, sat=seat.sat + 1)
    state = money.take_entry(terms, state, no)
    taken = len(state.here())
    is_ready = taken >= terms.seats_min and terms.start_at_once
    return _start(terms, state) if taken == terms.seats_max or is_ready else state


def leave(terms: Terms, state: State, no: int) -> State:
    """Get up: with a refund before the start, later by RB 5.8 and 7.9."""
    if state.is_over:
        raise Refused("not_in_play")
    seat = state.seats[no]
    if not seat.here:
        return state
    if state.phase == "waiting":
        state = with_seat(money.return_entry(terms, state, no), no, here=False)
        return state if state.is_armed(terms) else state._replace(is_expired=False)
    state = with_seat(state, no, here=False)
    if state.phase in ("toss", "playing") and seat.dealt and seat.points < 0:
        price = terms.middle if seat.drew else terms.first
        return _out_of_deal(terms, state, no, price if terms.drops else terms.cap)
    if state.phase == "showing" and seat.asked:
        return _melded(state, no)  # The exact score, no surcharge (RB 5.6).
    if state.phase == "between":
        return await_step(state)
    if state.phase == "rejoin":
        return state if state.awaited() else await_step(state)
    if state.phase == "split" and seat.asked | (seat.said != ""):
        return await_step(state)  # A survivor leaving: play on (RB 7.4).
    return state


# The deal. Cards are left out: what they decide is an argument of `settle`.


def _start(terms: Terms, state: State) -> State:
    state = with_seats(state._replace(starters=len(state.here())), sat=0)
    return deal_out(terms, state, phase="toss" if terms.toss else "playing")


def deal_out(terms: Terms, state: State, *, phase: str = "playing") -> State:
    """Deal to everybody in the game; the next seat after the former leader leads (RB 5.1)."""
    among = state.active()
    assert len(among) >= 2, "one player left has won (RB 7.6)"
    lead = next((no for no in among if no > state.leader), among[0])
    state = with_seats(state, drew=False, missed=0, asked=False, said="", proposed=False)
    for no in range(len(state.seats)):
        state = with_seat(state, no, dealt=no in among, points=-1)
    messages = tuple(sorted({-1 if message else 0 for message in state.messages}))
    if state.pending is not None:
        act, (_, *rest) = state.pending
        state = state._replace(pending=(act, (-1, *rest)))
    state = state._replace(phase=phase, deal=1, messages=messages, leader=lead, turn=lead)
    state = state._replace(winner=-1, sharers=())
    return state._replace(turns=0, holds=False, acted=False, offer=-1, is_expired=False)


def draw(terms: Terms, state: State, no: int) -> State:
    _require_turn(state, no, holds=False)
    return with_seat(state, no, drew=True)._replace(holds=True, acted=True, is_expired=False)


def discard(terms: Terms, state: State, no: int) -> State:
    _require_turn(state, no, holds=True)
    return _turn_over(terms, with_seat(state, no, missed=0))


def drop(terms: Terms, state: State, no: int) -> State:
    """Give up before drawing: the first drop, or the middle drop later (RB 5.4)."""
    _require_turn(state, no, holds=False)
    if not terms.drops:
        raise Refused("drops_not_allowed")
    price = terms.middle if state.seats[no].drew else terms.first
    return _out_of_deal(terms, state._replace(acted=True), no, price)


def show(terms: Terms, state: State, no: int) -> State:
    """Declare validly: the others have the meld window (RB 5.6)."""
    _require_turn(state, no, holds=True)
    others = [seat for seat in state.in_deal() if seat != no]
    for other in others:
        state = with_seat(state, other, asked=True)
    return state._replace(phase="showing", winner=no, holds=False, is_expired=False)


def wrong(terms: Terms, state: State, no: int) -> State:
    """Declare wrongly: the cap, and out of the deal (RB 3.4)."""
    _require_turn(state, no, holds=True)
    return _out_of_deal(terms, state, no, terms.cap)


def meld(terms: Terms, state: State, no: int) -> State:
    if state.phase != "showing" or not state.seats[no].asked:
        raise Refused("window_closed")
    return _melded(state, no)


def _melded(state: State, no: int) -> State:
    state = with_seat(state, no, asked=False)
    return state if any(seat.asked for seat in state.seats) else _ended(state)


def _require_turn(state: State, no: int, *, holds: bool) -> None:
    if state.phase != "playing" or state.turn != no or state.holds != holds:
        raise Refused("not_your_turn")


def _out_of_deal(terms: Terms, state: State, no: int, points: int) -> State:
    state = with_seat(state, no, points=points)
    left = state.in_deal()
    if len(left) == 1:  # The last one wins without declaring (RB 5.7).
        return _ended(state._replace(winner=left[0]))
    return _turn_over(terms, state) if state.turn == no else state


def _turn_over(terms: Terms, state: State) -> State:
    """Pass the turn on; after the last one of the stock the deal is over (RB 5.5)."""
    turns = state.turns + 1
    if terms.turns is not None and turns >= terms.turns and state.phase == "playing":
        return _ended(state._replace(turns=turns))
    left, state = state.in_deal(), state._replace(turns=turns, holds=False, is_expired=False)
    return state._replace(turn=next((no for no in left if no > state.turn), left[0]))


def exhaust(terms: Terms, state: State) -> State:
    """End a deal of a trace, which says when the stock was exhausted (RB 5.5)."""
    if terms.turns is not None or state.phase != "playing" or state.holds:
        raise Refused("stock_left")
    return _ended(state)


def _ended(state: State) -> State:
    state = state._replace(phase="settling", holds=False, turn=-1, is_expired=False)
    return _send(with_seats(state, asked=False), state.deal)


# The clock.


def pass_time(terms: Terms, state: State) -> State:
    if state.is_expired or not state.is_armed(terms):
        raise Refused("no_clock")
    return state._replace(is_expired=True)


def clock(terms: Terms, state: State) -> State:
    """Apply the table's time if it is over (RB 5.8, 5.10, 7.3, 7.4)."""
    if not state.is_expired:
        raise Refused("in_time")
    state = state._replace(is_expired=False)
    if state.due or state.phase == "settling":  # A message was lost, or its worker.
        return _send(state, 0 if state.due else state.deal)
    if state.phase == "waiting":
        return _start(terms, state)
    if state.phase == "toss":
        return state._replace(phase="playing")
    if state.phase == "playing":
        return _miss(terms, state)
    if state.phase == "showing":
        return _ended(state)
    return deal_out(terms, state) if state.phase == "between" else await_step(state)


def _miss(terms: Terms, state: State) -> State:
    """End the turn; too many misses in a row are a middle drop (RB 5.8)."""
    no = state.turn
    missed = state.seats[no].missed + 1
    state = with_seat(state, no, missed=missed)
    if missed < terms.misses:
        return _turn_over(terms, state)
    return _out_of_deal(terms, state, no, terms.middle if terms.drops else terms.cap)


# Messages to workers. Each may be lost, late, or delivered twice.


def _send(state: State, message: int) -> State:
    return state._replace(messages=tuple(sorted({*state.messages, message})))


def await_step(state: State) -> State:
    return _send(state._replace(due=True, is_expired=False), 0)


def lose(terms: Terms, state: State, message: int) -> State:
    if message not in state.messages or not state.faults:
        raise Refused("no_message")
    left = tuple(each for each in state.messages if each != message)
    return state._replace(messages=left, faults=state.faults - 1)


def delivered(state: State, message: int, *, is_kept: bool) -> State:
    """Take a message; it is kept if the worker ends after the commit, before it is confirmed."""
    if message not in state.messages or is_kept > state.faults:
        raise Refused("no_message")
    if is_kept:
        return state._replace(faults=state.faults - 1)
    return state._replace(messages=tuple(each for each in state.messages if each != message))
