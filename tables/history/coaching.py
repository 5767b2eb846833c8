"""The coach's comments on a player's own discards in a finished deal.

There are none while a game for money or in a tournament still runs, because advice on one deal
would help in the next. Only what the seat could see is judged (`rummy.bots.coach`).
"""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from typing import Any, Final, TypedDict

from django.core.cache import cache

import rummy
from players.accounts.models import User
from rummy.bots import coach
from tables.history.deal_file import history_of
from tables.models.deals import Deal, DealSeat
from tables.models.tables import StakeMode
from wallet.ledger.money import PLAY_POINTS

# A discard takes some milliseconds to analyse; a page spends at most this long on a deal.
SECONDS_AT_MOST: Final = 0.5
KEPT_SECONDS: Final = 24 * 60 * 60


@dataclass(frozen=True, slots=True)
class Said:
    """The coach's comment on one discard."""

    ply: int
    played: str
    best: str
    is_good: bool
    # Average points, to a tenth.
    cost: float
    # Chances to win the deal, in hundredths.
    win: int
    win_best: int


@dataclass(frozen=True, slots=True)
class Coaching:
    """Comments on a seat's discards; `is_cut` if time ran out before the last one."""

    said: list[Said]
    is_cut: bool

    @property
    def cost(self) -> float:
        """The points lost by all of them together."""
        return round(sum(each.cost for each in self.said), 1)


class _Kept(TypedDict):
    said: list[dict[str, Any]]
    is_whole: bool


def coached_seat(deal: Deal, player: User) -> DealSeat | None:
    """Return the player's seat if the coach may comment on it, else None.

    There is none at a table of a running game for money or in a tournament.
    """
    table = deal.table
    is_practice = table.currency == PLAY_POINTS and table.stake_mode == StakeMode.CASH
    if not (table.is_over or is_practice):
        return None
    return deal.deal_seats.filter(seat__player=player).first()


def of_deal(deal: Deal, place: DealSeat) -> Coaching:
    """Return the comments on the seat's discards, each computed once and cached for a day.

    Discards for which no time is left are commented on by the next call.
    """
    key = f"coached:{deal.public_id}:{place.position}"
    kept: _Kept = cache.get(key, _Kept(said=[], is_whole=False))
    said = [Said(**each) for each in kept["said"]]
    if kept["is_whole"]:
        return Coaching(said, is_cut=False)
    until, history = time.monotonic() + SECONDS_AT_MOST, history_of(deal)
    own = [
        (ply, before, move)
        for ply, (before, move) in enumerate(zip(history, history.moves, strict=False), start=1)
        if isinstance(move, rummy.Discard) and move.position == place.position
    ]
    for ply, before, move in own[len(said) :]:
        said.append(_said(coach.of_discard(before, move, ply=ply)))
        if time.monotonic() > until:
            break
    is_whole = len(said) == len(own)
    cache.set(key, {"said": [asdict(each) for each in said], "is_whole": is_whole}, KEPT_SECONDS)
    return Coaching(said, is_cut=not is_whole)


def _said(advice: coach.Advice) -> Said:
    return Said(
        ply=advice.ply,
        played=str(advice.played),
        best=str(advice.best),
        is_good=advice.is_good,
        cost=round(advice.cost, 1),
        win=round(100 * advice.win),
        win_best=round(100 * advice.win_best),
    )
