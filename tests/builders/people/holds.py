"""Players with a hold by staff."""

from __future__ import annotations

from players.accounts.models import User
from players.eligibility import holds
from players.eligibility.hold_models import Hold
from tests.builders.staff.people import clerk


def hold_player(player: User, kind: Hold.Kind, *, by: User | None = None) -> Hold:
    """Put one kind of action of a player on hold."""
    by = by or clerk(is_superuser=True)
    return holds.set_hold(player_id=player.pk, kind=kind, by=by, reason="To be looked into")
