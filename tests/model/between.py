"""What follows a deal of the modelled pool: the worker's steps, windows, rulings of staff."""

from __future__ import annotations

from tests.model import money
from tests.model.state import IN_DEAL, WINDOWS, Refused, State, Terms, with_seat, with_seats
from tests.model.table import await_step, deal_out, delivered


def settle(
    terms: Terms, state: State, deal: int, points: tuple[int, ...], is_kept: bool = False
) -> State:
    """Score a deal with the points of the hands that are not known yet, in seat order (RB 4)."""
    state = delivered(state, deal, is_kept=is_kept)
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
    return state if terms.pause else deal_out(terms, state)


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
    state = delivered(state, 0, is_kept=is_kept)
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
    return await_step(state) if is_off or not state.awaited() else state


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
    state = await_step(state._replace(ruling=ruling, rulings=state.rulings - 1))
    if state.phase not in IN_DEAL:
        return state._replace(sharers=tuple(state.active()))
    dealt = tuple(no for no, seat in enumerate(state.seats) if seat.dealt)
    state = state._replace(sharers=dealt)
    return with_seats(state, asked=False)._replace(phase="settling", holds=False, turn=-1)
