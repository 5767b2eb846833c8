"""Fill free places of practice tournaments with bots, for play points only."""

from __future__ import annotations

from django.contrib.auth.hashers import make_password

from players.accounts.models import User
from tournaments.entries import admission
from tournaments.entries.models import Entry
from tournaments.planning.locks import LockedTournament
from tournaments.planning.models import Tournament
from wallet.bonuses import play_points

LABEL = "bot_no"


def fill(tournament: LockedTournament) -> list[Entry]:
    """Enter bots until no place is free."""
    free = tournament.entrants_max - tournament.entries.standing().count()
    entries = []
    for bot in _bots(tournament, free):
        play_points.ensure_points(player=bot, at_least=tournament.entry)
        entry = Entry.objects.create(tournament=tournament, player=bot, state=Entry.State.WAITING)
        admission.pay(tournament, entry)
        entries.append(entry)
    return entries


def _bots(tournament: Tournament, number: int) -> list[User]:
    """Return up to `number` bots without an entry, creating missing ones."""
    entered = tournament.entries.entered().values("player")
    handles = [f"{LABEL}{n:04}" for n in range(1, tournament.entrants_max + 1)]
    there = set(User.objects.filter(handle__in=handles).values_list("handle", flat=True))
    unusable = make_password(None)
    User.objects.bulk_create(
        (
            User(handle=handle, is_bot=True, password=unusable)
            for handle in handles
            if handle not in there
        ),
        ignore_conflicts=True,
    )
    free = User.objects.bots().filter(handle__in=handles).exclude(pk__in=entered)
    return list(free.order_by("handle")[:number])
