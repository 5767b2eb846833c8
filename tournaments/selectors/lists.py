"""Tournaments to register for, under way, and over: filtered, with the viewer's own state."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.db.models import Count, OuterRef, Q, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce

import rummy
from players.models import User
from tables.rules import variant_of
from tables.selectors.shapes import Amount
from tournaments.models import Entry, Tournament
from tournaments.selectors.shapes import TournamentRow

Viewer = User | AnonymousUser | None
STANDING = ~Q(entries__state__in=[*Entry.GONE, Entry.State.WAITING])
LIST_MAX = 60


def tournament_rows(
    viewer: Viewer, *, show: str = "open", currency: str = ""
) -> list[TournamentRow]:
    """Return the tournaments of one tab: "open", "running", "over" or "mine", soonest first."""
    shown = Tournament.objects.shown().select_related("profile")
    if currency:
        shown = shown.filter(currency=currency)
    mine = Entry.objects.filter(
        tournament=OuterRef("pk"), player=viewer.pk if viewer else None
    ).order_by("-pk")
    tournaments = _tab(shown, viewer, show).annotate(
        taken=Count("entries", filter=STANDING),
        waiting=Count("entries", filter=Q(entries__state=Entry.State.WAITING)),
        my_state=Coalesce(Subquery(mine.values("state")[:1]), Value("")),
    )
    return [_row(tournament) for tournament in tournaments[:LIST_MAX]]


def currencies_played() -> list[str]:
    """Return the currencies there are tournaments in."""
    shown = Tournament.objects.shown().order_by("currency")
    return list(shown.values_list("currency", flat=True).distinct())


def prize_minor(tournament: Tournament, entrants: int) -> int:
    """Return the pool as frozen, or as it would be with who is in by now: the fewest at least."""
    if tournament.prize_minor is not None:
        return tournament.prize_minor
    net = rummy.pool.net_entry(tournament.entry_minor, tournament.rake_bps)
    return max(tournament.guarantee_minor, max(entrants, tournament.least_entrants) * net)


def _tab(tournaments: QuerySet[Tournament], viewer: Viewer, show: str) -> QuerySet[Tournament]:
    if show == "running":
        return tournaments.filter(state=Tournament.State.RUNNING).order_by("-started_at")
    if show == "over":
        return tournaments.filter(state__in=Tournament.OVER).order_by("-finished_at")
    if show == "mine":
        entered = Entry.objects.entered()
        mine = entered.filter(player=viewer.pk if viewer else None).values("tournament")
        return tournaments.filter(pk__in=mine).order_by("-pk")
    ahead = (Tournament.State.ANNOUNCED, Tournament.State.REGISTERING, Tournament.State.CHECK_IN)
    return tournaments.filter(state__in=ahead).order_by("starts_at", "pk")


def _row(tournament: Any) -> TournamentRow:
    return TournamentRow(
        id=tournament.public_id,
        name=tournament.name,
        variant=variant_of(tournament.profile),
        state=tournament.state,
        starts_at=tournament.starts_at,
        entry=Amount.of(tournament.entry_minor, tournament.currency),
        prize=Amount.of(prize_minor(tournament, tournament.taken), tournament.currency),
        entrants=tournament.taken,
        entrants_max=tournament.entrants_max,
        waiting=tournament.waiting,
        round_no=tournament.round_no,
        is_practice=tournament.bots_fill,
        mine=tournament.my_state if tournament.my_state not in Entry.GONE else "",
    )
