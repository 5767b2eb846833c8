"""Beside a running site: a game of straight rummy in which the player leads with chosen melds.

`python -m tests.browser.prepared_straight HANDLE` prints the public id of the table. The hand holds
a run of four and, beside it, a set or a run of three; a deal won ends the game.
"""

from __future__ import annotations

import hmac
import sys
from itertools import count

import django

NAME = "Prepared straight"


def seed_of_good_cards() -> str:
    from rummy import Stream, straight, toss, toss_order
    from rummy.straight.melds import best_melds

    rules = straight.PROFILES["straight"]
    for number in count():
        seed = f"good cards {number}"
        stream = Stream(hmac.digest(seed.encode(), f"{NAME}/1".encode(), "sha256"))
        cards, stream = toss(stream, 2)
        if toss_order(cards)[0] != 0:
            continue
        melds = best_melds(straight.start(rules, players=2, stream=stream).seats[0].hand, rules)
        runs = [meld for meld in melds if len(meld) == 4 and meld[0].rank is not meld[1].rank]
        if len(melds) == 2 and len(runs) == 1:
            return seed
    raise AssertionError("there are such cards")


def main(handle: str) -> None:
    from django.test.utils import override_settings

    from players.accounts.models import User
    from tables.bots import bots
    from tables.fairness import seeds
    from tables.seats import seating
    from tests.builders.tables.straight_tables import straight_rules
    from tests.builders.tables.tables import make_table

    rules = straight_rules(turn_seconds=120, target=1, misses_allowed=3)
    with override_settings(SIMULATION_SEED=seed_of_good_cards()):
        table = make_table(rules=rules, name=NAME, owner_ref=seeds.SIMULATION)
    player = User.objects.get(handle=handle)
    for sitting in (player, *bots.bots_for(table, 1)):
        seating.join(table_id=table.pk, player=sitting)
    sys.stdout.write(str(table.public_id))


if __name__ == "__main__":
    django.setup()
    main(*sys.argv[1:])
