"""The board of a dispute or a report: the deal at its step, with all hands."""

from __future__ import annotations

from dataclasses import dataclass

from players.accounts.models import User
from tables.history.finished_deals import deals_seen_by
from tables.history.replay import Replay, ReplayHand, ReplayMove, ReplaySeat, ReplayStep, replay
from tables.integrity.moderation.dispute_models import Dispute
from tables.manners.models import PlayerReport


@dataclass(frozen=True, slots=True)
class Board:
    """A deal after `ply` of its moves."""

    deal: Replay
    ply: int

    @property
    def step(self) -> ReplayStep:
        return self.deal.steps[self.ply]

    @property
    def plies(self) -> int:
        return len(self.deal.moves)

    @property
    def move(self) -> ReplayMove | None:
        """The move that led to the step; None if the cards have just been dealt."""
        return self.deal.moves[self.ply - 1] if self.ply else None

    @property
    def seats(self) -> list[tuple[ReplaySeat, ReplayHand]]:
        return list(zip(self.deal.seats, self.step.hands, strict=True))


def board_of(case: Dispute | PlayerReport, viewer: User) -> Board | None:
    """Return the deal after the moves of the complaint's step; None if the viewer may not see it.

    A deal that staff may not replay, such as one of their own running game, is not shown.
    """
    deal = deals_seen_by(viewer).filter(pk=case.deal_id or 0).first()
    if deal is None:
        return None
    shown = replay(deal, viewer)
    return Board(shown, case.ply) if case.ply < len(shown.steps) else None
