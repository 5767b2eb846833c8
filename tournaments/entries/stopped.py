"""Entrants whom something has stopped since they registered: their places are free again."""

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
    """Give back what stopped players paid before the start; return how many they were.

    What was won with a ticket is a ticket again.
    """
    entered = list(tournament.entries.entered().select_related("stake", "ticket", "player"))
    players = stopped([entry.player_id for entry in entered], act_of(tournament.currency))
    gone = [entry for entry in entered if entry.player_id in players]
    for entry in gone:
        admission.release(tournament, entry, Entry.State.WITHDRAWN, reason="stopped")
        with translation.override(entry.player.language):
            reason = _("You are on a break, or play is on hold or closed where you live.")
        notifications.notify_of_removal(tournament, entry, now, reason=reason)
    return len(gone)
