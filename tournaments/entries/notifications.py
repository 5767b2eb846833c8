"""Notify players of places, starts, delays, removals, prizes and cancellations."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime, timedelta
from typing import Any, Final

from django.db import transaction
from moneyed import Money

from players.accounts.models import User
from players.notifications.models import Notification
from players.notifications.steps import Recipient, notify
from tournaments.entries.models import Entry
from tournaments.planning.models import Tournament
from wallet.ledger.money import as_text

REMINDER_LEAD: Final = timedelta(minutes=10)
COMING: Final = (Tournament.State.REGISTERING, Tournament.State.CHECK_IN)


def notify_of_calling_off(tournament: Tournament, now: datetime) -> None:
    """Notify all entrants and the waiting list, before their entries are released."""
    entries = tournament.entries.exclude(state__in=Entry.GONE).select_related("player")
    _notify(
        tournament,
        [Recipient(entry.player) for entry in entries],
        kind=Notification.Kind.TOURNAMENT_CALLED_OFF,
        key=f"called-off:{tournament.owner_ref}",
        now=now,
    )


def notify_of_place(tournament: Tournament, entry: Entry, now: datetime) -> None:
    """Notify a player from the waiting list that they got a place and paid for it."""
    _notify(
        tournament,
        [Recipient(entry.player, as_text(tournament.entry))],
        kind=Notification.Kind.TOURNAMENT_PLACE,
        key=f"place:{entry.public_id}",
        now=now,
    )


def notify_of_delay(tournament: Tournament, now: datetime, *, reason: str = "") -> None:
    """Notify all entrants and the waiting list of a new start, once for each start time."""
    entries = tournament.entries.entered().select_related("player")
    _notify(
        tournament,
        [Recipient(entry.player) for entry in entries],
        kind=Notification.Kind.TOURNAMENT_DELAYED,
        key=f"delayed:{tournament.owner_ref}:{tournament.starts_at:%Y%m%dT%H%M%S}",
        happens_at=tournament.starts_at,
        remark=reason,
        now=now,
    )


def notify_of_break(tournament: Tournament, now: datetime) -> None:
    """Notify all qualifiers of round 1 of the break in which the add-on is sold (RB 10.6)."""
    qualified = tournament.entries.filter(state=Entry.State.QUALIFIED, is_removed=False)
    _notify(
        tournament,
        [
            Recipient(entry.player, as_text(tournament.addon))
            for entry in qualified.select_related("player")
        ],
        kind=Notification.Kind.TOURNAMENT_BREAK,
        key=f"break:{tournament.owner_ref}",
        happens_at=tournament.addon_until,
        now=now,
    )


def notify_of_removal(tournament: Tournament, entry: Entry, now: datetime, *, reason: str) -> None:
    """Notify a player that they were removed, with the reason."""
    is_seated, kinds = entry.draw_no is not None, Notification.Kind
    _notify(
        tournament,
        [Recipient(entry.player)],
        kind=kinds.TOURNAMENT_DISQUALIFIED if is_seated else kinds.TOURNAMENT_REMOVED,
        key=f"removed:{entry.public_id}",
        remark=reason,
        now=now,
    )


def notify_left_out(
    tournament: Tournament, entries: Iterable[Entry], kind: Notification.Kind, now: datetime
) -> None:
    """Notify players without a seat: no check-in, no late table, or no place."""
    _notify(
        tournament,
        [Recipient(entry.player) for entry in entries],
        kind=kind,
        key=f"{kind}:{tournament.owner_ref}",
        now=now,
    )


def notify_of_prizes(
    tournament: Tournament, entries: Iterable[Entry], tickets: Collection[int], now: datetime
) -> None:
    """Notify winners of their prizes; `tickets` has the keys of the entries that won a ticket.

    The amount of a ticket is its value.
    """
    won: dict[Notification.Kind, dict[User, Money]] = {}
    for each in entries:
        if each.prize_minor:
            kinds = Notification.Kind
            kind = kinds.TOURNAMENT_TICKET if each.pk in tickets else kinds.TOURNAMENT_PRIZE
            # A player with a re-entry may win twice.
            of_kind = won.setdefault(kind, {})
            of_kind[each.player] = of_kind.get(each.player, 0) + each.prize
    for kind, sums in won.items():
        winners = [Recipient(player, as_text(amount)) for player, amount in sums.items()]
        _notify(tournament, winners, kind=kind, key=f"prize:{tournament.owner_ref}", now=now)


def notify_of_starts(now: datetime) -> None:
    """Remind the entrants of each tournament that starts within `REMINDER_LEAD`, once."""
    soon = Tournament.objects.filter(
        state__in=COMING, starts_at__gt=now, starts_at__lte=now + REMINDER_LEAD
    )
    for tournament in soon:
        key = f"start:{tournament.owner_ref}:{tournament.starts_at:%Y%m%dT%H%M}"
        entries = tournament.entries.standing().select_related("player")
        with transaction.atomic():
            reminded = Notification.objects.filter(key=key).values("player")
            _notify(
                tournament,
                [Recipient(entry.player) for entry in entries.exclude(player__in=reminded)],
                kind=Notification.Kind.TOURNAMENT_STARTS,
                key=key,
                happens_at=tournament.starts_at,
                now=now,
            )


def _notify(tournament: Tournament, to: Iterable[Recipient], **notification: Any) -> None:
    notify(to, subject=tournament.name, about=tournament.public_id, **notification)
