"""Everything a view is built from, read once: a constant number of queries for any table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from types import ModuleType
from typing import Any, Final
from uuid import UUID

import rummy
from tables.models import BuyIn, Deal, DealSeat, Elimination, Move, Result, Score, Seat, Table
from tables.services import outages, phases
from tables.state import family_of, fold_of, rules_of

# Phases in which a deal's cards lie on the table.
DEAL_LIES_OPEN: Final = ("toss", "playing", "showing", "settling")


@dataclass(frozen=True)
class Moment:
    """A table at one version: as it is, or as it was just after a move."""

    table: Table
    version: int
    phase: str
    due_at: datetime | None
    window_id: UUID | None
    now: datetime
    deal: Deal | None
    # The deal's state in `rummy`; it never leaves the server but through `view` or `public_view`.
    state: Any
    places: Sequence[DealSeat]
    seats: Sequence[Seat]
    scores: Sequence[Score]
    out: frozenset[int]
    results: Sequence[Result]
    buy_ins: int
    next_commitment: str | None

    @cached_property
    def rules(self) -> rummy.Rules:
        return rules_of(self.table.profile)

    @cached_property
    def family(self) -> ModuleType:
        return family_of(self.table.profile)

    @cached_property
    def positions(self) -> dict[int, int]:
        """Each seat's position in the deal on the table, by the seat's key."""
        if self.deal is None:
            return {}
        return {place.seat_id: place.position for place in self.places if place.deal == self.deal}

    @cached_property
    def totals(self) -> dict[int, int]:
        """Each seat's running total, by the seat's key."""
        return {score.seat_id: score.total_after for score in self.scores}


def moment_of(table: Table, *, now: datetime) -> Moment:
    """Return the table as it is; moves later than its version are left out."""
    deals = {
        deal.no: deal
        for deal in table.deals.filter(no__gte=table.deal_no, no__lte=table.deal_no + 1)
    }
    lies_open = table.phase in DEAL_LIES_OPEN
    deal = deals.get(table.deal_no) if lies_open else None
    coming = deals.get(table.deal_no + 1)
    due_at = None if table.phase == Table.Phase.SETTLING else outages.deadline(table, now)
    return Moment(
        table=table,
        version=table.version,
        phase=table.phase,
        due_at=due_at,
        window_id=table.window_id,
        now=now,
        deal=deal,
        state=fold_of(deal, version=table.version).state if deal else None,
        next_commitment=coming.commitment if coming and not table.is_over else None,
        results=list(table.results.all()),
        **_rows(table, no=table.deal_no, scored_below=table.deal_no + 1),
    )


def moment_after(move: Move, *, now: datetime) -> Moment:
    """Return the table as it was just after this move: what its player was answered then."""
    deal, table = move.deal, move.deal.table
    state = fold_of(deal, version=move.version).state
    status = family_of(table.profile).status(state)
    phase = {"ended": Table.Phase.SETTLING}.get(status.phase, status.phase)
    return Moment(
        table=table,
        version=move.version,
        phase=str(phase),
        due_at=move.due_at,
        window_id=phases.meld_window(deal) if phase == Table.Phase.SHOWING else None,
        now=now,
        deal=deal,
        state=state,
        next_commitment=None,
        results=(),
        **_rows(table, no=deal.no, scored_below=deal.no),
    )


def _rows(table: Table, *, no: int, scored_below: int) -> dict[str, Any]:
    """Read who sits where in deal `no`, and what the deals before `scored_below` came to."""
    scored = {"deal__table": table, "deal__no__lt": scored_below}
    seats = table.seats.select_related("player").in_seat_order()
    # Before the toss, who left was never in the game; afterwards his seat stays on show.
    seats = seats.filter(number__isnull=False) if table.starters else seats.present()
    places = DealSeat.objects.filter(deal__table=table, deal__no__in=(no - 1, no))
    scores = Score.objects.filter(**scored).select_related("deal").order_by("deal__no", "seat_id")
    out = Elimination.objects.standing().filter(**scored)
    return {
        "places": list(places.select_related("deal").order_by("position")),
        "seats": list(seats),
        "scores": list(scores),
        "out": frozenset(out.values_list("seat_id", flat=True)),
        "buy_ins": BuyIn.objects.filter(seat__in=[seat.pk for seat in seats]).count(),
    }
