"""Set and lift holds on one kind of action of a player, instead of blocking the account."""

from __future__ import annotations

from django.db import transaction

from core import audit_log
from core.clock import database_now
from players.accounts.conflicts_of_interest import (
    refuse_own_interest,
    refuse_staff_account,
    require_reason,
)
from players.accounts.models import User
from players.eligibility.breaks import wait_for_acts
from players.eligibility.hold_models import Hold


@transaction.atomic(durable=True)
def set_hold(*, player_id: int, kind: Hold.Kind, by: User, reason: str) -> Hold:
    """Put one kind of action of a player on hold; return the existing hold if there is one.

    Actions already in progress are committed first and remain valid. A withdrawal requested before
    the hold is decided as usual.

    Codes: `shared_interest`, `staff_account`, `reason_missing`.
    """
    player = _player(player_id, by, reason)
    wait_for_acts(player)
    existing = Hold.objects.active().filter(player=player, kind=kind).first()
    if existing is not None:
        return existing
    hold = Hold.objects.create(
        player=player, kind=kind, reason=reason.strip(), set_by=by, set_at=database_now()
    )
    audit_log.record(by=by, act="hold", row=hold, about=player, reason=reason)
    return hold


@transaction.atomic(durable=True)
def lift_hold(*, hold_id: int, by: User, reason: str) -> Hold:
    """Lift a hold; lifting it twice changes nothing. Codes as for `set_hold`."""
    player = _player(Hold.objects.get(pk=hold_id).player_id, by, reason)
    hold = Hold.objects.locked().get(pk=hold_id)
    if hold.lifted_at is not None:
        return hold
    before = audit_log.facts(hold)
    hold.lifted_by, hold.lifted_at, hold.lift_reason = by, database_now(), reason.strip()
    hold.save(update_fields=["lifted_by", "lifted_at", "lift_reason"])
    audit_log.record(by=by, act="lift", row=hold, before=before, about=player, reason=reason)
    return hold


def _player(player_id: int, by: User, reason: str) -> User:
    player = User.objects.get(pk=player_id)
    refuse_own_interest(player, by=by)
    refuse_staff_account(player, by=by)
    require_reason(reason)
    return player
