"""Letting players know of their tournaments: places won and lost, starts, the end, prizes."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Final

from django.db import transaction

from players.notifications import actions as notices
from players.notifications.models import Notice
from tournaments.entries.models import Entry
from tournaments.planning.models import Tournament
from wallet.ledger.money import as_text

REMINDED_BEFORE: Final = timedelta(minutes=10)
COMING: Final = (Tournament.State.REGISTERING, Tournament.State.CHECK_IN)


def tell_of_calling_off(tournament: Tournament, now: datetime) -> None:
    """Tell all who are in it or wait; the lock is held, and the entries are not released yet."""
    entries = tournament.entries.exclude(state__in=Entry.GONE).select_related("player")
    notices.tell(
        [notices.Told(entry.player) for entry in entries],
        kind=Notice.Kind.TOURNAMENT_CALLED_OFF,
        key=f"called-off:{tournament.owner_ref}",
        subject=tournament.name,
        about=tournament.public_id,
        now=now,
    )


def tell_of_a_place(tournament: Tournament, entry: Entry, now: datetime) -> None:
    """Tell somebody from the waiting list that he is in and has paid; the lock is held."""
    notices.tell(
        [notices.Told(entry.player, as_text(tournament.entry))],
        kind=Notice.Kind.TOURNAMENT_PLACE,
        key=f"place:{entry.public_id}",
        subject=tournament.name,
        about=tournament.public_id,
        now=now,
    )


def tell_of_a_delay(tournament: Tournament, now: datetime, *, reason: str = "") -> None:
    """Tell all who are in it or wait of the new start; once for each, and the lock is held."""
    entries = tournament.entries.entered().select_related("player")
    notices.tell(
        [notices.Told(entry.player) for entry in entries],
        kind=Notice.Kind.TOURNAMENT_DELAYED,
        key=f"delayed:{tournament.owner_ref}:{tournament.starts_at:%Y%m%dT%H%M%S}",
        subject=tournament.name,
        about=tournament.public_id,
        happens_at=tournament.starts_at,
        remark=reason,
        now=now,
    )


def tell_of_removal(tournament: Tournament, entry: Entry, now: datetime, *, reason: str) -> None:
    """Tell somebody whom staff have removed, and why; the lock is held."""
    is_seated, kinds = entry.draw_no is not None, Notice.Kind
    notices.tell(
        [notices.Told(entry.player)],
        kind=kinds.TOURNAMENT_DISQUALIFIED if is_seated else kinds.TOURNAMENT_REMOVED,
        key=f"removed:{entry.public_id}",
        subject=tournament.name,
        about=tournament.public_id,
        remark=reason,
        now=now,
    )


def tell_who_is_not_in(
    tournament: Tournament, entries: Iterable[Entry], kind: Notice.Kind, now: datetime
) -> None:
    """Tell those for whom it is played without them: late, absent or waiting in vain."""
    notices.tell(
        [notices.Told(entry.player) for entry in entries],
        kind=kind,
        key=f"{kind}:{tournament.owner_ref}",
        subject=tournament.name,
        about=tournament.public_id,
        now=now,
    )


def tell_of_prizes(tournament: Tournament, entries: Iterable[Entry], now: datetime) -> None:
    """Tell whoever is paid what it is, a ticket's value included; the lock is held."""
    notices.tell(
        [notices.Told(each.player, as_text(each.prize)) for each in entries if each.prize_minor],
        kind=Notice.Kind.TOURNAMENT_PRIZE,
        key=f"prize:{tournament.owner_ref}",
        subject=tournament.name,
        about=tournament.public_id,
        now=now,
    )


def tell_of_starts(now: datetime) -> None:
    """Tell the entrants of every tournament that starts within minutes; once for each start."""
    soon = Tournament.objects.filter(
        state__in=COMING, starts_at__gt=now, starts_at__lte=now + REMINDED_BEFORE
    )
    for tournament in soon:
        key = f"start:{tournament.owner_ref}:{tournament.starts_at:%Y%m%dT%H%M}"
        entries = tournament.entries.standing().select_related("player")
        with transaction.atomic():
            told = Notice.objects.filter(key=key).values("player")
            notices.tell(
                [notices.Told(entry.player) for entry in entries.exclude(player__in=told)],
                kind=Notice.Kind.TOURNAMENT_STARTS,
                key=key,
                subject=tournament.name,
                about=tournament.public_id,
                happens_at=tournament.starts_at,
                now=now,
            )
