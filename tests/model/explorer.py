"""Visit every state of the modelled pool, and check what must hold in each."""

from __future__ import annotations

import marshal
from array import array
from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import product

from tests.model.acts import COMMANDS, Refused, apply, once_more
from tests.model.state import IN_DEAL, WINDOWS, Act, State, Terms, begin


class Broken(AssertionError):
    """An invariant does not hold; the argument names it."""


@dataclass
class Explored:
    """What was visited: each state's number by its digest, and for each how it is reached."""

    terms: Terms
    numbers: dict[bytes, int] = field(default_factory=dict)
    parents: array[int] = field(default_factory=lambda: array("l"))
    acts: list[Act] = field(default_factory=list)
    # The state that follows if nobody acts: only clock and worker; -1 where players are awaited.
    quiet: array[int] = field(default_factory=lambda: array("l"))
    steps: int = 0
    finals: Counter[str] = field(default_factory=Counter)
    is_whole: bool = True

    def path(self, number: int) -> list[Act]:
        """Return the shortest series of acts to a state."""
        found = []
        while number:
            found.append(self.acts[number])
            number = self.parents[number]
        return found[::-1]


def explore(terms: Terms, *, most: int | None = None) -> Explored:
    """Visit all states breadth first, at most so many; raise `Broken` with the path to a fault."""
    found, first = Explored(terms), begin(terms)
    frontier = deque([first])
    _number(found, first, 0, ())
    done = 0
    while frontier:
        state, number, done = frontier.popleft(), done, done + 1
        if most is not None and len(found.numbers) >= most:
            found.is_whole = False
            break
        try:
            _expand(found, state, number, frontier)
        except AssertionError as broken:
            path = "\n".join(map(str, found.path(number)))
            raise Broken(f"{broken} in {state}\nafter\n{path}") from broken
    if found.is_whole:
        _require_quiet_end(found)
    return found


def _expand(found: Explored, state: State, number: int, frontier: deque[State]) -> None:
    terms = found.terms
    check(terms, state)
    if state.is_over:
        found.finals[state.phase] += 1
    goes_on = False
    for act, after in successors(terms, state):
        found.steps += 1
        if after == state:
            continue
        goes_on = True
        if _number(found, after, number, act):
            frontier.append(after)
    # An empty table waits for players whom the bounds of the exploration leave out.
    assert goes_on or state.is_over or not state.here(), "deadlock"
    found.quiet.append(-1)
    calm = quiet_act(terms, state)
    if calm is not None:
        found.quiet[number] = found.numbers[_digest(apply(terms, state, calm))]


def _number(found: Explored, state: State, parent: int, act: Act) -> bool:
    digest = _digest(state)
    if digest in found.numbers:
        return False
    found.numbers[digest] = len(found.numbers)
    found.parents.append(parent)
    found.acts.append(act)
    return True


def _digest(state: State) -> bytes:
    plain = (tuple(map(tuple, state.seats)), *state[1:])
    return blake2b(marshal.dumps(plain, 2), digest_size=12).digest()


def successors(terms: Terms, state: State) -> Iterator[tuple[Act, State]]:
    """Yield each act that is possible, with the state that follows."""
    for act in offers(terms, state):
        try:
            after = apply(terms, state, act)
        except Refused:
            continue
        yield act, after
        if act[0] == "retry":
            assert after == _settled_time(terms, state)._replace(pending=None), "a retry acted"
        if act[0] not in COMMANDS:
            continue
        repeated = once_more(terms, after, act, state.moment)
        assert repeated == after, f"{act} acts twice"
        if state.faults and state.pending is None and after != state:
            yield ("lost", act), apply(terms, state, ("lost", act))


def _settled_time(terms: Terms, state: State) -> State:
    return apply(terms, state, ("clock",)) if state.is_expired else state


def offers(terms: Terms, state: State) -> Iterator[Act]:
    """Yield the acts that may be tried in a state; some are refused."""
    for message in state.messages:
        yield from (("step",), ("step", True)) if not message else _scorings(terms, state, message)
        yield "lose", message
    yield ("retry",)
    if state.is_over:
        return
    yield ("pass",)
    yield ("clock",)
    yield ("void",)
    yield ("cancel",)
    for no, seat in enumerate(state.seats):
        yield ("leave", no) if seat.here else ("join", no)
        if state.phase == "playing" and state.turn == no:
            yield from ((name, no) for name in ("draw", "discard", "drop", "show", "wrong"))
        if state.phase == "showing":
            yield "meld", no
        if state.phase in WINDOWS:
            yield "answer", no, "yes"
            yield "answer", no, "no"
        if state.phase in ("between", "split"):
            yield "propose", no


def _scorings(terms: Terms, state: State, deal: int) -> Iterator[Act]:
    """Yield how a worker may score: with any points of the hands that are not known."""
    is_present = state.phase == "settling" and state.deal == deal and not state.due
    unknown = [no for no in state.in_deal() if no != state.winner] if is_present else []
    for points in product(terms.points, repeat=len(unknown)):
        yield "settle", deal, points
        if is_present:
            yield "settle", deal, points, True


def quiet_act(terms: Terms, state: State) -> Act | None:
    """Return what happens if nobody acts: the clock runs, the worker works, no message is lost."""
    if state.is_over or (state.phase == "waiting" and not state.is_armed(terms)):
        return None
    if state.due and 0 in state.messages:
        return ("step",)
    if state.phase == "settling" and not state.due and state.deal in state.messages:
        return next(_scorings(terms, state, state.deal))
    return ("clock",) if state.is_expired else ("pass",)


def check(terms: Terms, state: State) -> None:
    """Assert what holds in every state."""
    entries = sum(seat.paid for seat in state.seats)
    assert sum(state.purses) + state.escrow + state.rake == terms.players * terms.purse, "money"
    assert min(*state.purses, state.escrow, state.rake) >= 0, "negative"
    if state.is_over:
        assert state.escrow == 0, "the escrow is not empty"
        assert not any(seat.asked for seat in state.seats), "a window is open"
        assert (state.due, state.is_expired, state.ruling) == (False, False, ""), "a clock runs"
        return
    assert state.escrow == entries * terms.entry, "the escrow is the entries (RB 7.5)"
    assert state.rake == 0, "rake before the end (RB 7.5)"
    is_asking = any(seat.asked for seat in state.seats)
    assert not is_asking or state.phase in (*WINDOWS, "showing"), "a question without its window"
    assert state.is_armed(terms) or state.phase == "waiting", "no clock (RB 5.8)"
    assert not (state.due and state.phase == "playing"), "a step while cards are played"
    for seat in state.seats:
        assert seat.out or not seat.here or seat.total < terms.limit or state.phase in IN_DEAL
        if seat.rejoins and not seat.out and state.phase == "rejoin" and seat.said == "yes":
            assert terms.drops_left(seat.total) >= 1, "a rejoiner has a drop (RB 7.3)"
    if state.phase == "between" and not state.due:
        assert len(state.active()) >= 2, "one is left and the game goes on (RB 7.6)"


def _require_quiet_end(found: Explored) -> None:
    """Assert that a game whose players do nothing ends from every state: no circle of waiting."""
    ends = bytearray(len(found.quiet))
    for start in range(len(found.quiet)):
        path, at = [], start
        while at >= 0 and not ends[at]:
            ends[at] = 2
            path.append(at)
            at = found.quiet[at]
        if at >= 0 and ends[at] == 2:
            acts = "\n".join(map(str, found.path(at)))
            raise Broken(f"nobody acts, and the game never ends; after\n{acts}")
        for each in path:
            ends[each] = 1
