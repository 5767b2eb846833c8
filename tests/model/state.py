"""The state of the modelled pool, and the terms on which it is played."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, NamedTuple

Act = tuple[Any, ...]
"""What happens, as a name and its arguments: `("join", 0)`, `("settle", 1, (3,), False)`."""

Moment = tuple[int, int, bool, int]
"""The deal, the turn, whether its card is drawn, and the number of proposals in the pause."""

OVER: Final = ("finished", "cancelled")
IN_DEAL: Final = ("toss", "playing", "showing", "settling")
WINDOWS: Final = ("rejoin", "split")


class Refused(Exception):
    """The act is not allowed in this state; its argument is a code."""


@dataclass(frozen=True, slots=True)
class Terms:
    """The rules of a pool (RB 6), and how much of it is explored.

    `turns` is the number of turns after which the stock is exhausted (None: the trace says when),
    `points` are what a hand may cost at the end of a deal, `faults` is the number of crashes, lost
    messages and lost answers, `rulings` that of staff rulings, `sittings` how often each player
    may sit down.
    """

    players: int = 2
    seats_min: int = 2
    seats_max: int = 2
    limit: int = 4
    first: int = 1
    middle: int = 2
    cap: int = 3
    entry: int = 10
    bps: int = 1_000
    purse: int = 20
    rejoin: bool = True
    split: bool = True
    auto_split: bool = True
    drops: bool = True
    misses: int = 2
    max_rejoins: int | None = None
    toss: bool = True
    pause: bool = True
    start_at_once: bool = False
    turns: int | None = 3
    points: tuple[int, ...] = (1, 3)
    faults: int = 1
    rulings: int = 1
    sittings: int = 1

    def __post_init__(self) -> None:
        """Refuse what is no pool (RB 6, last line)."""
        assert 0 < self.first <= self.middle <= self.cap < self.limit
        assert self.limit - self.first - 2 >= 0

    @property
    def rake(self) -> int:
        """The rake of one entry (RB 7.5)."""
        return self.entry * self.bps // 10_000

    @property
    def net(self) -> int:
        return self.entry - self.rake

    def drops_left(self, total: int) -> int:
        """Return how many first drops a total survives (RB 7.2)."""
        return max(0, (self.limit - 1 - total) // self.first)


class Seat(NamedTuple):
    """A player and their seat. `points` is -1 until they are known in the deal."""

    sat: int = 0
    here: bool = False
    out: bool = False
    total: int = 0
    # Entries paid and not refunded, those of them that are lost, and rejoins.
    paid: int = 0
    lost: int = 0
    rejoins: int = 0
    # The deal.
    dealt: bool = False
    points: int = -1
    # Whether the total before the last scored deal was the lowest one (RB 7.6).
    lowest: bool = False
    drew: bool = False
    missed: int = 0
    # The open window: whether an answer is awaited of this seat, and what was said.
    asked: bool = False
    said: str = ""
    proposed: bool = False


class State(NamedTuple):
    """A table with its pool, windows, clock, worker and money."""

    seats: tuple[Seat, ...]
    purses: tuple[int, ...]
    phase: str = "waiting"
    escrow: int = 0
    rake: int = 0
    deal: int = 0
    starters: int = 0
    scored: bool = False
    # The present deal is number 1, those before it are -1. Who leads it, whose turn it is, and
    # whether that seat holds a drawn card.
    leader: int = -1
    turn: int = -1
    holds: bool = False
    turns: int = 0
    acted: bool = False
    # Who declared or is the last one left; -1 while nobody has won, or after an exhausted stock.
    winner: int = -1
    # The total at which everybody may rejoin, fixed when the deal is scored (RB 7.3).
    offer: int = -1
    # Whether the table's time is over and nobody has applied it yet.
    is_expired: bool = False
    # A worker's step is due, a staff ruling waits for it ("void", "cancel"), and the messages to
    # workers: a deal's number to score it, 0 for the step.
    due: bool = False
    ruling: str = ""
    # Who shares the money of a cancelled game: the survivors when staff ruled (RB 7.7).
    sharers: tuple[int, ...] = ()
    messages: tuple[int, ...] = ()
    # A request whose answer was lost, and the turn for which it was made.
    pending: tuple[Act, Moment] | None = None
    faults: int = 0
    rulings: int = 0

    @property
    def is_over(self) -> bool:
        return self.phase in OVER

    @property
    def moment(self) -> Moment:
        """What a request must name: it is refused once the table has gone on (RB 5.9)."""
        asked = sum(seat.proposed for seat in self.seats)
        return self.deal, self.turns, self.holds, asked

    def here(self) -> list[int]:
        return [no for no, seat in enumerate(self.seats) if seat.here]

    def active(self) -> list[int]:
        """Return the seats in the game, in seat order."""
        return [no for no, seat in enumerate(self.seats) if seat.here and not seat.out]

    def in_deal(self) -> list[int]:
        """Return the seats that still play this deal, in seat order."""
        return [no for no, seat in enumerate(self.seats) if seat.dealt and seat.points < 0]

    def awaited(self) -> list[int]:
        return [no for no, seat in enumerate(self.seats) if seat.asked and seat.here]

    def is_armed(self, terms: Terms) -> bool:
        """Return whether a clock runs: always, except while too few players wait."""
        if self.is_over:
            return False
        return self.phase != "waiting" or self.due or len(self.here()) >= terms.seats_min


def begin(terms: Terms) -> State:
    """Return the table before anybody has sat down."""
    return State(
        seats=(Seat(),) * terms.players,
        purses=(terms.purse,) * terms.players,
        faults=terms.faults,
        rulings=terms.rulings,
    )


def with_seat(state: State, no: int, **changes: Any) -> State:
    seats = list(state.seats)
    seats[no] = seats[no]._replace(**changes)
    return state._replace(seats=tuple(seats))


def with_seats(state: State, **changes: Any) -> State:
    """Return the state with the same change at every seat."""
    return state._replace(seats=tuple(seat._replace(**changes) for seat in state.seats))
