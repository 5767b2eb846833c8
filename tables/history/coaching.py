"""What the coach says of one's own discards in a finished deal, where no game depends on it.

Nobody is coached while a game for money still runs: what a coach says of one deal would serve them
in the next. Only what the seat could see is judged (`rummy.bots.coach`).
"""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from typing import Any, Final

from django.core.cache import cache

import rummy
from players.accounts.models import User
from rummy.bots import coach
from tables.history.deal_file import history_of
from tables.models.deals import Deal, DealSeat
from tables.models.profiles import StakeMode
from wallet.ledger.money import PLAY_POINTS

# A discard takes some milliseconds; a page spends no more than this on all of a deal.
SECONDS_AT_MOST: Final = 0.5
KEPT_SECONDS: Final = 24 * 60 * 60


@dataclass(frozen=True, slots=True)
class Said:
    """What is said of one discard."""

    ply: int
    played: str
    best: str
    is_good: bool
    # Points on average, to a tenth.
    cost: float
    # Chances to win the deal, in hundredths.
    win: int
    win_best: int


@dataclass(frozen=True, slots=True)
class Coaching:
    """What is said of a seat's discards; `is_cut` where the time did not reach to the last one."""

    said: list[Said]
    is_cut: bool

    @property
    def cost(self) -> float:
        """The points that all of them cost together."""
        return round(sum(each.cost for each in self.said), 1)


def coached_seat(deal: Deal, player: User) -> DealSeat | None:
    """Return the seat of a player that the coach may speak of, or None.

    There is none at a table where a game for money or of a tournament is not over.
    """
    table = deal.table
    is_practice = table.currency == PLAY_POINTS and table.stake_mode == StakeMode.CASH
    if not (table.is_over or is_practice):
        return None
    return deal.deal_seats.filter(seat__player=player).first()


def of_step(deal: Deal, place: DealSeat, ply: int) -> Said | None:
    """Return what is said of the move that led to this step; None where it is no own discard."""
    row = deal.moves.filter(ply=ply).first()
    move = rummy.parse_move(row.text) if row is not None else None
    if not isinstance(move, rummy.Discard) or move.position != place.position:
        return None
    for before, at in zip(history_of(deal), range(1, ply + 1), strict=False):
        if at == ply:
            return _said(coach.of_discard(before, move, ply=ply))
    return None


def of_deal(deal: Deal, place: DealSeat) -> Coaching:
    """Return what is said of the seat's discards, computed once and kept for a day."""
    key = f"coach:{deal.public_id}:{place.position}"
    kept: list[dict[str, Any]] | None = cache.get(key)
    if kept is not None:
        return Coaching([Said(**each) for each in kept], is_cut=False)
    until, said = time.monotonic() + SECONDS_AT_MOST, []
    for advice in coach.advice(history_of(deal), place.position):
        said.append(_said(advice))
        if time.monotonic() > until:
            return Coaching(said, is_cut=True)
    cache.set(key, [asdict(each) for each in said], KEPT_SECONDS)
    return Coaching(said, is_cut=False)


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
