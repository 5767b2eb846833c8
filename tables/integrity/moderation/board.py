"""The board of a dispute: the deal at the step of the complaint, with all hands."""

from __future__ import annotations

from players.accounts.models import User
from tables.history.finished_deals import deals_seen_by
from tables.history.replay import Replay, replay
from tables.integrity.moderation.dispute_models import Dispute


def board_of(dispute: Dispute, viewer: User) -> Replay | None:
    """Return the deal after the moves of the complaint's step; None if the viewer may not see it.

    A deal that staff may not replay, such as one of their own running game, is not shown.
    """
    deal = deals_seen_by(viewer).filter(pk=dispute.deal_id).first()
    return None if deal is None else replay(deal, dispute.ply, viewer)
