"""For a running site: deal a game of straight rummy in which the player leads with given melds.

Returns the table's public id. The hand holds
a run of four and, beside it, a set or a run of three; a deal won ends the game. With `six` behind
the handle six people play, many melds lie on the table, and the player is to draw.
"""

from __future__ import annotations

import hmac
from itertools import count

NAME, SIX = "Prepared straight", "Prepared straight of six"
MANY, MOVES_MAX = 5, 200
OTHERS = ("Meera", "Kabir", "Anita", "Rohan", "Divya")


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


def moves_to_many_melds(name: str) -> tuple[str, list[tuple[int, str]]]:
    """Return a seed whose toss leads to position 1, and moves until `MANY` melds lie there."""
    from random import Random

    import rummy
    from rummy import Stream, straight, toss, toss_order

    rules = straight.PROFILES["straight"]
    for number in count():
        seed = f"many melds {number}"
        stream = Stream(hmac.digest(seed.encode(), f"{name}/1".encode(), "sha256"))
        cards, stream = toss(stream, 6)
        if toss_order(cards)[0] != 0:
            continue
        chance, moves = Random(number), []
        deal = straight.start(rules, players=6, stream=stream)
        while deal.phase != "ended" and len(moves) < MOVES_MAX:
            if len(deal.melds) >= MANY and deal.to_act == 1 and deal.drawn is None:
                return seed, moves
            legal = straight.legal_moves(deal, deal.to_act)
            held = len(deal.seat(deal.to_act).hand)
            melds = [move for move in legal if isinstance(move, rummy.Meld) and held > 3]
            lay_offs = [move for move in legal if isinstance(move, rummy.LayOff) and held > 3]
            others = [move for move in legal if isinstance(move, rummy.Draw | rummy.Discard)]
            chosen = chance.choice(melds or lay_offs or others)
            moves.append((deal.to_act, chosen.text))
            deal = straight.apply(deal, chosen)
    raise AssertionError("there are such deals")


def prepare_six(handle: str) -> str:
    from django.test.utils import override_settings

    from players.accounts.models import User
    from tables.history.fairness import seeds
    from tables.seats import seating
    from tests.builders.tables.making import make_player, make_table
    from tests.builders.tables.playing import move
    from tests.builders.tables.straight_tables import straight_rules

    seed, moves = moves_to_many_melds(SIX)
    rules = straight_rules(turn_seconds=600, misses_allowed=3)
    with override_settings(SIMULATION_SEED=seed):
        table = make_table(
            rules=rules, name=SIX, owner_ref=seeds.SIMULATION, seats_min=6, seats_max=6
        )
        others = [make_player(handle=f"{other}_{handle}"[:20]) for other in OTHERS]
        for sitting in (User.objects.get(handle=handle), *others):
            seating.join(table_id=table.pk, player=sitting)
        for position, text in moves:
            move(table, position, text)
    return str(table.public_id)


def main(handle: str, what: str = "two") -> str:
    if what == "six":
        return prepare_six(handle)
    from django.test.utils import override_settings

    from players.accounts.models import User
    from tables.bots import bots
    from tables.history.fairness import seeds
    from tables.seats import seating
    from tests.builders.tables.making import make_table
    from tests.builders.tables.straight_tables import straight_rules

    rules = straight_rules(turn_seconds=600, target=1, misses_allowed=3)
    with override_settings(SIMULATION_SEED=seed_of_good_cards()):
        table = make_table(rules=rules, name=NAME, owner_ref=seeds.SIMULATION)
    player = User.objects.get(handle=handle)
    for sitting in (player, *bots.bots_for(table, 1)):
        seating.join(table_id=table.pk, player=sitting)
    return str(table.public_id)
