"""Settle deals of a points table in money, pay out stacks, and close the table (RB 8.1)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from operator import attrgetter

import rummy
from tables.games.stacks import undecided_deal
from tables.models.deals import Deal
from tables.models.seats import Score, Seat
from tables.models.tables import Table
from tables.seats import walking_out
from tables.settlement import finishing
from tables.state.locks import LockedTable, snapshot_of
from tables.state.rules import table_label
from wallet.ledger.money import as_money
from wallet.stakes import stacks
from wallet.stakes.models import Stake


def payout(table: Table, scores: Sequence[Score]) -> rummy.payouts.PointsPayout:
    """Return what the losers of a deal pay, the winner gets and the operator keeps."""
    return rummy.payouts.points_payout(
        [score.points for score in scores], value=table.point_value_minor, bps=table.rake_bps
    )


def settle_money(table: LockedTable, deal: Deal) -> None:
    """Move a scored deal's money from the losers' stacks to the winner's."""
    scores = [score for score in snapshot_of(table).scores if score.deal_id == deal.pk]
    [winner] = [score.seat.player for score in scores if score.how == Score.How.WON]
    priced = payout(table, scores)
    stacks.pass_stacks(
        escrow=table.escrow,
        losses={
            score.seat.player_id: as_money(loss, table.currency)
            for score, loss in zip(scores, priced.losses, strict=True)
        },
        winner=winner,
        rake=as_money(priced.rake, table.currency),
        key=f"deal:{table.pk}:{deal.no}",
        deal=deal.no,
        actor="settlement",
        memo=table_label(table),
    )


def pay_leavers(table: LockedTable) -> None:
    """Pay out seats that were left, except those whose cards are not settled yet."""
    deal = undecided_deal(table)
    undecided = snapshot_of(table).seats_in(deal) if deal else []
    for seat in _holding(table):
        if seat.left_at is not None and seat not in undecided:
            pay_out(table, seat)


def pay_leavers_of(table: LockedTable, deal: Deal) -> None:
    """Pay out players who left during a deal that is now settled (RB 5.8)."""
    for seat in sorted(snapshot_of(table).seats_in(deal), key=attrgetter("pk")):
        if seat.left_at is not None:
            pay_out(table, seat)


def pay_out(table: LockedTable, seat: Seat) -> None:
    """Return the rest of the seat's stack."""
    stacks.cash_out(
        escrow=table.escrow,
        player=seat.player,
        key=f"cashout:{seat.pk}",
        closes_game=_closes_with(table, seat),
        actor=seat.player.actor,
        memo=table_label(table),
    )


def may_close(table: Table) -> bool:
    """Return whether the table closes once its last player has left."""
    if table.template is None:
        return table.deal_no > 0
    others = Table.objects.joinable().filter(template=table.template_id).exclude(pk=table.pk)
    return not table.template.is_offered or others.exists()


def close(table: LockedTable, phase: Table.Phase, now: datetime) -> None:
    """Pay out every stack and close the table."""
    for seat in snapshot_of(table).present():
        walking_out.mark_left(table, seat, now)
    held = stacks.stacks_in(table.escrow)
    for seat in _holding(table):
        mine = held.pop(seat.player_id, 0)
        stacks.cash_out(
            escrow=table.escrow,
            player=seat.player,
            key=f"cashout:{seat.pk}",
            closes_game=bool(mine) and not held,
            actor="settlement",
            memo=table_label(table),
        )
    table.ending = table.ending or "closed"
    finishing.close(table, phase, now)


def _holding(table: LockedTable) -> list[Seat]:
    """Return the seats with money in play, also those that were left, in the order of their keys.

    A seat that was left keeps its stack only until the deal is settled in which it was dealt in.
    """
    seats = snapshot_of(table).seats
    paid = {stake: seat for seat in seats for stake in seat.stakes}
    live = Stake.objects.live().filter(pk__in=paid).values_list("pk", flat=True)
    return sorted({paid[stake] for stake in live}, key=attrgetter("pk"))


def _closes_with(table: LockedTable, seat: Seat) -> bool:
    """Return whether this seat's is the last stack, with which the table closes."""
    if snapshot_of(table).present() or not may_close(table):
        return False
    held = stacks.stacks_in(table.escrow)
    return set(held) <= {seat.player_id}
