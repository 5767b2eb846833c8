"""Tournaments of a pair of players as contests for `tables.integrity.collusion.money`."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import Final
from uuid import UUID

from django.db.models import Exists, F, OuterRef, Sum

from tables.integrity.collusion.counts import Pair
from tables.integrity.collusion.money import Contest
from tables.models.seats import Seat
from tournaments.entries.models import Entry, RoundTable
from tournaments.planning.locks import lock_tournaments
from tournaments.planning.models import Tournament
from wallet.stakes.models import Stake

PREFIX: Final = "tournament:"


def contests_of(pair: Pair, *, currency: str, begins: datetime, ends: datetime) -> list[Contest]:
    """Return cash tournaments that ended in the period and in which the pair shared a table.

    A ticket won counts with its value, whether used or not: victims are refunded in full, the
    holder pays for it with money or owes it, and the ticket does not change.
    """
    seats = Seat.objects.filter(table=OuterRef("table"))
    together = RoundTable.objects.filter(
        Exists(seats.filter(player=pair[0])),
        Exists(seats.filter(player=pair[1])),
        round__tournament=OuterRef("pk"),
    )
    ended = Tournament.objects.filter(
        Exists(together),
        state=Tournament.State.FINISHED,
        currency=currency,
        finished_at__gte=begins,
        finished_at__lt=ends,
    )
    return [_contest(tournament) for tournament in ended.order_by("pk")]


def lock_contests(games: Collection[str]) -> None:
    mine = {UUID(game.removeprefix(PREFIX)) for game in games if game.startswith(PREFIX)}
    lock_tournaments(Tournament.objects.filter(public_id__in=mine))


def _contest(tournament: Tournament) -> Contest:
    """Return the amounts paid, with rejoins and re-entries, and won by player, in minor units."""
    prizes = Entry.objects.filter(tournament=tournament, prize_minor__gt=0)
    stakes = Stake.objects.filter(
        escrow=tournament.escrow_account, status=Stake.Status.SETTLED, player__isnull=False
    )
    paid = stakes.values_list("player").annotate(minor=Sum(F("entry_minor"))).order_by("player")
    return Contest(
        table_id=None,
        deal_id=None,
        won=dict(prizes.order_by().values_list("player").annotate(minor=Sum("prize_minor"))),
        paid=dict(paid),
        game=tournament.owner_ref,
    )
