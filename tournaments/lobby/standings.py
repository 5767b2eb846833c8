"""The standings of a tournament: places of eliminated players, rounds of active ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypedDict, cast

from django.contrib.auth.models import AnonymousUser
from django.db.models import F, OuterRef, Q, QuerySet, Subquery

from players.accounts.models import User
from tournaments.entries.models import Entry, Seating
from tournaments.lobby.schemas import StandingRow
from tournaments.planning.models import Tournament
from wallet.ledger.amounts import Amount

if TYPE_CHECKING:
    from django_stubs_ext import WithAnnotations

    Ranked = WithAnnotations[Entry, "LastRound"]


WINNERS_MAX: Final = 10


class LastRound(TypedDict):
    reached: int | None
    last_total: int | None


def standings(tournament: Tournament) -> QuerySet[Ranked]:
    """Return the entries, best first, to paginate before `row_of`.

    Active players rank before eliminated ones; equal ones are shown in the order of the draw.
    """
    last = Seating.objects.filter(entry=OuterRef("pk")).order_by("-round__no")
    best_first = (
        F("place").asc(nulls_first=True),
        F("reached").desc(nulls_last=True),
        "draw_no",
        "pk",
    )
    entries = (
        tournament.entries.standing()
        .select_related("player")
        .annotate(
            reached=Subquery(last.values("round__no")[:1]),
            last_total=Subquery(last.values("total")[:1]),
        )
        .order_by(*best_first)
    )
    return cast("QuerySet[Ranked]", entries)


def winners(tournament: Tournament, viewer: User | AnonymousUser | None) -> list[StandingRow]:
    """Return the entrants of a finished tournament who won prizes, at most ten, best first."""
    if tournament.state != Tournament.State.FINISHED:
        return []
    paid = standings(tournament).filter(Q(prize_minor__gt=0) | Q(place=1), place__isnull=False)
    return [row_of(entry, tournament, viewer) for entry in paid[:WINNERS_MAX]]


def row_of(
    entry: Ranked, tournament: Tournament, viewer: User | AnonymousUser | None
) -> StandingRow:
    """Return the row of an annotated entry."""
    return StandingRow(
        place=entry.place,
        tied=entry.tied,
        handle=entry.player.handle,
        is_bot=entry.player.is_bot,
        is_me=viewer is not None and entry.player_id == viewer.pk,
        state=entry.state,
        round_no=entry.out_in_round or entry.reached,
        total=entry.last_total,
        prize=Amount.of(entry.prize_minor, tournament.currency),
    )
