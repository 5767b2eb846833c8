"""Release entrants who may no longer play, for example after a self-exclusion."""

from __future__ import annotations

from datetime import datetime

from django.utils import translation
from django.utils.translation import gettext as _

from players.eligibility.stops import stopped
from tournaments.entries import admission, notifications
from tournaments.entries.models import Entry
from tournaments.planning.locks import LockedTournament
from wallet.ledger.cash_offered import act_of


def release_stopped(tournament: LockedTournament, now: datetime) -> int:
    """Withdraw and refund players who may not play; return their number.

    Tickets become usable again.
    """
    entered = list(tournament.entries.entered().select_related("stake", "ticket", "player"))
    players = stopped([entry.player_id for entry in entered], act_of(tournament.currency))
    gone = [entry for entry in entered if entry.player_id in players]
    for entry in gone:
        admission.release(tournament, entry, Entry.State.WITHDRAWN, reason="stopped")
        with translation.override(entry.player.language):
            reason = _("You are on a break or on hold, or play is closed where you live.")
        notifications.notify_of_removal(tournament, entry, now, reason=reason)
    return len(gone)
