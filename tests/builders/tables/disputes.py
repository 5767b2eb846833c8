"""A deal that has been played, a complaint about it, and a report about one of its players."""

from __future__ import annotations

from tables.integrity.moderation import disputes
from tables.manners import actions
from tests.builders.tables.deals import drop_out, take_turn
from tests.builders.tables.making import make_game


def played_deal():
    table = make_game(players=3)
    take_turn(table)
    return drop_out(table)


def complain(deal, player=None, **overrides):
    fields = {
        "player": player or deal.deal_seats.get(position=1).seat.player,
        "table_id": deal.table_id,
        "deal_no": deal.no,
        "ply": 1,
        "category": "clock",
        "text": "The clock ran twice as fast.",
    }
    return disputes.open_dispute(**(fields | overrides))


def send_report(deal, **overrides):
    """Let the player in the first position report the one in the second."""
    one, other = (deal.deal_seats.get(position=position).seat.player for position in (1, 2))
    fields = {
        "player": one,
        "table": deal.table,
        "handle": other.handle,
        "kind": "delay",
        "text": "They wait for every clock.",
        "deal_no": deal.no,
        "ply": 1,
    }
    return actions.send_report(**(fields | overrides))
