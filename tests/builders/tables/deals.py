"""Deals played through the services to every kind of end, for the tests of what comes after."""

from __future__ import annotations

from tables.dealing.state import fold_of
from tables.games import settlement
from tables.table.deal_models import Deal
from tables.table.models import Table
from tests.builders.tables.tables import deal_at, move, reread


def settle(table: Table) -> Deal:
    """Score the deal that has just ended."""
    return settlement.settle_deal(deal_id=deal_at(table).pk)


def drop_out(table: Table) -> Deal:
    """Everybody on turn drops until one is left; the deal is settled."""
    deal = deal_at(table)
    while reread(table).phase == Table.Phase.PLAYING:
        move(table, fold_of(deal).state.to_act, "drop")
    return settle(table)


def take_turn(table: Table) -> None:
    """Whoever is on turn draws from the stock and throws the card away again."""
    state = fold_of(deal_at(table)).state
    move(table, state.to_act, "ds")
    drawn = fold_of(deal_at(table)).state.drawn
    move(table, state.to_act, f"x {drawn}")
