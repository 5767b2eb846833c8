"""Everything a view is built from, read with a constant number of queries per table."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Final, NamedTuple, TypedDict
from uuid import UUID

from django.contrib.postgres.aggregates import ArrayAgg
from django.db.models import Exists, OuterRef, Subquery, Value
from django.utils.functional import cached_property

import rummy
from tables.games import game_of
from tables.games.cards import Figures
from tables.games.game import Game
from tables.games.stacks import largest_stack_minor
from tables.models.deals import Deal, DealSeat, Move
from tables.models.seats import Elimination, Score, Seat
from tables.models.tables import Table
from tables.settlement.models import Answer
from tables.state import phases
from tables.state.fold import fold_after, fold_of_latest
from tables.state.rules import family_of, rules_of
from tables.state.snapshot import IN_PLAY, LATEST_MOVES, Given, Place, TableSnapshot
from tables.view.schemas import SeatLine
from wallet.ledger.amounts import Amount
from wallet.stakes.stacks import stacks_in

# Phases in which a deal's cards are on the table.
DEAL_LIES_OPEN: Final = ("toss", "playing", "showing", "settling")


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
    # The number of its moves, and the hash that binds them.
    ply: int
    head: str
    places: Sequence[DealSeat | Place]
    seats: Sequence[Seat]
    scores: Sequence[Score]
    # Whether the results are known, and may be shown.
    is_over: bool
    # The deal that is committed to but not dealt, and the client seeds for it by the seat's key.
    coming: Deal | None = None
    client_seeds: Mapping[int, Given] = field(default_factory=dict)
    # The answers of the open window in seat order, and the split proposers of this pause.
    answers: Sequence[Answer] = ()
    proposers: Collection[int] = ()
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
        return {seat.pk: after.get(seat.pk, start + seat.extra_chips) for seat in self.seats}

    @cached_property
    def stacks(self) -> Mapping[int, int]:
        """Each player's current stack, by the player's key (RB 8.1)."""
        return stacks_in(self.table.escrow) if self.game.has_stacks else {}

    @cached_property
    def totals(self) -> dict[int, int]:
        """Each seat's running total, by the seat's key."""
        return {score.seat_id: _total_after(score) for score in self.scores}


def number_of(seat: Seat) -> int:
    """Return the number of a seat, which it has from the toss on."""
    assert seat.number is not None, "cards were dealt after the toss"
    return seat.number


def _total_after(score: Score) -> int:
    """Return a seat's total after a deal, or that of a rejoin after it (RB 7.3)."""
    return int(score.total_after if score.bought_in_at is None else score.bought_in_at)


def context_of(snapshot: TableSnapshot) -> ViewContext:
    """Return the context of this snapshot."""
    table, deal = snapshot.table, snapshot.deal
    if table.phase not in DEAL_LIES_OPEN:
        deal = None
    coming = None if deal or table.is_over else snapshot.coming
    is_settling = table.phase == Table.Phase.SETTLING or table.settlement_due
    scores: Sequence[Score] = snapshot.scores
    if deal is not None and table.phase in IN_PLAY:
        scores = _scores_before(deal.table_id, deal.pk, deal.started_at)
    fold = fold_of_latest(deal, snapshot.latest) if deal else None
    return ViewContext(
        table=table,
        version=table.version,
        phase=table.phase,
        due_at=None if is_settling else snapshot.deadline(snapshot.now),
        window_id=table.window_id,
        now=snapshot.now,
        deal=deal,
        state=fold.state if fold else None,
        ply=fold.ply if fold else 0,
        head=fold.head if fold else "",
        places=snapshot.places,
        seats=snapshot.seats,
        scores=scores,
        is_over=table.is_over,
        coming=coming,
        client_seeds=snapshot.client_seeds if coming else {},
        answers=snapshot.answers,
        proposers=snapshot.proposers,
        known_moves=[(ply, text) for _, ply, text in snapshot.latest],
    )


@lru_cache(maxsize=512)
def _scores_before(table_pk: int, deal_pk: int, started_at: datetime | None) -> Sequence[Score]:
    """Return the scores of the table's deals before this one.

    They no longer change once this one is dealt, because rejoins are closed. The cache key includes
    the start time, because a rolled-back dealing may have used the same deal key.
    """
    deal = Deal.objects.select_related("table").get(pk=deal_pk, table=table_pk)
    return _scores(deal.table, no=deal.no, below=deal.no)


def context_after(
    move: Move, *, now: datetime, snapshot: TableSnapshot | None = None
) -> ViewContext:
    """Return the table just after this move, as in the response to its player.

    The player who has just made the move passes the locked snapshot, which is not read again.
    """
    deal, table = move.deal, move.deal.table
    fold = fold_after(move)
    state = fold.state
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
        ply=fold.ply,
        head=fold.head,
        is_over=False,
        known_moves=known_moves,
        **rows._asdict(),
    )


class _Rows(NamedTuple):
    places: Sequence[DealSeat | Place]
    seats: Sequence[Seat]
    scores: Sequence[Score]


def _rows(table: Table, *, no: int, scored_below: int, until: datetime | None = None) -> _Rows:
    """Read the seats of deal `no`, and the scores of deals before `scored_below`."""
    out = Elimination.objects.standing().filter(
        table=table, seat=OuterRef("pk"), deal__no__lt=scored_below
    )
    game = game_of(table)
    seats = (
        table.seats.select_related("player", "result")
        .annotate(
            was_out=Exists(out),
            paid=ArrayAgg("buy_ins__stake", filter=game.entries_paid(until), default=Value([])),
        )
        .in_seat_order()
    )
    places = DealSeat.objects.filter(deal__table=table, deal__no__in=(no - 1, no))
    if no == 0:  # Nothing was dealt yet.
        places = places.none()
    on_show = list(game.seats_on_show(table, seats, dealt_in=places.values("seat")))
    for seat in on_show:
        found = vars(seat)
        seat.is_out, seat.stakes = found["was_out"], [key for key in found["paid"] if key]
    return _Rows(
        places=list(places.select_related("deal").order_by("position")),
        seats=on_show,
        scores=_scores(table, no=no, below=scored_below),
    )


def _scores(table: Table, *, no: int, below: int) -> list[Score]:
    """Return scores of deals before `below`; in some games only those of the last deals."""
    if no == 0:
        return []
    rejoined = Elimination.objects.filter(table=table, seat=OuterRef("seat"), deal=OuterRef("deal"))
    bought_in_at = rejoined.filter(rejoined_at__isnull=False).values("rejoined_total")[:1]
    scores = Score.objects.filter(deal__table=table, deal__no__lt=below)
    if not game_of(table).has_end:  # Seats change their numbers.
        scores = scores.filter(deal__no__gte=no - 1)
    scores = scores.annotate(rejoined_at_total=Subquery(bought_in_at))
    rows = list(scores.select_related("deal__reveal").order_by("deal__no", "seat_id"))
    for score in rows:
        score.bought_in_at = score.rejoined_at_total
    return list(rows)


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


def deadline(context: ViewContext) -> datetime | None:
    """Return the end of the phase or turn; None while a points table waits for stacks."""
    if _is_untimed(context):
        return None
    if context.phase == Table.Phase.WAITING:
        return context.due_at if _is_counting_down(context) else None
    return context.due_at


def _is_counting_down(context: ViewContext) -> bool:
    """Whether the clock of a waiting table starts a deal."""
    if not context.game.has_stacks:
        return True
    there = [s for s in context.seats if s.left_at is None and s.sits_out_since is None]
    smallest = context.table.entry_minor
    return sum(context.stacks.get(seat.player_id, 0) >= smallest for seat in there) >= 2


def _is_untimed(context: ViewContext) -> bool:
    if context.deal is None or context.phase not in IN_PLAY:
        return False
    return phases.is_untimed(context.table, context.deal)


def extra_deadline(context: ViewContext) -> datetime | None:
    """Return the end of the turn with all extra time left (RB 5.8); None outside timed turns."""
    if context.phase != Table.Phase.PLAYING or context.due_at is None or context.state is None:
        return None
    if _is_untimed(context):
        return None
    on_turn = context.family.status(context.state).on_turn
    bank = context.family.extra_ms_left(context.state, on_turn)
    return context.due_at + timedelta(milliseconds=bank)
