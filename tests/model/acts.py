"""The acts of the modelled pool: `apply(terms, state, act)` is the whole specification.

Players: join, leave, draw, discard, drop, show, wrong (a wrong show), meld, answer, propose; retry
repeats a request whose answer was lost. The site: pass (time runs out), clock (the sweep applies
it), settle and step (a worker), lose (a message). Staff: void and cancel.
"""

from __future__ import annotations

from collections.abc import Callable

from tests.model import money
from tests.model.state import (
    IN_DEAL,
    WINDOWS,
    Act,
    Moment,
    Refused,
    State,
    Terms,
    with_seat,
    with_seats,
)

MOVES = ("draw", "discard", "drop", "show", "wrong", "meld")
# A request that names its turn or its window.
OF_A_MOMENT = (*MOVES, "answer")
COMMANDS = (*OF_A_MOMENT, "join", "leave", "propose")


def apply(terms: Terms, state: State, act: Act) -> State:
    """Return the state after an act; raise `Refused` if it is not allowed.

    A command that comes too late finds the clock applied: it is refused with the new state, or
    taken in it, never half applied (RB 5.9).
    """
    name, *rest = act
    if name == "lost":
        return _answer_lost(terms, state, rest[0])
    if name == "retry":
        return repeat(terms, state)
    if name in COMMANDS:
        moment, state = state.moment, _caught_up(terms, state)
        if name in OF_A_MOMENT and moment != state.moment:
            raise Refused("stale")
        if state.pending is not None and state.pending[0][1] == rest[0]:
            state = state._replace(pending=None)  # A client sends one request at a time.
    return _ACTS[name](terms, state, *rest)


def repeat(terms: Terms, state: State) -> State:
    """Send a request again whose answer was lost: it must change nothing (RB 5.9)."""
    if state.pending is None:
        raise Refused("nothing_to_repeat")
    (act, moment), state = state.pending, _caught_up(terms, state)._replace(pending=None)
    return once_more(terms, state, act, moment)


def once_more(terms: Terms, state: State, act: Act, moment: Moment) -> State:
    """Return the state after a repeated request: the same one if it is refused."""
    if act[0] in OF_A_MOMENT and moment != state.moment:
        return state
    try:
        return apply(terms, state, act)
    except Refused:
        return state


def _answer_lost(terms: Terms, state: State, act: Act) -> State:
    if not state.faults or state.pending is not None:
        raise Refused("no_fault_left")
    after = apply(terms, state, act)
    return after._replace(pending=(act, state.moment), faults=state.faults - 1)


def _caught_up(terms: Terms, state: State) -> State:
    return clock(terms, state) if state.is_expired else state


# The table.


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
        return _await_step(state)
    if state.phase == "rejoin":
        return state if state.awaited() else _await_step(state)
    if state.phase == "split" and seat.asked | (seat.said != ""):
        return _await_step(state)  # A survivor leaving: play on (RB 7.4).
    return state


# The deal. Cards are left out: what they decide is an argument of `settle`.


def _start(terms: Terms, state: State) -> State:
    state = with_seats(state._replace(starters=len(state.here())), sat=0)
    return _deal(terms, state, phase="toss" if terms.toss else "playing")


def _deal(terms: Terms, state: State, *, phase: str = "playing") -> State:
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
    return _deal(terms, state) if state.phase == "between" else _await_step(state)


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


def _await_step(state: State) -> State:
    return _send(state._replace(due=True, is_expired=False), 0)


def lose(terms: Terms, state: State, message: int) -> State:
    if message not in state.messages or not state.faults:
        raise Refused("no_message")
    left = tuple(each for each in state.messages if each != message)
    return state._replace(messages=left, faults=state.faults - 1)


def _delivered(state: State, message: int, *, is_kept: bool) -> State:
    """Take a message; it is kept if the worker ends after the commit, before it is confirmed."""
    if message not in state.messages or is_kept > state.faults:
        raise Refused("no_message")
    if is_kept:
        return state._replace(faults=state.faults - 1)
    return state._replace(messages=tuple(each for each in state.messages if each != message))


# The worker.


def settle(
    terms: Terms, state: State, deal: int, points: tuple[int, ...], is_kept: bool = False
) -> State:
    """Score a deal with the points of the hands that are not known yet, in seat order (RB 4)."""
    state = _delivered(state, deal, is_kept=is_kept)
    if state.phase != "settling" or state.deal != deal or state.due:
        return state  # It was scored before, or staff have ruled on it.
    dealt, unscored = [no for no, seat in enumerate(state.seats) if seat.dealt], state
    state = _scored(terms, state, points)
    survives = [no for no in dealt if state.seats[no].here and state.seats[no].total < terms.limit]
    if not survives and not unscored.acted:
        return money.cancel(terms, unscored, dealt)  # RB 7.6, 7.7.
    state = _eliminate(terms, state._replace(scored=True, is_expired=False))
    return _offer_rejoin(terms, state) or _play_on(terms, state)


def _scored(terms: Terms, state: State, points: tuple[int, ...]) -> State:
    """Add the points of the deal; without a show the lowest hand wins (RB 4.5, 5.5)."""
    unknown = state.in_deal()
    if state.winner >= 0:
        unknown = [no for no in unknown if no != state.winner]
    known = dict(zip(unknown, points, strict=True))
    if not all(0 <= each <= terms.cap for each in points):
        raise Refused("above_the_cap")
    winner = state.winner
    if winner < 0:
        count = len(state.seats)
        winner = min(known, key=lambda no: (known[no], (no - state.leader) % count))
    known[winner] = 0
    for no, added in known.items():
        state = with_seat(state, no, points=added)
    least = min(seat.total for seat in state.seats if seat.dealt)
    for no, seat in enumerate(state.seats):
        is_lowest = seat.dealt and seat.total == least
        total = seat.total + (seat.points if seat.dealt else 0)
        state = with_seat(state, no, total=total, lowest=is_lowest, drew=False, missed=0)
    return state._replace(acted=False, turns=0)


def _eliminate(terms: Terms, state: State) -> State:
    """Put out who has reached the limit or left (RB 7.1, 7.9); their entries are lost."""
    for no, seat in enumerate(state.seats):
        if seat.dealt and not seat.out and (seat.total >= terms.limit or not seat.here):
            state = with_seat(state, no, out=True)
    for no, seat in enumerate(state.seats):
        if seat.out and state.scored:
            state = with_seat(state, no, lost=seat.paid)
    return state


def _offer_rejoin(terms: Terms, state: State) -> State | None:
    """Ask those whom this deal put out, at one total for all (RB 7.3)."""
    stay = [state.seats[no].total for no in state.active()]
    if not terms.rejoin or state.starters < 3 or len(stay) < 2:
        return None
    if max(stay) > terms.limit - terms.first - 2:
        return None
    most = terms.max_rejoins
    asked = [
        no
        for no, seat in enumerate(state.seats)
        if seat.dealt and seat.out and seat.here and (most is None or seat.rejoins < most)
    ]
    for no in asked:
        state = with_seat(state, no, asked=True)
    return state._replace(phase="rejoin", offer=max(stay) + 1) if asked else None


def _play_on(terms: Terms, state: State) -> State:
    state = _if_decided(terms, state)
    if state.is_over:
        return state
    state = with_seats(state, dealt=False, points=-1, asked=False, said="", proposed=False)
    state = state._replace(phase="between", offer=-1, winner=-1, is_expired=False)
    return state if terms.pause else _deal(terms, state)


def _if_decided(terms: Terms, state: State) -> State:
    """End the game if one is left, nobody is, or the prize splits by itself (RB 7.4, 7.6)."""
    left = state.active()
    if not left:
        lowest = [no for no, seat in enumerate(state.seats) if seat.lowest]
        if lowest:
            return money.finish(terms, state, lowest)
        return money.cancel(terms, state, state.sharers)  # The last deal was void (RB 7.7).
    if len(left) == 1:
        return money.finish(terms, state, left)
    shares = money.split_shares(terms, state)
    if shares is not None and terms.auto_split and money.is_auto(terms, state):
        return money.settle(terms, state, shares)
    return state


def step(terms: Terms, state: State, is_kept: bool = False) -> State:
    """Take the step between two deals, or carry out a ruling; a repeated message does nothing."""
    state = _delivered(state, 0, is_kept=is_kept)
    if not state.due:
        return state
    state, ruling, phase = state._replace(due=False, ruling=""), state.ruling, state.phase
    if ruling == "cancel":
        return money.cancel(terms, state, state.sharers)
    if ruling == "void":
        return _after_void(terms, state)
    if phase == "between":
        return _if_decided(terms, _eliminate_left(terms, state))
    if phase == "rejoin":
        state = with_seats(state, asked=False, said="")
        return _play_on(terms, _eliminate_left(terms, state))
    assert phase == "split", phase
    asked = [seat for seat in state.seats if seat.asked or seat.said]
    if all(seat.said == "yes" for seat in asked) and all(seat.here for seat in asked):
        shares = money.split_shares(terms, state)
        assert shares is not None, "totals and entries do not change in a window"
        return money.settle(terms, state, shares)
    state = with_seats(state, asked=False, said="")._replace(phase="between")
    return _if_decided(terms, _eliminate_left(terms, state))


def _eliminate_left(terms: Terms, state: State) -> State:
    """Put out who left since the deal, at any total (RB 7.9)."""
    for no, seat in enumerate(state.seats):
        if seat.paid and not seat.here and not seat.out:
            state = with_seat(state, no, out=True, lost=seat.paid if state.scored else 0)
    return state


def _after_void(terms: Terms, state: State) -> State:
    """Repeat a deal that staff voided, or end the game with who stayed."""
    counts = state.scored and state.acted
    if not state.active() and not counts:
        return money.cancel(terms, state, state.sharers)
    dealt = [seat for seat in state.seats if seat.dealt]
    for no, seat in enumerate(state.seats):
        is_lowest = counts and seat.dealt and seat.total == min(each.total for each in dealt)
        state = with_seat(state, no, lowest=is_lowest, points=-1, drew=False, missed=0)
    state = state._replace(acted=False, turns=0)
    return _play_on(terms, _eliminate(terms, state))


# Windows between two deals.


def answer(terms: Terms, state: State, no: int, said: str) -> State:
    """Answer a rejoin or a split once; a yes to a rejoin is paid at once (RB 7.3, 7.4)."""
    seat = state.seats[no]
    if seat.said == said and state.phase in WINDOWS:
        return state
    if state.phase not in WINDOWS or not seat.asked or not seat.here or state.due:
        raise Refused("window_closed")
    if state.phase == "rejoin" and said == "yes":
        state = money.take_entry(terms, state, no)
        back = {"out": False, "total": state.offer, "rejoins": seat.rejoins + 1}
        state = with_seat(state, no, **back)
    state = with_seat(state, no, asked=False, said=said)
    is_off = state.phase == "split" and said == "no"
    return _await_step(state) if is_off or not state.awaited() else state


def propose(terms: Terms, state: State, no: int) -> State:
    """Propose a split in the pause, once each; the proposer's yes is included (RB 7.4)."""
    if state.seats[no].proposed and state.phase == "split":
        return state
    if state.phase != "between" or state.due or no not in state.active():
        raise Refused("no_split")
    if state.seats[no].proposed or money.split_shares(terms, state) is None or not terms.split:
        raise Refused("no_split")
    for other in state.active():
        state = with_seat(state, other, asked=other != no, said="yes" if other == no else "")
    state = with_seat(state, no, proposed=True)
    return state._replace(phase="split", is_expired=False)


# Staff.


def void(terms: Terms, state: State) -> State:
    """Let the deal on the table not count."""
    if state.phase not in IN_DEAL or state.ruling or not state.rulings:
        raise Refused("not_in_play")
    return _ruled(state, "void")


def cancel(terms: Terms, state: State) -> State:
    """Cancel the game (RB 7.7), unless nobody is left and it ends by itself (RB 7.6)."""
    if state.is_over or state.ruling == "cancel" or not state.rulings:
        raise Refused("not_in_play")
    if state.phase not in IN_DEAL and state.starters and not state.active():
        raise Refused("not_in_play")
    return _ruled(state, "cancel")


def _ruled(state: State, ruling: str) -> State:
    state = _await_step(state._replace(ruling=ruling, rulings=state.rulings - 1))
    if state.phase not in IN_DEAL:
        return state._replace(sharers=tuple(state.active()))
    dealt = tuple(no for no, seat in enumerate(state.seats) if seat.dealt)
    state = state._replace(sharers=dealt)
    return with_seats(state, asked=False)._replace(phase="settling", holds=False, turn=-1)


_ACTS: dict[str, Callable[..., State]] = {
    "pass": pass_time,
    "clock": clock,
    "join": join,
    "leave": leave,
    "draw": draw,
    "discard": discard,
    "drop": drop,
    "show": show,
    "exhaust": exhaust,
    "wrong": wrong,
    "meld": meld,
    "answer": answer,
    "propose": propose,
    "settle": settle,
    "step": step,
    "lose": lose,
    "void": void,
    "cancel": cancel,
}
