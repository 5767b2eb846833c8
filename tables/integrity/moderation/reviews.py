"""Reviews of pairs of seats of one network or device at one table."""

from __future__ import annotations

from django.db import transaction

from core import audit_log
from core.clock import database_now
from players.accounts.conflicts_of_interest import refuse_own_interest
from players.accounts.models import User
from tables.seats.models import ReviewFlag


@transaction.atomic
def review_pair(*, flag_id: int, by: User, note: str) -> ReviewFlag:
    """Save the review of a pair by a member of staff, who may share no game with either."""
    flags = ReviewFlag.objects.select_related("table", "seat__player", "other__player")
    flag = flags.get(pk=flag_id)
    refuse_own_interest(flag.seat.player, flag.other.player, flag.table, by=by)
    before = audit_log.facts(flag)
    flag.note, flag.reviewed_by, flag.reviewed_at = note, by, database_now()
    flag.save(update_fields=["note", "reviewed_by", "reviewed_at"])
    audit_log.record(by=by, act="review", row=flag, before=before)
    return flag
