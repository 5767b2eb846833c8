"""Beside a running site: seat a player with two bots in a pool and bring it to a question.

`python -m tests.browser.prepared_pool <rejoin|split> <handle>` prints the table's public id.
"""

from __future__ import annotations

import sys

import django

OUT = 101
# The totals of the player, and of the two bots in seat order.
TOTALS = {"rejoin": (OUT, 10, 50), "split": (60, 81, OUT)}


def main(kind: str, handle: str) -> None:
    from players.accounts.models import User
    from tables.bots import bots
    from tables.seats import seating
    from tests.builders.tables.pools import score
    from tests.builders.tables.tables import make_rules, make_table, reread

    rules = make_rules(gap_seconds=60, rejoin_seconds=60, split_seconds=60, turn_seconds=120)
    table = make_table(rules=rules, name="Prepared pool", seats_min=3, seats_max=3)
    player = User.objects.get(handle=handle)
    for sitting in (player, *bots.bots_for(table, 2)):
        seating.join(table_id=table.pk, player=sitting)
    mine, *others = TOTALS[kind]
    totals = [
        mine if seat.player_id == player.pk else others.pop(0)
        for seat in reread(table).seats.in_seat_order()
    ]
    score(table, *totals)
    sys.stdout.write(str(table.public_id))


if __name__ == "__main__":
    django.setup()
    main(*sys.argv[1:])
