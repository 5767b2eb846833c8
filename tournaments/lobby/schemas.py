"""Data of tournaments for pages and the API, with fields in the order of responses."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from wallet.ledger.amounts import Amount


@dataclass(frozen=True, slots=True)
class TournamentRow:
    """A tournament in a list."""

    id: UUID
    name: str
    variant: str
    state: str
    starts_at: datetime | None
    entry: Amount
    prize: Amount
    entrants: int
    entrants_max: int
    waiting: int
    round_no: int
    is_practice: bool
    # One of `KindName`.
    kind: str
    # Whether tables have two seats.
    is_heads_up: bool
    # The kind of tournament for which its prizes are tickets, or empty.
    awards: str
    has_password: bool
    # The state of the viewer's own entry, or empty.
    mine: str
    finished_at: datetime | None
    # Finished tournaments: the names of those in first place, who share it if there are several.
    winners: list[str]


@dataclass(frozen=True, slots=True)
class TournamentList:
    """A page of a list; `after` is the cursor of the next one, null on the last."""

    rows: list[TournamentRow]
    after: str | None
    server_now: datetime


@dataclass(frozen=True, slots=True)
class PlannedRound:
    """The plan of a round; `qualify` is per table, `qualifiers` of the round."""

    no: int
    entrants: int
    tables: int
    sizes: str
    qualify: int
    qualifiers: int
    is_final: bool


@dataclass(frozen=True, slots=True)
class PrizeRow:
    place: int
    amount: Amount
    is_ticket: bool


@dataclass(frozen=True, slots=True)
class SeatedPlayer:
    """A player at a table of a round, and the result."""

    handle: str
    is_me: bool
    is_bot: bool
    place: int | None
    total: int | None
    qualified: bool | None


@dataclass(frozen=True, slots=True)
class RoundTableRow:
    no: int
    table: UUID | None
    phase: str
    deal_no: int
    qualify: int
    players: list[SeatedPlayer]


@dataclass(frozen=True, slots=True)
class RoundRow:
    """A round that has started, with its numbers of all and of unfinished tables."""

    no: int
    is_final: bool
    started_at: datetime
    ends_at: datetime | None
    finished_at: datetime | None
    tables_count: int
    tables_left: int


@dataclass(frozen=True, slots=True)
class MyEntry:
    """The viewer's entry, and its tables by round in `path`."""

    id: UUID
    state: str
    place: int | None
    tied: int
    prize: Amount
    draw_no: int | None
    # While a tournament whose points add up is played: the sum so far and the rank by it.
    total: int | None
    rank: int | None
    # The position on the waiting list, from 1.
    waiting_no: int | None
    may_withdraw: bool
    # The number of the player's entry: 1, or more after re-entries.
    entry_no: int
    # How many more re-entries the terms allow, and whether one is possible now.
    reentries_left: int
    may_reenter: bool
    has_add_on: bool
    may_buy_add_on: bool
    # The current table, if any.
    table: UUID | None
    # Of a tournament whose points add up, only the latest tables, the last one first.
    path: list[RoundTableRow]


@dataclass(frozen=True, slots=True)
class DrawnEntry:
    entry: UUID
    handle: str


@dataclass(frozen=True, slots=True)
class Draw:
    """The data to verify the draw (RB 10.1)."""

    commitment: str
    seed: str
    # In draw order.
    order: list[DrawnEntry]
    # Late entries in the order of seating; they are not part of the draw.
    late: list[DrawnEntry]


@dataclass(frozen=True, slots=True)
class StandingRow:
    """One entrant in the standings, finished or still playing."""

    place: int | None
    tied: int
    handle: str
    is_bot: bool
    is_me: bool
    state: str
    round_no: int | None
    total: int | None
    prize: Amount


@dataclass(frozen=True, slots=True)
class LadderStep:
    """A step of a ticket ladder, with its next tournament, if one is open (RB 10.12)."""

    name: str
    entry: Amount
    is_here: bool
    tournament: UUID | None
    starts_at: datetime | None


@dataclass(frozen=True, slots=True)
class LiveStandings:
    """The state of a running tournament whose points add up."""

    still_in: int
    tables_left: int
    # The best players still in, with their present rank as `place`.
    leaders: list[StandingRow]


@dataclass(frozen=True, slots=True)
class SeriesLink:
    """A series of tournaments with a leaderboard."""

    id: UUID
    name: str


@dataclass(frozen=True, slots=True)
class TournamentPage:
    """The data of a tournament's page."""

    id: UUID
    name: str
    variant: str
    # One of `KindName`, and its rules as sentences.
    kind: str
    kind_text: list[str]
    state: str
    currency: str
    entry: Amount
    rake: Amount
    prize: Amount
    guarantee: Amount
    is_frozen: bool
    entrants: int
    entrants_min: int
    entrants_max: int
    waiting: int
    registers_at: datetime | None
    starts_at: datetime | None
    started_at: datetime | None
    finished_at: datetime | None
    check_in_at: datetime | None
    # The end of late entry and re-entry, planned before the start; null without or after it.
    late_until: datetime | None
    no_show: str
    # Rejoins cost the entry again; their end if earlier than that of round 1, and the most of each.
    rejoins: bool
    rejoin_until: datetime | None
    rejoins_max: int | None
    # Re-entries of each player, which cost the entry again; 0 for none.
    reentries_max: int
    # The price, 0 for no add-on; its chips in round 2, and the break in which it is sold.
    addon: Amount
    addon_chips: int
    addon_minutes: int
    addon_until: datetime | None
    # Whether registration asks for a password.
    has_password: bool
    round_minutes: int | None
    round_no: int
    server_now: datetime
    # Empty if the number of rounds depends on the play.
    plan: list[PlannedRound]
    # Tournaments whose points add up, while they run.
    live: LiveStandings | None
    prizes: list[PrizeRow]
    # Finished tournaments: the entrants who won prizes, best first, at most ten.
    winners: list[StandingRow]
    rounds: list[RoundRow]
    commitment: str
    # The kind of tournament for which its prizes are tickets, or empty.
    awards: str
    # The ladder of which this tournament is a step, the first step first; empty without tickets.
    ladder: list[LadderStep]
    # The series in whose leaderboards it counts.
    series: list[SeriesLink]
    me: MyEntry | None
    may_register: bool

    @property
    def ticket_minor(self) -> int:
        """Return the value of a ticket, which no prize without one reaches; 0 for no tickets."""
        return min((row.amount.minor for row in self.prizes if row.is_ticket), default=0)
