"""Drain the installation: no deal begins, running deals are finished and settled.

The drain is a row, so it survives restarts; the clock checks waiting tables every few seconds and
resumes dealing once the drain is lifted.
"""

from __future__ import annotations

from datetime import datetime
from typing import Final

from django.db import IntegrityError, transaction

from core import audit_log
from core.clock import database_now
from core.db.statements import Statement
from players.accounts.conflicts_of_interest import refuse_own_interest
from players.accounts.models import User
from tables.exceptions import AlreadyDraining
from tables.models.tables import Drain, Table
from tables.state import phases
from tables.state.locks import LockedTable

# How often a table that may not deal is checked again, in seconds.
LOOK_AGAIN_SECONDS: Final = 3


_IS_ON: Final = Statement("SELECT EXISTS (SELECT FROM tables_drain WHERE lifted_at IS NULL)")


def is_on() -> bool:
    return bool(_IS_ON.rows()[0][0])


def hold_back(table: LockedTable, now: datetime) -> bool:
    """Postpone the table's next deal if the installation is drained; return whether it did."""
    if not is_on():
        return False
    phases.arm(table, LOOK_AGAIN_SECONDS, now)
    return True


@transaction.atomic
def begin(*, by: User, reason: str) -> Drain:
    """Start draining. Raise `SharedInterest` if this clerk is in a running game."""
    refuse_own_interest(Drain(), by=by)
    try:
        with transaction.atomic():
            drain = Drain.objects.create(by=by, reason=reason.strip(), at=database_now())
    except IntegrityError as error:
        raise AlreadyDraining("Maintenance mode is already on.") from error
    audit_log.record(by=by, act="drain", row=drain, reason=reason)
    return drain


@transaction.atomic
def lift(*, drain: Drain, by: User) -> Drain:
    """End the drain. Idempotent. Codes: `shared_interest`."""
    refuse_own_interest(drain, by=by)
    locked = Drain.objects.select_for_update().get(pk=drain.pk)
    if locked.lifted_at is None:
        before = audit_log.facts(locked)
        locked.lifted_at, locked.lifted_by = database_now(), by
        locked.save(update_fields=["lifted_at", "lifted_by"])
        audit_log.record(by=by, act="lift", row=locked, before=before)
    return locked


def live_deals() -> int:
    """Return the number of tables at which cards are still played or scored."""
    in_deal = (Table.Phase.TOSS, Table.Phase.PLAYING, Table.Phase.SHOWING, Table.Phase.SETTLING)
    return Table.objects.filter(phase__in=in_deal).count()
