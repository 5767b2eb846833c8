"""Everything a view is built from, read with a constant number of queries per table."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol, TypedDict, cast
from uuid import UUID

from django.db.models import Count, Exists, OuterRef, Subquery
from django.utils.functional import cached_property

import rummy
from tables.games import game_of
from tables.games.cards import Figures
from tables.games.game import Game
from tables.games.stacks import largest_stack_minor
from tables.models.deals import Deal, DealSeat, Move
from tables.models.seats import Elimination, Score
from tables.models.tables import Table
from tables.settlement.models import Answer, Window
from tables.state.deadlines import deadline
from tables.state.fold import fold_after, fold_of, fold_of_latest
from tables.state.rules import family_of, rules_of
from tables.state.snapshot import LATEST_MOVES, Place, TableSnapshot
from tables.view.schemas import SeatLine
from wallet.ledger.amounts import Amount
from wallet.stakes.stacks import stacks_in

if TYPE_CHECKING:
    from django_stubs_ext import WithAnnotations

    ScoreWithRejoin = WithAnnotations[Score, "BoughtIn"]

# Phases in which a deal's cards are on the table.
DEAL_LIES_OPEN: Final = ("toss", "playing", "showing", "settling")
IN_PLAY: Final = (Table.Phase.PLAYING, Table.Phase.SHOWING)


class PlayerOnShow(Protocol):
    @property
    def handle(self) -> str: ...
    @property
    def is_bot(self) -> bool: ...
    @property
    def avatar(self) -> str: ...


class SeatOnShow(Protocol):
    """A seat as read by views: a `SeatRow`, or a `Seat` annotated with `is_out` and `entries`."""

    @property
    def pk(self) -> int: ...
    @property
    def number(self) -> int | None: ...
    @property
    def player_id(self) -> int: ...
    @property
    def player(self) -> PlayerOnShow: ...
    @property
    def left_at(self) -> object | None: ...
    @property
    def sits_out_since(self) -> object | None: ...
    @property
    def deals_missed(self) -> int: ...
    @property
    def is_out(self) -> bool: ...
    @property
    def entries(self) -> int: ...
    @property
    def said(self) -> str: ...
    @property
    def said_at(self) -> datetime | None: ...


class BoughtIn(TypedDict):
    """The total of a rejoin after the deal, if any."""

    bought_in_at: int | None


@dataclass(frozen=True)
class ViewContext:
    """A table at one version: the current one, or the one just after a move."""

    table: Table
    version: int
    phase: str
    due_at: datetime | None
    window_id: UUID | None
    now: datetime
    deal: Deal | None
    # The deal's state in `rummy`; it is sent to clients only through `view` or `public_view`.
    state: rummy.AnyDeal | None
    places: Sequence[DealSeat | Place]
    seats: Sequence[SeatOnShow]
    scores: Sequence[ScoreWithRejoin]
    # Whether the results are known, and may be shown.
    is_over: bool
    # The deal that is committed to but not dealt, with the client seeds given for it.
    coming: Deal | None
    # The answers of the open window in seat order, and the split proposers of this pause.
    answers: Sequence[Answer] = ()
    proposers: Collection[int | None] = ()
    # The deal's latest moves (ply and text), oldest first, if already known.
    known_moves: Sequence[tuple[int, str]] | None = None

    @cached_property
    def latest(self) -> Sequence[tuple[int, str]]:
        """The deal's latest moves, oldest first: ply and text."""
        if self.known_moves is not None:
            return self.known_moves
        moves = Move.objects.filter(deal=self.deal, version__lte=self.version)
        return list(moves.order_by("-ply").values_list("ply", "text")[:LATEST_MOVES])[::-1]

    @cached_property
    def rules(self) -> rummy.AnyRules:
        return rules_of(self.table.profile)

    @cached_property
    def game(self) -> Game:
        return game_of(self.rules)

    @cached_property
    def figures(self) -> Figures:
        return self.game.figures(self.rules)

    @cached_property
    def family(self) -> rummy.AnyFamily:
        return family_of(self.table.profile)

    @cached_property
    def lines(self) -> dict[tuple[int, bool], SeatLine]:
        """The public lines of seats, by the seat's key and whether the viewer owns the seat."""
        return {}

    @cached_property
    def positions(self) -> dict[int, int]:
        """Each seat's position in the current deal, by the seat's key."""
        if self.deal is None:
            return {}
        here = self.deal.pk
        return {place.seat_id: place.position for place in self.places if place.deal_id == here}

    @cached_property
    def chips(self) -> dict[int, int]:
        """Each seat's chips by its key, in deals rummy; empty in other games (RB 6)."""
        start = self.figures.chips
        if start is None:
            return {}
        after = {score.seat_id: score.chips_after or 0 for score in self.scores}
        return {seat.pk: after.get(seat.pk, start) for seat in self.seats}

    @cached_property
    def stacks(self) -> Mapping[int, int]:
        """Each player's current stack, by the player's key (RB 8.1)."""
        return stacks_in(self.table.escrow) if self.game.has_stacks else {}

    @cached_property
    def totals(self) -> dict[int, int]:
        """Each seat's running total, by the seat's key."""
        return {score.seat_id: _total_after(score) for score in self.scores}


def number_of(seat: SeatOnShow) -> int:
    """Return the number of a seat, which it has from the toss on."""
    assert seat.number is not None, "cards were dealt after the toss"
    return seat.number


def _total_after(score: ScoreWithRejoin) -> int:
    """Return a seat's total after a deal, or that of a rejoin after it (RB 7.3)."""
    return int(score.total_after if score.bought_in_at is None else score.bought_in_at)


def context_in_play(snapshot: TableSnapshot) -> ViewContext | None:
    """Return the context of this snapshot, or None if no cards are being played."""
    table, deal = snapshot.table, snapshot.deal
    if deal is None or table.phase not in IN_PLAY:
        return None
    return ViewContext(
        table=table,
        version=table.version,
        phase=table.phase,
        due_at=snapshot.deadline(snapshot.now),
        window_id=table.window_id,
        now=snapshot.now,
        deal=deal,
        state=fold_of_latest(deal, snapshot.latest).state,
        places=snapshot.places,
        seats=snapshot.seats,
        scores=_scores_before(deal.table_id, deal.pk, deal.started_at),
        is_over=False,
        coming=None,
        known_moves=[(ply, text) for _, ply, text in snapshot.latest],
    )


@lru_cache(maxsize=512)
def _scores_before(
    table_pk: int, deal_pk: int, started_at: datetime | None
) -> Sequence[ScoreWithRejoin]:
    """Return the scores of the table's deals before this one.

    They no longer change once this one is dealt, because rejoins are closed. The cache key includes
    the start time, because a rolled-back dealing may have used the same deal key.
    """
    deal = Deal.objects.select_related("table").get(pk=deal_pk, table=table_pk)
    return _scores(deal.table, no=deal.no, below=deal.no)


def context_of(table: Table, *, now: datetime) -> ViewContext:
    """Return the current table; moves later than its version are left out."""
    rows = _rows(table, no=table.deal_no, scored_below=table.deal_no + 1)
    dealt = (place.deal for place in rows.places if isinstance(place, DealSeat))
    on_table = (deal for deal in dealt if deal.no == table.deal_no)
    deal = next(on_table, None) if table.phase in DEAL_LIES_OPEN else None
    if deal is not None:
        deal.table = table
    is_settling = table.phase == Table.Phase.SETTLING or table.settlement_due
    due_at = None if is_settling else deadline(table, now)
    return ViewContext(
        table=table,
        version=table.version,
        phase=table.phase,
        due_at=due_at,
        window_id=table.window_id,
        now=now,
        deal=deal,
        state=fold_of(deal, version=table.version).state if deal else None,
        coming=_coming(table),
        is_over=table.is_over,
        answers=_answers(table),
        proposers=_proposers(table),
        **rows._asdict(),
    )


def _answers(table: Table) -> list[Answer]:
    if table.phase not in (Table.Phase.REJOIN, Table.Phase.SPLIT):
        return []
    asked = Answer.objects.filter(window__table=table, window__closed_at__isnull=True)
    return list(asked.select_related("window").order_by("seat__number"))


def _proposers(table: Table) -> list[int | None]:
    is_split = game_of(table).figures(rules_of(table.profile)).split
    if table.phase != Table.Phase.BETWEEN or not is_split:
        return []
    proposed = Window.objects.filter(deal__table=table, deal__no=table.deal_no, kind="split")
    return list(proposed.values_list("proposed_by", flat=True))


def _coming(table: Table) -> Deal | None:
    if table.is_over or table.phase in DEAL_LIES_OPEN:
        return None
    committed = table.deals.filter(no=table.deal_no + 1, status=Deal.Status.COMMITTED)
    return committed.prefetch_related("client_seeds").first()


def context_after(
    move: Move, *, now: datetime, snapshot: TableSnapshot | None = None
) -> ViewContext:
    """Return the table just after this move, as in the response to its player.

    The player who has just made the move passes the locked snapshot, which is not read again.
    """
    deal, table = move.deal, move.deal.table
    state = fold_after(move).state
    status = family_of(table.profile).status(state)
    phase = {"ended": Table.Phase.SETTLING}.get(status.phase, status.phase)
    known_moves = None
    if snapshot is None:
        rows = _rows(table, no=deal.no, scored_below=deal.no, until=move.made_at)
    else:
        scores = _scores_before(deal.table_id, deal.pk, deal.started_at)
        rows = _Rows(snapshot.places, snapshot.seats, scores)
        known_moves = [(ply, text) for _, ply, text in snapshot.latest] + [(move.ply, move.text)]
    return ViewContext(
        table=table,
        version=move.version,
        phase=str(phase),
        due_at=move.due_at,
        window_id=deal.meld_window if phase == Table.Phase.SHOWING else None,
        now=now,
        deal=deal,
        state=state,
        coming=None,
        is_over=False,
        known_moves=known_moves,
        **rows._asdict(),
    )


class _Rows(NamedTuple):
    places: Sequence[DealSeat | Place]
    seats: Sequence[SeatOnShow]
    scores: Sequence[ScoreWithRejoin]


def _rows(table: Table, *, no: int, scored_below: int, until: datetime | None = None) -> _Rows:
    """Read the seats of deal `no`, and the scores of deals before `scored_below`."""
    out = Elimination.objects.standing().filter(
        table=table, seat=OuterRef("pk"), deal__no__lt=scored_below
    )
    game = game_of(table)
    seats = (
        table.seats.select_related("player", "result")
        .annotate(is_out=Exists(out), entries=Count("buy_ins", filter=game.entries_paid(until)))
        .in_seat_order()
    )
    places = DealSeat.objects.filter(deal__table=table, deal__no__in=(no - 1, no))
    if no == 0:  # Nothing was dealt yet.
        places = places.none()
    on_show = list(game.seats_on_show(table, seats, dealt_in=places.values("seat")))
    return _Rows(
        places=list(places.select_related("deal").order_by("position")),
        seats=cast("list[SeatOnShow]", on_show),  # Annotated above.
        scores=_scores(table, no=no, below=scored_below),
    )


def _scores(table: Table, *, no: int, below: int) -> list[ScoreWithRejoin]:
    """Return scores of deals before `below`; in some games only those of the last deals."""
    if no == 0:
        return []
    rejoined = Elimination.objects.filter(table=table, seat=OuterRef("seat"), deal=OuterRef("deal"))
    bought_in_at = rejoined.filter(rejoined_at__isnull=False).values("rejoined_total")[:1]
    scores = Score.objects.filter(deal__table=table, deal__no__lt=below)
    if not game_of(table).has_end:  # Seats change their numbers.
        scores = scores.filter(deal__no__gte=no - 1)
    scores = scores.annotate(bought_in_at=Subquery(bought_in_at))
    rows = scores.select_related("deal__reveal").order_by("deal__no", "seat_id")
    return cast("list[ScoreWithRejoin]", list(rows))


class StackBoundsShown(TypedDict):
    point_value: Amount | None
    stack_min: Amount | None
    stack_max: Amount | None


def stack_bounds(table: Table) -> StackBoundsShown:
    """Return the price of a point and the limits of a stack; None in other games."""
    if not game_of(table).has_stacks:
        return {"point_value": None, "stack_min": None, "stack_max": None}
    return {
        "point_value": Amount.of(table.point_value_minor, table.currency),
        "stack_min": Amount.of(table.entry_minor, table.currency),
        "stack_max": Amount.of(largest_stack_minor(table), table.currency),
    }
