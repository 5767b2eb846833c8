"""The timer of a tournament: its next state change, extended by outages of the installation."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from tables.state.deadlines import time_lost
from tournaments.planning.locks import LockedTournament
from tournaments.planning.models import Tournament

# The fields that may change after a tournament opens; its terms may not.
STATE_FIELDS: Final = (
    "state",
    "version",
    "due_at",
    "armed_at",
    "starts_at",
    "was_extended",
    "started_at",
    "finished_at",
    "round_no",
    "revealed_seed",
    "frozen_at",
    "prize_minor",
    "overlay_minor",
    "addon_until",
)
# How long a sit-and-go waits to fill, from its oldest entry.
WAITS_FOR_MORE: Final = timedelta(hours=24)
# States in which players must be able to act, so outages are added. An outage before check-in does
# not delay the start.
EXTENDED_BY_OUTAGES: Final = (Tournament.State.CHECK_IN, Tournament.State.RUNNING)


def arm(tournament: LockedTournament, due_at: datetime | None, now: datetime) -> None:
    tournament.due_at = due_at
    tournament.armed_at = now if due_at is not None else None


def deadline(tournament: Tournament, now: datetime) -> datetime | None:
    """Return the time of the next state change, including outages, or None without a timer."""
    if tournament.due_at is None or tournament.armed_at is None:
        return None
    if tournament.state not in EXTENDED_BY_OUTAGES:
        return tournament.due_at
    return tournament.due_at + time_lost(tournament.armed_at, now)


def save(tournament: LockedTournament) -> None:
    """Save the tournament's state as its next version."""
    tournament.version += 1
    tournament.save(update_fields=STATE_FIELDS)


def registration_ends(tournament: Tournament) -> datetime | None:
    """Return when registration ends: at the opening of check-in, or else at the start."""
    if tournament.starts_at is None or not tournament.has_check_in:
        return tournament.starts_at
    return tournament.starts_at - timedelta(minutes=tournament.check_in_minutes)


def rejoins_end(tournament: Tournament) -> datetime | None:
    """Return when rejoins end, if not with round 1; planned before the start."""
    begins = tournament.started_at or tournament.starts_at
    if not tournament.rejoins or tournament.rejoin_minutes is None or begins is None:
        return None
    return begins + timedelta(minutes=tournament.rejoin_minutes)


def addon_is_open(tournament: Tournament, now: datetime) -> bool:
    """Return whether the break after round 1 has begun and not ended, including outages."""
    if tournament.addon_until is None or tournament.frozen_at is not None:
        return False
    begun_at = tournament.addon_until - timedelta(minutes=tournament.addon_minutes)
    return now < tournament.addon_until + time_lost(begun_at, now)


def given_up_at(tournament: Tournament) -> datetime | None:
    """Return when a sit-and-go that does not fill is cancelled, or None without entries."""
    oldest = tournament.entries.standing().order_by("registered_at").first()
    return None if oldest is None else oldest.registered_at + WAITS_FOR_MORE


def has_passed(tournament: Tournament, end: datetime, now: datetime) -> bool:
    """Return whether `end`, extended by outages since the timer was set, has passed."""
    since = tournament.armed_at
    return since is not None and end + time_lost(since, now) <= now
