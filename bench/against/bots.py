"""The strong bot of one tree against that of another, at points tables and in whole pools."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

from bench.against.figures import SIDES
from bench.against.trees import CannotCompare, Tree
from bench.bots.shares import Pair, report

SCRIPT: Final = Path(__file__).with_name("player.py")
POINTS: Final = ("total-rummy-points", (2, 6))
"""The profile and the numbers of seats at which points rummy is played."""
POOL: Final = ("total-rummy-pool-101", (2, 4))
ENTRY: Final = 100


class Match:
    """A process of each tree; both follow all deals, and must agree about them."""

    def __init__(self, trees: Iterable[Tree], closes: ExitStack) -> None:
        self.players: dict[str, subprocess.Popen[str]] = {}
        for tree in trees:
            child = closes.enter_context(
                subprocess.Popen(
                    [str(tree.python), str(SCRIPT)],
                    cwd=tree.path,
                    # Both run by the same interpreter, whose folder is not written to.
                    env=tree.environment(PYTHONDONTWRITEBYTECODE="1"),
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    text=True,
                )
            )
            self.players[tree.side] = child

    def ask(self, side: str, name: str, **arguments: Any) -> Any:
        """Return the answer of one side."""
        child = self.players[side]
        print(json.dumps([name, arguments]), file=child.stdin, flush=True)
        answer = child.stdout.readline() if child.stdout else ""
        if not answer:
            raise CannotCompare(f"The bots of {side} ended; their error is above.")
        return json.loads(answer)

    def do(self, name: str, **arguments: Any) -> Any:
        """Return the answer of both sides; raise `CannotCompare` if they differ."""
        one, other = (self.ask(side, name, **arguments) for side in self.players)
        if one != other:
            raise CannotCompare(f"The rules of the trees differ: {name} gives {one} and {other}.")
        return one

    def deal(self, profile: str, seed: str, sides: Sequence[str], totals: Sequence[int]) -> Any:
        """Play a deal between the sides of its positions; return how it ended."""
        shuffled = hashlib.sha256(f"bench against bots {seed}".encode()).hexdigest()
        status, number = self.do("start", profile=profile, players=len(sides), seed=shuffled), 0
        while (at := status["awaited"]) is not None:
            number += 1
            dice = f"{seed} {number}"
            move = self.ask(sides[at - 1], "choose", totals=list(totals), seed=dice)
            status = self.do("apply", move=move)
        return status

    def deal_pair(self, profile: str, seats: int, number: int) -> Pair:
        """Play a shuffle twice with the sides swapped; the pair is that of `now`."""
        won, gained, taken, lost = 0, 0.0, 0.0, 0.0
        for flip in (0, 1):
            sides = [SIDES[(at + flip) % 2] for at in range(seats)]
            end = self.deal(profile, f"{seats} {number}", sides, ())
            winner, points = sides[end["winner"] - 1], end["points"]
            paid = sum(lost for side, lost in zip(sides, points, strict=True) if side != winner)
            won += winner == "now"
            taken += paid if winner == "now" else 0
            lost += paid if winner == "then" else 0
        gained = (taken - lost) / 2
        return Pair(won, gained, taken, lost)

    def pool_pair(self, profile: str, seats: int, number: int) -> Pair:
        """Play a pool twice with the sides swapped; the pair is that of `now`."""
        share = gained = taken = lost = 0.0
        for flip in (0, 1):
            sides = [SIDES[(at + flip) % 2] for at in range(seats)]
            end = self.pool(profile, f"{seats} {number}", sides)
            own = [at for at, side in enumerate(sides) if side == "now"]
            prize = sum(end["prizes"][at] for at in own)
            share += prize / sum(end["prizes"])
            gained += (prize - sum(end["spent"][at] for at in own)) / ENTRY
            taken += prize
            lost += sum(end["prizes"]) - prize
        return Pair(round(share), gained / 2, taken, lost)

    def pool(self, profile: str, seed: str, sides: Sequence[str]) -> Any:
        """Play a pool to its payout; rejoins and splits are decided by the bots.

        Its books are kept by the later tree.
        """

        def wants(name: str, offer: Any) -> bool:
            side = sides[offer["seat"] - 1]
            return bool(self.ask(side, name, profile=profile, **offer["question"]))

        standing = self.ask("now", "begin", profile=profile, players=len(sides))
        number = 0
        while not standing["is_over"]:
            number += 1
            order = standing["order"]
            seated = [sides[seat - 1] for seat in order]
            end = self.deal(profile, f"{seed} {number}", seated, standing["totals"])
            points = dict(zip(map(str, order), end["points"], strict=True))
            standing = self.ask("now", "scored", points=points)
            while not standing["is_over"] and standing["asked"]:
                offer = standing["asked"][0]
                yes = offer["may"] and wants("rejoins", offer)
                standing = self.ask("now", "answered", seat=offer["seat"], yes=yes)
            offers = [] if standing["is_over"] else standing["offered"]
            if offers and all(wants("agrees", offer) for offer in offers):
                standing = self.ask("now", "split")
        return standing


def duel(trees: Iterable[Tree], *, deals: int, pools: int) -> None:
    """Play all matches and print the shares of `now` with their 95 % intervals."""
    with ExitStack() as closes:
        match = Match(trees, closes)
        for kind, (profile, tables), games in (("deals", POINTS, deals), ("pools", POOL, pools)):
            play = match.deal_pair if kind == "deals" else match.pool_pair
            for seats in tables if games >= 4 else ():
                pairs = [play(profile, seats, number) for number in range(games // 2)]
                report(kind, f"{profile}, {seats} seats", "strong now", "strong then", pairs)
                sys.stdout.flush()
