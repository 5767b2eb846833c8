"""Plays one side of a match by `rummy`'s public API: run by a tree's interpreter with its library.

    PYTHONPATH=TREE python player.py

Reads requests as JSON lines and prints an answer to each. Both sides follow the same deals, from
the same seeds and moves; each decides only for its own seats, by their views.
It imports nothing but `rummy`.
"""

from __future__ import annotations

import json
import random
import sys
from typing import Any

import rummy
from rummy.bots import between

ENTRY = 100
REJOINS_MOST = 2
"""How often one seat may rejoin, so that every pool ends."""


class Player:
    """A deal and a pool, and the strong bot's decisions about them."""

    deal: Any
    pool: Any

    def start(self, profile: str, players: int, seed: str) -> dict[str, Any]:
        rules = rummy.PROFILES[profile]
        self.deal = rummy.start(rules, players=players, stream=rummy.Stream(bytes.fromhex(seed)))
        return self._status()

    def choose(self, totals: list[int], seed: str) -> str:
        """Return the move of the awaited position."""
        at = rummy.family_of(self.deal.rules).status(self.deal).awaited
        view, legal = self.deal.view(at), self.deal.legal_moves(at)
        dice = random.Random(seed)
        return str(rummy.bots.choose(view, legal, dice, strength="strong", totals=totals))

    def apply(self, move: str) -> dict[str, Any]:
        self.deal = self.deal.apply(move)
        return self._status()

    def _status(self) -> dict[str, Any]:
        family = rummy.family_of(self.deal.rules)
        status = family.status(self.deal)
        if status.phase != "ended":
            return {"awaited": status.awaited}
        outcome: Any = family.outcome(self.deal)
        points = [result.points for result in outcome.results]
        return {"awaited": None, "winner": outcome.winner, "points": points}

    def rejoins(self, profile: str, totals: list[int], score: int, prize: int) -> bool:
        """Return whether an eliminated seat wants to rejoin, by the totals of the survivors."""
        money = {"prize": prize, "entry": ENTRY, "net": ENTRY}
        return bool(between.rejoins(rummy.PROFILES[profile], totals, score=score, **money))

    def agrees(self, profile: str, totals: list[int], own: int, offered: int, prize: int) -> bool:
        """Return whether a survivor wants the split that is offered."""
        rules = rummy.PROFILES[profile]
        return bool(between.splits(rules, totals, own=own, offered=offered, prize=prize))

    # The books of a pool, which one side keeps.

    def begin(self, profile: str, players: int) -> dict[str, Any]:
        rules = rummy.PROFILES[profile]
        self.pool = rummy.Pool.start(rules, players=players, entry=ENTRY)
        return self._standing()

    def scored(self, points: dict[str, int]) -> dict[str, Any]:
        self.pool = self.pool.scored({int(seat): lost for seat, lost in points.items()})
        return self._standing()

    def answered(self, seat: int, yes: bool) -> dict[str, Any]:
        self.pool = self.pool.rejoined(seat) if yes else self.pool.declined(seat)
        return self._standing()

    def split(self) -> dict[str, Any]:
        self.pool = self.pool.split()
        return self._standing()

    def _standing(self) -> dict[str, Any]:
        pool = self.pool
        if pool.is_over:
            paid = pool.payouts or {}
            spent = [seat.entries * ENTRY for seat in pool.seats]
            prizes = [paid.get(seat, 0) for seat in range(1, len(spent) + 1)]
            return {"is_over": True, "prizes": prizes, "spent": spent}
        totals = [pool.totals[seat - 1] for seat in pool.survivors]
        money = {"totals": totals, "prize": pool.prize}
        asked, offered = [], []
        for seat in pool.may_rejoin:
            score = pool.rejoin_offer(seat).score
            may = score is not None and pool.seats[seat - 1].entries <= REJOINS_MOST
            asked.append({"seat": seat, "may": may, "question": {**money, "score": score}})
        shares = None if asked else pool.split_offer().shares
        for own, (seat, share) in enumerate(zip(pool.survivors, shares or (), strict=bool(shares))):
            question = {**money, "own": own, "offered": share}
            offered.append({"seat": seat, "question": question})
        order = list(pool.turn_order)
        now = [pool.totals[seat - 1] for seat in order]
        return {
            "is_over": False, "asked": asked, "offered": offered, "order": order, "totals": now,
        }  # fmt: skip


def main() -> None:
    player = Player()
    for line in sys.stdin:
        name, arguments = json.loads(line)
        print(json.dumps(getattr(player, name)(**arguments)), flush=True)


if __name__ == "__main__":
    main()
