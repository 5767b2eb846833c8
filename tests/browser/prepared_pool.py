"""For a running site: seat a player with bots in a pool and bring it to a question or a gap.

Returns the table's public id; the kind is one of `TOTALS`. With more handles these players sit
there too, before the bots; in the place of bots a pool without bots has people who do nothing.
"""

from __future__ import annotations

OUT = 101
# Longer than a test takes for all it does during a turn or a question.
ASKED_SECONDS = 600
# The totals of the player, and of the bots in seat order.
TOTALS = {
    "rejoin": (OUT, 10, 50),
    "no-drops": (OUT, 0, 1),
    "split": (60, 81, OUT),
    "between": (10, 20),
    "six": (10, 20, 30, 40, 50, 60),
    "no-bots": (10, 20, 30, 40, 50, 60),
    "two": (10, 20),
    "over": (0, OUT),
}
GAP_SECONDS = {
    "between": 30,
    "six": 1,
    "no-bots": 1,
    "two": 1,
}  # Enough to do something on the page; then the next deal begins.


def main(kind: str, *handles: str) -> str:
    from players.accounts.models import User
    from tables.bots import bots
    from tables.lobby.table_templates.profiles import register_profile
    from tables.seats import seating
    from tests.builders.tables.making import make_player, make_rules, make_table
    from tests.builders.tables.offers import make_template
    from tests.builders.tables.playing import reread
    from tests.builders.tables.pools import score

    gap = GAP_SECONDS.get(kind, 60)
    no_drops = {"drops_allowed": False, "split": False, "auto_split": False}
    rules = make_rules(
        gap_seconds=gap,
        rejoin_seconds=ASKED_SECONDS,
        split_seconds=ASKED_SECONDS,
        turn_seconds=ASKED_SECONDS,
        **(no_drops if kind == "no-drops" else {}),
    )
    seats = len(TOTALS[kind])
    offered = {}
    if kind == "over":  # Of a kind on offer, as a rematch needs.
        slug = f"over-{handles[0]}"
        offered = {"template": make_template(slug=slug, profile=register_profile(rules))}
    table = make_table(
        rules=rules, name="Prepared pool", seats_min=seats, seats_max=seats, **offered
    )
    people = [User.objects.get(handle=handle) for handle in handles]
    missing = seats - len(people)
    if kind == "no-bots":
        idle = [f"{handles[0]}_{number}" for number in range(missing)]
        rest = [make_player(handle=name, email=f"{name}@example.com") for name in idle]
    else:
        rest = bots.bots_for(table, missing)
    for sitting in (*people, *rest):
        seating.join(table_id=table.pk, player=sitting)
    mine, *others = TOTALS[kind]
    totals = [
        mine if seat.player_id == people[0].pk else others.pop(0)
        for seat in reread(table).seats.in_seat_order()
    ]
    score(table, *totals)
    return str(table.public_id)
