"""Games as they were played: a player's own, and the score sheet of one table."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from players.models import User
from tables.models import Deal, Score, Seat, Table
from tables.rules import variant_of
from tables.selectors.shapes import Amount, LastDeal, ResultRow, ScoreRow


@dataclass(frozen=True, slots=True)
class GameRow:
    """One sitting of a player, and what it came to."""

    id: UUID
    name: str
    variant: str
    phase: str
    started_at: datetime | None
    finished_at: datetime | None
    place: int | None
    entry: Amount
    prize: Amount | None


@dataclass(frozen=True, slots=True)
class ScoreSheet:
    """Every settled deal of a table, seat by seat, and the final places."""

    id: UUID
    name: str
    variant: str
    phase: str
    started_at: datetime | None
    finished_at: datetime | None
    deals: list[LastDeal]
    results: list[ResultRow]


def games_of(player: User) -> list[GameRow]:
    """Return the games a player was dealt into, the latest first."""
    seats = (
        Seat.objects.of_player(player)
        .filter(table__started_at__isnull=False, number__isnull=False)
        .select_related("table__profile", "result")
        .order_by("-table__started_at")
    )
    return [_game_row(seat) for seat in seats]


def score_sheet(table: Table) -> ScoreSheet:
    """Return the table's settled deals in order, each score with the hand it was counted from."""
    scores: dict[int, list[ScoreRow]] = {}
    for score in Score.objects.filter(deal__table=table).select_related("deal", "seat__player"):
        scores.setdefault(score.deal_id, []).append(_score_row(score))
    deals = [
        LastDeal(deal.no, deal.ending, sorted(scores.get(deal.pk, []), key=lambda row: row.seat))
        for deal in Deal.objects.settled().filter(table=table)
    ]
    results = table.results.select_related("seat__player")
    return ScoreSheet(
        id=table.public_id,
        name=table.name,
        variant=variant_of(table.profile),
        phase=table.phase,
        started_at=table.started_at,
        finished_at=table.finished_at,
        deals=deals,
        results=[
            ResultRow(
                seat=result.seat.number or 0,
                handle=result.seat.player.handle,
                place=result.place,
                total=result.total,
                prize=Amount.of(result.prize_minor, table.currency),
            )
            for result in results
        ],
    )


def _game_row(seat: Seat) -> GameRow:
    table = seat.table
    result = getattr(seat, "result", None)
    return GameRow(
        id=table.public_id,
        name=table.name,
        variant=variant_of(table.profile),
        phase=table.phase,
        started_at=table.started_at,
        finished_at=table.finished_at,
        place=result.place if result else None,
        entry=Amount.of(table.entry_minor, table.currency),
        prize=Amount.of(result.prize_minor, table.currency) if result else None,
    )


def _score_row(score: Score) -> ScoreRow:
    return ScoreRow(
        seat=score.seat.number or 0,
        handle=score.seat.player.handle,
        points=score.points,
        how=score.how,
        total=score.total_after,
        arrangement=score.arrangement,
    )
