"""The standings of a tournament: places of eliminated players, rounds of active ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple, TypedDict, cast

from django.contrib.auth.models import AnonymousUser
from django.core.cache import cache
from django.db.models import Case, F, OrderBy, OuterRef, Q, QuerySet, Subquery, Sum, Value, When

from players.accounts.models import User
from tournaments.entries.models import Entry, RoundTable, Seating
from tournaments.kinds import kind_of
from tournaments.lobby.schemas import LiveStandings, StandingRow
from tournaments.planning.models import Tournament
from tournaments.rounds import results
from wallet.ledger.amounts import Amount

if TYPE_CHECKING:
    from django_stubs_ext import WithAnnotations

    Ranked = WithAnnotations[Entry, "LastRound"]


WINNERS_MAX: Final = 10
LEADERS_MAX: Final = 5
# The ranks of a version of a tournament are computed once for all viewers.
RANKS_SECONDS: Final = 30


class LastRound(TypedDict):
    reached: int | None
    last_total: int | None


def standings(tournament: Tournament) -> QuerySet[Ranked]:
    """Return the entries, best first, to paginate before `row_of`.

    Active players rank before eliminated ones, by round or by the sum of their points; equal ones
    are shown in the order of the draw.
    """
    kind, of_entry = kind_of(tournament), Seating.objects.filter(entry=OuterRef("pk"))
    last = of_entry.order_by("-round__no", "-pk")
    total: Subquery = Subquery(last.values("total")[:1])
    by_play: list[OrderBy] = [F("reached").desc(nulls_last=True)]
    if kind.plays_one_deal:
        total = Subquery(of_entry.order_by().values("entry").values(sum=Sum("total")))
        by_total = F("last_total")
        is_out = Case(When(state=Entry.State.OUT, then=Value(1)), default=Value(0))
        by_play = [
            is_out.asc(),
            by_total.desc(nulls_last=True) if kind.most_points_win else by_total.asc(),
        ]
    by_place = F("place").asc(nulls_first=True)
    entries = (
        tournament.entries.standing()
        .select_related("player")
        .annotate(
            reached=Subquery(last.values("round__no")[:1]),
            last_total=total,
        )
        .order_by(by_place, *by_play, "draw_no", "pk")
    )
    return cast("QuerySet[Ranked]", entries)


def winners(tournament: Tournament, viewer: User | AnonymousUser | None) -> list[StandingRow]:
    """Return the entrants of a finished tournament who won prizes, at most ten, best first."""
    if tournament.state != Tournament.State.FINISHED:
        return []
    paid = standings(tournament).filter(Q(prize_minor__gt=0) | Q(place=1), place__isnull=False)
    return [row_of(entry, tournament, viewer) for entry in paid[:WINNERS_MAX]]


class Rank(NamedTuple):
    """The present rank of an entry by the sum of its points; equal sums share a rank."""

    entry: int
    total: int
    rank: int


def live_ranks(tournament: Tournament) -> list[Rank]:
    """Return the ranks of the players still in, best first; none unless points add up."""
    is_running = tournament.state == Tournament.State.RUNNING
    if not is_running or not kind_of(tournament).plays_one_deal:
        return []
    key = f"tournaments.ranks:{tournament.pk}:{tournament.version}"
    rows = cache.get_or_set(key, lambda: [tuple(r) for r in _ranks(tournament)], RANKS_SECONDS)
    return [Rank(*row) for row in rows or []]


def own_rank(tournament: Tournament, viewer: User | AnonymousUser) -> Rank | None:
    """Return the present rank of the viewer's latest entry, or None."""
    ranks = {row.entry: row for row in live_ranks(tournament)}
    if not ranks or not viewer.is_authenticated:
        return None
    latest = tournament.entries.latest_of(viewer).first()
    return ranks.get(latest.pk) if latest else None


def ranked_rows(
    entries: Iterable[Ranked], tournament: Tournament, viewer: User | AnonymousUser | None
) -> list[StandingRow]:
    """Return the rows of annotated entries, those still in with their present rank, if any."""
    ranks = {row.entry: row for row in live_ranks(tournament)}
    rows = [(entry, row_of(entry, tournament, viewer)) for entry in entries]
    return [
        replace(row, place=ranks[entry.pk].rank, total=ranks[entry.pk].total)
        if entry.pk in ranks
        else row
        for entry, row in rows
    ]


def live_standings(
    tournament: Tournament, viewer: User | AnonymousUser | None
) -> LiveStandings | None:
    """Return the leaders of a running tournament whose points add up, else None."""
    ranks = live_ranks(tournament)
    if not ranks:
        return None
    best = {row.entry: row for row in ranks[:LEADERS_MAX]}
    entries = {entry.pk: entry for entry in standings(tournament).filter(pk__in=best)}
    leaders = [
        replace(row_of(entries[pk], tournament, viewer), place=row.rank, total=row.total)
        for pk, row in best.items()
        if pk in entries
    ]
    tables = RoundTable.objects.unfinished().filter(
        round__tournament=tournament, round__no=tournament.round_no
    )
    return LiveStandings(still_in=len(ranks), tables_left=tables.count(), leaders=leaders)


def _ranks(tournament: Tournament) -> Iterator[Rank]:
    sign = -1 if kind_of(tournament).most_points_win else 1
    sums = results.sums_of(tournament)
    still_in = tournament.entries.filter(state__in=[Entry.State.PLAYING, Entry.State.QUALIFIED])
    keys = still_in.order_by("draw_no").values_list("pk", flat=True)
    ranked = sorted(keys, key=lambda pk: sign * sums.get(pk, 0))
    rank, before = 0, None
    for number, pk in enumerate(ranked, start=1):
        total = sums.get(pk, 0)
        rank, before = (rank if total == before else number), total
        yield Rank(pk, total, rank)


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
