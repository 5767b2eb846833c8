"""The acts of the modelled pool: `apply(terms, state, act)` is the whole specification.

Players: join, leave, draw, discard, drop, show, wrong (a wrong show), meld, answer, propose; retry
repeats a request whose answer was lost. The site: pass (time runs out), clock (the sweep applies
it), settle and step (a worker), lose (a message). Staff: void and cancel.
"""

from __future__ import annotations

from collections.abc import Callable

from tests.model.between import answer, cancel, propose, settle, step, void
from tests.model.state import Act, Moment, Refused, State, Terms
from tests.model.table import (
    clock,
    discard,
    draw,
    drop,
    exhaust,
    join,
    leave,
    lose,
    meld,
    pass_time,
    show,
    wrong,
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
    if act[0] == "propose" and moment[0] != state.deal:  # It names the deal before it.
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
