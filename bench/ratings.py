"""Rating updates a second, of the formula alone and with the database.

    python -m bench.ratings [--games 5000] [--players 1000]

The formula is measured in processor time for two, four and six players with ties. For the database
run `manage.py recompute_ratings` on a copy of an installation: it prints changes per second.
"""

from __future__ import annotations

import argparse
import random
import time
from typing import Final

from tables.ratings.rating import NEWCOMER, skills_after

SEATS: Final = (2, 4, 6)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--games", type=int, default=5_000)
    options.add_argument("--players", type=int, default=1_000)
    chosen = options.parse_args()
    chance = random.Random(1)
    for seats in SEATS:
        skills = [NEWCOMER] * chosen.players
        began = time.process_time()
        for _ in range(chosen.games):
            players = sorted(chance.sample(range(chosen.players), seats))
            places = [1, *(chance.randint(2, seats) for _ in range(seats - 1))]
            chance.shuffle(places)
            after = skills_after([skills[player] for player in players], places)
            for player, skill in zip(players, after, strict=True):
                skills[player] = skill
        seconds = time.process_time() - began
        print(
            f"{seats} players: {chosen.games / seconds:,.0f} games/s, "
            f"{chosen.games * seats / seconds:,.0f} rating updates/s"
        )


if __name__ == "__main__":
    main()
