"""A game compared with its scores: who won, in which places, and for how much (RB 6-8)."""

from __future__ import annotations

from collections.abc import Iterator

from tables.games import game_of
from tables.settlement.finishing import Order
from tables.table.models import Table
from tables.table.profile_models import StakeMode
from wallet.audit.audit import Finding
from wallet.holdings.models import Stake


def differences(table: Table) -> Iterator[Finding]:
    """Yield what is stored of a game that its scores do not lead to."""
    game = game_of(table)
    yield from game.record_differences(table)
    if game.has_end and table.phase == Table.Phase.FINISHED:
        yield from _results(table, game.final_order(table))


def _results(table: Table, order: Order) -> Iterator[Finding]:
    """Places and prizes are those of the scores, and the game needed no more deals."""
    subject = f"table {table.pk}"
    if not (order.is_decided or table.is_last_deal):
        yield Finding("result_undecided", subject, "is finished, and its scores decide nothing")
    places, prizes = order.places(), {}
    if table.stake_mode == StakeMode.CASH:
        stakes = Stake.objects.filter(escrow=table.escrow_account_id)
        counted = stakes.exclude(status=Stake.Status.REFUNDED)
        pot = sum(stake.net_minor for stake in counted)
        shares = game_of(table).final_shares(table, order, pot=pot)
        prizes = {seat.pk: share for seat, share in zip(order.heads, shares, strict=False)}
        if len(shares) != len(order.heads) or sum(shares) != pot:
            yield Finding("result_shares", subject, f"its shares are not the pot of {pot}")
    for result in table.results.all():
        due = (places.get(result.seat_id), prizes.get(result.seat_id, 0))
        if (result.place, result.prize_minor) != due:
            detail = f"is place {result.place} with {result.prize_minor}, the scores give"
            yield Finding(
                "result_differs", f"result {result.pk}", f"{detail} {due[0]} with {due[1]}"
            )
