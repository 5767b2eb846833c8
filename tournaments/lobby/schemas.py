"""What pages and the API show of tournaments: frozen values in the order they are answered."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from wallet.ledger.amounts import Amount


@dataclass(frozen=True, slots=True)
class TournamentRow:
    """A tournament as the list offers it."""

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
    # Tables of two, a bracket.
    is_heads_up: bool
    # The kind of tournament its prizes are tickets to, or empty.
    awards: str
    # The state of the viewer's own entry, or empty.
    mine: str


@dataclass(frozen=True, slots=True)
class TournamentList:
    """One page of a list, and what asks for the next one; null on the last."""

    rows: list[TournamentRow]
    after: str | None
    server_now: datetime


@dataclass(frozen=True, slots=True)
class PlannedRound:
    """A round as planned: how many, at tables of which sizes, and how many get on."""

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
    """One player at a table of a round, and what came of it."""

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
    """A round that has begun, with the tables on this page of it."""

    no: int
    is_final: bool
    started_at: datetime
    ends_at: datetime | None
    finished_at: datetime | None
    tables_count: int
    tables_left: int


@dataclass(frozen=True, slots=True)
class MyEntry:
    """The viewer's own entry: what can be done with it, and the path it took."""

    id: UUID
    state: str
    place: int | None
    tied: int
    prize: Amount
    draw_no: int | None
    # How many wait in front, from 1, while the entry is on the waiting list.
    waiting_no: int | None
    may_withdraw: bool
    # The table to play at now, if there is one.
    table: UUID | None
    path: list[RoundTableRow]


@dataclass(frozen=True, slots=True)
class DrawnEntry:
    entry: UUID
    handle: str


@dataclass(frozen=True, slots=True)
class Draw:
    """What anybody needs to repeat the draw (RB 10.1)."""

    commitment: str
    seed: str
    # In the order drawn.
    order: list[DrawnEntry]
    # Came after the draw, in that order: no part of it, seated at new tables of their own.
    late: list[DrawnEntry]


@dataclass(frozen=True, slots=True)
class TournamentPage:
    """Everything the page of one tournament shows."""

    id: UUID
    name: str
    variant: str
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
    late_until: datetime | None
    no_show: str
    rejoins: bool
    round_minutes: int | None
    round_no: int
    server_now: datetime
    plan: list[PlannedRound]
    prizes: list[PrizeRow]
    rounds: list[RoundRow]
    commitment: str
    # The kind of tournament its prizes are tickets to, or empty.
    awards: str
    me: MyEntry | None
    may_register: bool


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
