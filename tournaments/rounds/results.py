"""Results: qualifiers of each table, and final places in the tournament (RB 10.2)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Any

from django.db.models import Count, Q

from core.clock import database_now
from tables.games import game_of
from tables.models.seats import Elimination, Score, Seat
from tables.settlement.game_record import GameRecord, record_of
from tables.settlement.models import Result
from tables.state.rules import rules_of
from tournaments.entries.models import Entry, Round, RoundTable, Seating, SeatingQuerySet
from tournaments.kinds import kind_of
from tournaments.kinds.kind import Kind
from tournaments.planning.locks import LockedTournament
from tournaments.planning.models import Tournament


@dataclass(frozen=True)
class Played:
    """The play of a seat: the scores of its deals in order, and the deal that eliminated it."""

    seat: Seat
    scores: Sequence[Score]
    out_in: int | None
    # None if the game was stopped.
    place: int | None

    @property
    def total(self) -> int:
        """Return the chips, or the points in games without chips; 0 without a deal."""
        if not self.scores:
            return 0
        last = self.scores[-1]
        return (last.total_after if last.chips_after is None else last.chips_after) or 0

    @property
    def deals_lost(self) -> int:
        return sum(score.how != Score.How.WON for score in self.scores)

    @property
    def last_points(self) -> int:
        return self.scores[-1].points if self.scores else 0


def take_over(tournament: LockedTournament, round_table: RoundTable) -> None:
    """Record the result of a table: places, scores and tie-breakers, and the qualifiers.

    The places of a stopped table follow from its last scores.
    """
    table = round_table.table
    assert table is not None, "only a table that was played has a result"
    played = played_at(record_of(table), list(Result.objects.filter(table=table)))
    seatings = list(round_table.seatings.select_related("entry"))
    places = places_of(played, is_highest_best=is_highest_best(tournament))
    totals = kind_of(tournament).totals(played)
    for seating in seatings:
        own = played[seating.entry.player_id]
        seating.total, seating.deals_lost = totals[seating.entry.player_id], own.deals_lost
        seating.last_points, seating.place = own.last_points, places[seating.entry.player_id]
        if not own.seat.is_absent and not seating.entry.is_removed:
            seating.entry.is_absent = False  # Back for the next round too.
    left = {player for player, own in played.items() if own.seat.left_at is not None}
    _qualify(tournament, round_table, seatings, left=left)


def played_at(record: GameRecord, results: Sequence[Result]) -> dict[int, Played]:
    """Return the play of each seat of a table, by its player's primary key."""
    scores: dict[int, list[Score]] = defaultdict(list)
    for score in record.scores:
        scores[score.seat_id].append(score)
    out_in, placed = record.out_in(), {result.seat_id: result.place for result in results}
    return {
        seat.player_id: Played(seat, scores[seat.pk], out_in.get(seat.pk), placed.get(seat.pk))
        for seat in record.seats
    }


def places_of(played: Mapping[int, Played], *, is_highest_best: bool) -> dict[int, int]:
    """Return the place of each player, for a stopped table by the last scores."""
    placed = {player: own.place for player, own in played.items() if own.place is not None}
    if len(placed) == len(played):
        return placed
    ranks: dict[int, Any] = {
        player: -own.total if is_highest_best else _pool_rank(own) for player, own in played.items()
    }
    in_order = sorted(ranks.values())
    return {player: in_order.index(rank) + 1 for player, rank in ranks.items()}


def rank_without_play(
    tournament: LockedTournament, round_table: RoundTable, seatings: Sequence[Seating]
) -> None:
    """Rank a bye, or a table of absent players, by the published draw.

    A removed player gets the last place of a full table and does not qualify.
    """
    ranked = sorted(seatings, key=lambda s: (s.entry.is_removed, s.entry.draw_no or 0))
    for place, seating in enumerate(ranked, start=1):
        seating.place = tournament.seats if seating.entry.is_removed else place
        seating.total = 0
        seating.deals_lost = seating.last_points = 0
    _qualify(tournament, round_table, ranked)


def qualifiers(this: Round) -> list[Entry]:
    """Return the qualified entries, best first: by place, score and draw (RB 10.1)."""
    through = this.seatings.filter(qualified=True).select_related("entry__player")
    ranked = by_result(through, is_highest_best=is_highest_best(this.tournament))
    return [seating.entry for seating in ranked]


def by_result(seatings: Iterable[Seating], *, is_highest_best: bool) -> list[Seating]:
    """Return the seatings of a finished round, best first."""
    sign = -1 if is_highest_best else 1
    return sorted(seatings, key=lambda s: (s.place, sign * (s.total or 0), s.entry.draw_no))


def had_byes(tournament: Tournament) -> set[int]:
    """Return the primary keys of entries that already had a bye."""
    alone = (
        RoundTable.objects.filter(round__tournament=tournament)
        .annotate(players=Count("seatings"))
        .filter(players=1)
    )
    return set(Seating.objects.filter(round_table__in=alone).values_list("entry", flat=True))


def place_the_out(this: Round) -> None:
    """Set the places of entries eliminated in this round, behind all qualifiers; ties share."""
    place = this.seatings.filter(qualified=True).count() + 1
    _place_groups(this, this.seatings.filter(qualified=False), place, Entry.State.OUT)


def place_finalists(this: Round) -> None:
    """Set the places of all players of the round that ends the tournament."""
    _place_groups(this, this.seatings.all(), 1, Entry.State.FINISHED)


def place_the_last(this: Round) -> None:
    """Set the place of those still in after the last round of a kind without a final."""
    _place_groups(this, this.seatings.filter(qualified=True), 1, Entry.State.FINISHED)


def place_as_it_stands(this: Round) -> None:
    """Set all missing places of an aborted tournament: active entries first, others behind them.

    Each of the two groups shares its places equally, because unfinished tables cannot be compared.
    Entries are not active if they did not qualify, are eliminated at their table, or have left or
    been removed.
    """
    tournament = this.tournament
    unplaced = tournament.entries.filter(draw_no__isnull=False, place=None)
    played = list(this.round_tables.filter(table__isnull=False).values_list("table", flat=True))
    eliminated = Elimination.objects.standing().filter(table__in=played).values("seat")
    gone = Seat.objects.filter(Q(left_at__isnull=False) | Q(pk__in=eliminated), table__in=played)
    seatings = this.seatings.filter(entry__place=None)
    out = seatings.filter(
        Q(qualified=False)
        | Q(entry__is_removed=True)
        | Q(entry__player__in=list(gone.values_list("player", flat=True))),
    ).exclude(qualified=True, entry__is_removed=False)
    out_ids = set(out.values_list("entry", flat=True))
    still_in = [entry for entry in unplaced if entry.pk not in out_ids]
    behind = [entry for entry in unplaced if entry.pk in out_ids]
    place = 1
    for entries in (still_in, behind):
        for entry in entries:
            entry.place, entry.tied = place, len(entries)
            entry.state = Entry.State.FINISHED if entries is still_in else Entry.State.OUT
            entry.out_in_round = None if entries is still_in else this.no
        place += len(entries)
    placed = [*still_in, *behind]
    Entry.objects.bulk_update(placed, ["place", "tied", "out_in_round", "state"], batch_size=1000)


def _place_groups(this: Round, seatings: SeatingQuerySet, place: int, state: Entry.State) -> None:
    latest = {s.entry_id: s for s in seatings.select_related("entry").order_by("pk")}
    by_draw = sorted(latest.values(), key=lambda seating: seating.entry.draw_no or 0)
    placed = []
    for group in in_groups(this.tournament, by_draw, sums_of(this.tournament)):
        entries = [seating.entry for seating in group]
        for entry in entries:
            entry.place, entry.tied, entry.out_in_round = place, len(entries), this.no
            entry.state = state
        place += len(entries)
        placed += entries
    Entry.objects.bulk_update(placed, ["place", "tied", "out_in_round", "state"], batch_size=1000)


def in_groups(
    tournament: Tournament, seatings: Iterable[Seating], sums: Mapping[int, int]
) -> list[list[Seating]]:
    """Return the seatings that are placed after a round, best first; each group shares a place.

    `sums` has the sum of the totals of each entry's tables.
    """

    def rank(seating: Seating) -> tuple[int, ...]:
        is_out = seating.entry.is_removed or not seating.qualified
        score = sums.get(seating.entry_id, 0)
        return kind_of(tournament).rank(tournament, seating, score=score, is_out=is_out)

    ranked = sorted(((rank(seating), seating) for seating in seatings), key=itemgetter(0))
    return [[seating for _, seating in group] for _, group in groupby(ranked, key=itemgetter(0))]


def sums_of(tournament: Tournament, entries: Collection[Entry] | None = None) -> dict[int, int]:
    """Return the sum of the totals of each entry, or of these, for kinds that add them up."""
    if not kind_of(tournament).plays_one_deal:
        return {}
    seatings = Seating.objects.filter(round__tournament=tournament)
    return (seatings if entries is None else seatings.filter(entry__in=entries)).sums()


def _pool_rank(played: Played) -> tuple[bool, int, int]:
    """Return a sort key: active first, then by later elimination, then by total (RB 10.2)."""
    return played.out_in is not None, -(played.out_in or 0), played.total


def _qualify(
    tournament: LockedTournament,
    round_table: RoundTable,
    seatings: Sequence[Seating],
    *,
    left: Collection[int] = (),
) -> None:
    """Save the results and set the qualifiers; `left` are the players who left the table.

    Ties are broken by deals lost, points of the last deal, then the draw. A removed player and
    an entry that was re-entered do not qualify, and the next player qualifies instead.
    """
    kind, now = kind_of(tournament), database_now()
    sums = sums_of(tournament, [seating.entry for seating in seatings])
    departure = round_table.round.seatings.next_departure(now)
    reentered = reentered_of(seating.entry for seating in seatings)
    barred = {s.entry_id for s in seatings if s.entry.is_removed or s.entry_id in reentered}
    ranked = sorted(
        seatings,
        key=lambda s: (
            s.entry_id in barred,
            s.place,
            s.deals_lost,
            s.last_points,
            s.entry.draw_no,
        ),
    )
    for number, seating in enumerate(ranked, start=1):
        # After a drop in a race a player may leave the old table without leaving the race.
        has_left = kind.plays_one_deal and seating.left_at is None
        is_out = seating.entry_id in barred or (has_left and seating.entry.player_id in left)
        score = sums.get(seating.entry_id, 0) + (seating.total or 0)
        seating.qualified = not is_out and kind.is_through(
            tournament, number=number, qualify=round_table.qualify, score=score
        )
        if kind.reseats:
            seating.left_at = seating.left_at or departure
        seating.entry.state = _state_after(kind, seating)
    Seating.objects.bulk_update(
        ranked, ["place", "total", "deals_lost", "last_points", "qualified", "left_at"]
    )
    Entry.objects.bulk_update([seating.entry for seating in ranked], ["state", "is_absent"])
    round_table.finished_at = now
    round_table.save(update_fields=["finished_at"])


def reentered_of(entries: Iterable[Entry]) -> set[int]:
    """Return the keys of those entries after which their players entered again (RB 10.6)."""
    later = Entry.objects.filter(reenters__in=[entry.pk for entry in entries])
    return {key for key in later.values_list("reenters", flat=True) if key is not None}


def _state_after(kind: Kind, seating: Seating) -> Entry.State:
    has_left_since = kind.reseats and seating.entry.state == Entry.State.OUT
    if not seating.qualified or has_left_since:
        return Entry.State.OUT
    return Entry.State.PLAYING if kind.reseats else Entry.State.QUALIFIED


def is_highest_best(tournament: Tournament) -> bool:
    rules = rules_of(tournament.profile)
    return game_of(rules).is_highest_best(rules)
