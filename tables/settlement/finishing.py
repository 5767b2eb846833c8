"""End a game: assign places, pay out, empty the escrow."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Final, NamedTuple

from moneyed import Money

import rummy
from core.events import Event, record_event
from players.accounts.models import User
from tables.models.deals import Deal
from tables.models.seats import Seat
from tables.models.tables import StakeMode, Table
from tables.settlement import notifications
from tables.settlement.game_record import GameRecord, record_so_far
from tables.settlement.models import Result, Window
from tables.state import phases
from tables.state.fold import reveal_seed
from tables.state.locks import LockedTable, snapshot_of
from tables.state.rules import table_label
from wallet.ledger.money import as_money
from wallet.stakes import stakes
from wallet.stakes.models import Stake

# The ending of a game that staff have cancelled.
CANCELLED: Final = "cancelled"


class Order(NamedTuple):
    """The ranking by scores: seats of the game, its winners, and each seat's rank."""

    seats: Sequence[Seat]
    # Those who share the pot, in the order in which odd units are assigned.
    heads: Sequence[Seat]
    # The lowest rank is first place; equal ranks share a place.
    rank: Callable[[Seat], tuple[int, ...]]
    # Whether the game needs no further deals.
    is_decided: bool

    def places(self) -> dict[int, int]:
        """Return each seat's place by its key."""
        ranks = sorted(map(self.rank, self.seats))
        return {seat.pk: ranks.index(self.rank(seat)) + 1 for seat in self.seats}


def finish_pool(
    table: LockedTable,
    survivors: Sequence[Seat],
    now: datetime,
    *,
    shares: Sequence[int] | None = None,
    ending: str = "won",
) -> None:
    """End a pool: the survivors share the pot equally, or by these shares (RB 7.4)."""
    finish(
        table, pool_order(record_so_far(table), survivors), now=now, shares=shares, ending=ending
    )


def pool_order(record: GameRecord, survivors: Sequence[Seat]) -> Order:
    """Rank survivors first, then by latest elimination, then by lower total (RB 10.2)."""
    heads = list(survivors) or _lowest_totals(record)
    eliminated, totals, table = record.out_in(), record.totals(), record.table

    def rank(seat: Seat) -> tuple[bool, int, int]:
        lasted = eliminated.get(seat.pk, table.deal_no + 1)
        return seat not in heads, -lasted, totals[seat.pk]

    return Order(record.players, heads, rank, len(survivors) <= table.stop_at_survivors)


def finish(
    table: LockedTable,
    order: Order,
    *,
    now: datetime,
    shares: Sequence[int] | None = None,
    ending: str = "won",
) -> None:
    """Pay the pot to the winners, equally or by these shares, and save every seat's place."""
    prizes = _pay(table, order.heads, shares) if table.stake_mode == StakeMode.CASH else {}
    _write_results(table, order, prizes)
    table.ending = ending
    close(table, Table.Phase.FINISHED, now)


def cancel_game(
    table: LockedTable, deal: Deal, now: datetime, *, survivors: Sequence[Seat] | None = None
) -> None:
    """Cancel a game in this deal: no places; the money is shared by RB 7.7.

    Survivors are the seats still in the game when that deal began; in a pool, those dealt in.
    Before the first scored deal every entry is refunded in full, also to seats that left.
    """
    deal.status = Deal.Status.VOID
    deal.save(update_fields=["status"])
    reveal_seed(deal, now)
    if table.stake_mode == StakeMode.CASH:
        snapshot = snapshot_of(table)
        dealt_in = snapshot.seats_in(deal)
        in_order = [seat for seat in snapshot.seats if seat in dealt_in]
        _share_what_is_paid_in(table, survivors or in_order)
    close(table, Table.Phase.CANCELLED, now)


def _share_what_is_paid_in(table: LockedTable, survivors: Sequence[Seat]) -> None:
    paid_in = list(Stake.objects.in_escrow().filter(escrow=table.escrow))
    if not paid_in:  # No one has paid at this table.
        return
    shares = _cancelled_shares(table, survivors, paid_in) if table.has_scored() else ()
    stakes.cancel_game(
        escrow=table.escrow,
        stakes=paid_in,
        shares=shares,
        key=f"cancel:{table.pk}",
        actor="settlement",
        memo=table_label(table),
    )


def _cancelled_shares(
    table: Table, survivors: Sequence[Seat], paid_in: Sequence[Stake]
) -> list[tuple[User, Money]]:
    shares = rummy.pool.cancelled_shares(
        len(survivors),
        entries=len(paid_in),
        lost=sum(stake.status == Stake.Status.LOST for stake in paid_in),
        entry=table.entry_minor,
        bps=table.rake_bps,
    )
    return [
        (seat.player, as_money(share, table.currency))
        for seat, share in zip(survivors, shares, strict=True)
    ]


def _lowest_totals(record: GameRecord) -> list[Seat]:
    """No one survived: the pot goes to the lowest total before the last deal (RB 7.6).

    If staff voided that deal, the totals of those dealt in have not changed by it.
    """
    scores = {score.seat_id: score for score in record.scores_of(record.last_deal.pk)}
    totals, out_in = record.totals(), record.out_in()
    before = {seat.pk: totals[seat.pk] for seat in record.players}
    if scores:
        before = {pk: score.total_after - score.points for pk, score in scores.items()}
    dealt_in = [
        seat
        for seat in record.seats
        if seat.pk in before and (scores or out_in.get(seat.pk, 0) >= record.last_deal.no)
    ]
    places = rummy.pool.successors([before[seat.pk] for seat in dealt_in])
    return [dealt_in[place] for place in places]


def _pay(table: LockedTable, heads: Sequence[Seat], shares: Sequence[int] | None) -> dict[int, int]:
    """Share the pot, odd units to the earlier seats; return each seat's prize by its key."""
    paid_in = list(Stake.objects.in_escrow().filter(escrow=table.escrow))
    pot = sum(stake.net_minor for stake in paid_in)
    shares = shares or rummy.payouts.equal_shares(pot, len(heads))
    stakes.settle_game(
        escrow=table.escrow,
        stakes=paid_in,
        prizes=[
            (seat.player, as_money(share, table.currency))
            for seat, share in zip(heads, shares, strict=True)
        ],
        key=f"finish:{table.pk}",
        actor="settlement",
        memo=table_label(table),
    )
    return {seat.pk: share for seat, share in zip(heads, shares, strict=True)}


def _write_results(table: LockedTable, order: Order, prizes: dict[int, int]) -> None:
    totals, places = snapshot_of(table).totals(), order.places()
    Result.objects.bulk_create(
        Result(
            table=table,
            seat=seat,
            place=places[seat.pk],
            total=totals[seat.pk],
            prize_minor=prizes.get(seat.pk, 0),
        )
        for seat in order.seats
    )


def close(table: LockedTable, phase: Table.Phase, now: datetime) -> None:
    """Set the table's final phase and stop its clocks."""
    if table.phase in (Table.Phase.REJOIN, Table.Phase.SPLIT):  # Its open question is now void.
        asked = Window.objects.open().filter(table=table)
        asked.update(closed_at=now, outcome=Window.Outcome.WITHDRAWN)
    table.phase, table.finished_at = phase, now
    table.window_id = table.bot_due_at = None
    table.settlement_due = False
    phases.disarm(table)
    table.version += 1
    _record(table, now)
    if phase == Table.Phase.CANCELLED:
        notifications.notify_of_cancelled_game(table, now)


def _record(table: Table, now: datetime) -> None:
    """Record an event for webhooks: the game is over, or was cancelled."""
    data = {
        "table": str(table.public_id),
        "rules": table.profile.name,
        "currency": table.currency,
        "entry_minor": table.entry_minor,
        "deals": table.deal_no,
        "phase": table.phase,
    }
    record_event(Event.Kind.GAME_FINISHED, key=str(table.public_id), data=data, now=now)
