"""The end of a game: places, the payout, an empty escrow; the caller holds the table's lock."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import rummy
from tables.models import Deal, Elimination, Result, Seat, Table
from tables.services import phases
from wallet.models import Stake
from wallet.money import as_money
from wallet.services import stakes


def finish_game(table: Table, survivors: Sequence[Seat], now: datetime) -> None:
    """Pay the pool and write everybody's place: survivors first, then who lasted longest."""
    pot = sum(
        stake.net_minor for stake in Stake.objects.in_escrow().filter(escrow=table.escrow_account)
    )
    shares = _shares(table, survivors, pot)
    stakes.settle_game(
        escrow=table.escrow_account,
        prizes=[(seat.player, as_money(minor, table.currency)) for seat, minor in shares],
        key=f"finish:{table.pk}",
    )
    _write_results(table, {seat.pk: minor for seat, minor in shares})
    _close(table, Table.Phase.FINISHED, now)


def cancel_game(table: Table, deal: Deal, now: datetime) -> None:
    """Call off a game of which no deal was scored: every entry back in full (RB 7.7)."""
    deal.status = Deal.Status.VOID
    deal.save(update_fields=["status"])
    live = Stake.objects.in_escrow().filter(escrow=table.escrow_account)
    stakes.return_stakes(stakes=list(live), key=f"cancel:{table.pk}", closes=True)
    _close(table, Table.Phase.CANCELLED, now)


def _shares(table: Table, survivors: Sequence[Seat], pot: int) -> list[tuple[Seat, int]]:
    """The last survivor takes it all; where nobody survives, the lowest before the deal (RB 7.6)."""
    if survivors:
        assert len(survivors) == 1, "a table for money is played until one is left"
        return [(survivors[0], pot)]
    last = table.deals.get(no=table.deal_no)
    scores = last.scores.select_related("seat__player").order_by("seat__number")
    before = [score.total_after - score.points for score in scores]
    parts = rummy.pool.heirs_shares(pot, before)
    return [(score.seat, part) for score, part in zip(scores, parts, strict=True) if part]


def _write_results(table: Table, prizes: dict[int, int]) -> None:
    """Rank the seats: who is paid, then later elimination, then the lower total (RB 10.2)."""
    eliminated = {
        row["seat"]: row["deal__no"]
        for row in Elimination.objects.standing()
        .filter(seat__table=table)
        .values("seat", "deal__no")
    }
    seats = list(table.seats.filter(number__isnull=False).with_totals().in_seat_order())

    def rank(seat: Seat) -> tuple[bool, int, int]:
        lasted = eliminated.get(seat.pk, table.deal_no + 1)
        return seat.pk not in prizes, -lasted, seat.total

    ranks = sorted(map(rank, seats))
    Result.objects.bulk_create(
        Result(
            table=table,
            seat=seat,
            place=ranks.index(rank(seat)) + 1,
            total=seat.total,
            prize_minor=prizes.get(seat.pk, 0),
        )
        for seat in seats
    )


def _close(table: Table, phase: Table.Phase, now: datetime) -> None:
    table.phase, table.finished_at = phase, now
    table.window_id = table.bot_due_at = None
    phases.disarm(table)
    table.version += 1
