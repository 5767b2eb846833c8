"""Compare rounds with the draw and with the play at their tables (RB 10.1, 10.2)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import rummy
from tournaments.entries.models import Entry, Round, RoundTable, Seating
from tournaments.integrity.contest import Contest
from tournaments.kinds import kind_of
from tournaments.kinds.kind import LastRound
from tournaments.rounds import results, rounds
from tournaments.rounds.draw import draw_order, seat_in_turn
from wallet.audit.audit import Finding

# The fields of a seating that are compared.
_RESULT = ("place", "total", "deals_lost", "last_points", "qualified")


def differences(contest: Contest) -> Iterator[Finding]:
    """Yield draws, seats and results that differ from those of the seed and the play."""
    if not contest.rounds:
        return
    yield from _draw(contest)
    yield from _seats(contest)
    adds_up = kind_of(contest.tournament).plays_one_deal
    for this in contest.rounds:
        before = contest.sums_until(this, including=False) if adds_up else {}
        for table in contest.round_tables[this.pk]:
            yield from _terms(contest, this, table)
            if table.finished_at is not None:
                yield from _results(contest, table, before)


def _draw(contest: Contest) -> Iterator[Finding]:
    """Yield a seed that differs from its commitment, or an order that differs from the seed's."""
    tournament, subject = contest.tournament, f"tournament {contest.tournament.pk}"
    try:
        seed = bytes.fromhex(tournament.revealed_seed)
        committed = rummy.commitment(seed)
    except ValueError:
        committed = ""
    if committed != tournament.commitment:
        yield Finding("draw_seed", subject, "the revealed seed does not match the commitment")
        return
    drawn = [entry for entry in contest.drawn if not entry.is_late]
    order = draw_order(seed, [str(entry.public_id) for entry in drawn])
    if list(order) != [str(entry.public_id) for entry in drawn]:
        yield Finding("draw_order", subject, "the seed gives another order")
    numbers = [entry.draw_no for entry in contest.drawn]
    if numbers != list(range(1, len(numbers) + 1)):
        yield Finding("draw_order", subject, "the draw numbers have gaps")


def _seats(contest: Contest) -> Iterator[Finding]:
    """Yield rounds whose tables differ from those of the draw or the previous round."""
    for number, this in enumerate(contest.rounds, start=1):
        subject = f"round {this.pk}"
        seated = [
            frozenset(seating.entry_id for seating in contest.seatings[table.pk])
            for table in contest.round_tables[this.pk]
        ]
        before = contest.rounds[number - 2] if number > 1 else None
        due = _first_tables(contest) if before is None else _next_tables(contest, before)
        if kind_of(contest.tournament).reseats:
            seated, later = seated[: len(due)], contest.seated_in(this)[sum(map(len, due)) :]
            yield from _seats_in_turn(contest, this, later)
        if before is not None and before.finished_at is None:
            yield Finding("seats_drawn", subject, "started before the previous round was finished")
        if this.no != number or seated != [frozenset(e.pk for e in table) for table in due]:
            yield Finding("seats_drawn", subject, "has tables that differ from the draw")
        # Late entries do not count for the size of a final.
        drawn = [e for table in due for e in table if not (e.is_late and this.no == 1)]
        if this.is_final != kind_of(contest.tournament).is_final(contest.tournament, len(drawn)):
            detail = f"is {'a' if this.is_final else 'no'} final with {len(drawn)} entrants"
            yield Finding("round_final", subject, detail)


def _seats_in_turn(contest: Contest, this: Round, later: Sequence[Seating]) -> Iterator[Finding]:
    """Yield a race whose later seats were not given in the order in which entries became free."""
    # A player who was removed or left is not seated again, at the latest after the present table.
    out = {s.entry_id for s in contest.seated_in(this) if s.qualified is False}
    out |= {entry.pk for entry in contest.entries.values() if entry.is_removed}
    freed = [s for s in contest.seated_in(this) if s.left_at and s.entry_id not in out]
    freed.sort(key=lambda seating: (seating.left_at, seating.entry.draw_no or 0))
    seated = [seating.entry_id for seating in later if seating.entry_id not in out]
    if seated != [seating.entry_id for seating in freed[: len(seated)]]:
        yield Finding("seats_drawn", f"round {this.pk}", "has seats that were not given in turn")


def _first_tables(contest: Contest) -> list[list[Entry]]:
    seats = contest.tournament.seats
    drawn = [entry for entry in contest.drawn if not entry.is_late]
    late = [entry for entry in contest.drawn if entry.is_late]
    whole = [late[first : first + seats] for first in range(0, len(late), seats)]
    return [*seat_in_turn(drawn, seats), *whole]


def _next_tables(contest: Contest, before: Round) -> list[list[Entry]]:
    through = [seating for seating in contest.seated_in(before) if seating.qualified]
    ranked = results.by_result(through, is_highest_best=contest.is_highest_best)
    had_byes = {
        contest.seatings[table.pk][0].entry_id
        for this in contest.rounds
        if this.no <= before.no
        for table in contest.round_tables[this.pk]
        if len(contest.seatings[table.pk]) == 1
    }
    numbers = {table.pk: table.no for table in contest.round_tables[before.pk]}
    last = LastRound(
        next_no=before.no + 1,
        seed=bytes.fromhex(contest.tournament.revealed_seed),
        ranked=[_as_then(contest, seating.entry, before) for seating in ranked],
        met_at={s.entry_id: numbers[s.round_table_id] for s in contest.seated_in(before)},
        had_byes=had_byes,
    )
    return kind_of(contest.tournament).next_tables(contest.tournament, last)


def _as_then(contest: Contest, entry: Entry, this: Round) -> Entry:
    """Return a copy of the entry as it was at the end of a round."""
    was_removed = contest.was_removed(entry, this.finished_at)
    return Entry(
        pk=entry.pk,
        public_id=entry.public_id,
        draw_no=entry.draw_no,
        is_removed=was_removed,
        is_late=entry.is_late,
    )


def _terms(contest: Contest, this: Round, place: RoundTable) -> Iterator[Finding]:
    """Yield a table with other terms or players than the tournament gives it."""
    seated, subject = contest.seatings[place.pk], f"round table {place.pk}"
    qualify = kind_of(contest.tournament).qualifying_from(
        contest.tournament, len(seated), is_final=this.is_final
    )
    if place.qualify != qualify:
        yield Finding("table_qualify", subject, f"has {place.qualify} qualifiers, not {qualify}")
    if place.table_id is None:
        return
    record, tournament = contest.records[place.table_id], contest.tournament
    table = record.table
    rejoins = tournament.escrow_account_id if tournament.rejoins and this.no == 1 else None
    terms = (table.profile_id, table.stop_at_survivors, table.rejoin_account_id, table.currency)
    due = (tournament.profile_id, place.qualify, rejoins, tournament.currency)
    price = (table.entry_minor, table.rake_bps) if rejoins else ()
    if terms != due or price not in ((), (tournament.entry_minor, tournament.rake_bps)):
        yield Finding("table_terms", subject, f"table {table.pk} has other terms")
    chips = {seat.player_id: seat.extra_chips for seat in record.seats}
    paid = {s.entry.player_id: rounds.extra_chips_of(tournament, s.entry, this) for s in seated}
    if {**paid, **chips} != paid:
        yield Finding("extra_chips", subject, f"table {table.pk} has extra chips nobody paid for")
    players = sorted(seat.player_id for seat in record.seats)
    if players != sorted(seating.entry.player_id for seating in seated):
        yield Finding("table_seats", subject, f"table {table.pk} has other players")


def _results(contest: Contest, place: RoundTable, before: Mapping[int, int]) -> Iterator[Finding]:
    """Yield seatings whose results differ from the table's scores.

    `before` has the sum of each entry's totals in earlier rounds, if the kind adds them up.
    """
    seated = contest.seatings[place.pk]
    expected = _expected(contest, place, seated, before)
    if expected is None:
        yield Finding(
            "table_open", f"round table {place.pk}", "has results although its game is not finished"
        )
        return
    for seating in seated:
        was = tuple(getattr(seating, name) for name in _RESULT)
        due = expected[seating.entry_id]
        if was != due:
            pairs = zip(_RESULT, was, due, strict=True)
            detail = ", ".join(f"{name} {a} not {b}" for name, a, b in pairs if a != b)
            yield Finding("seating_result", f"seating {seating.pk}", f"has {detail}")


def _expected(
    contest: Contest, place: RoundTable, seated: Sequence[Seating], before: Mapping[int, int]
) -> dict[int, tuple[object, ...]] | None:
    """Return the expected results by entry, in the order of `_RESULT`; None during the game."""
    kind = kind_of(contest.tournament)
    removed = {s.entry_id: contest.was_removed(s.entry, place.finished_at) for s in seated}
    out = {entry for entry, is_removed in removed.items() if is_removed}
    stats: dict[int, tuple[int, int, int, int]] = {}
    if place.table_id is None:  # A bye or a table of absent players is ranked by the draw.
        ranked = sorted(seated, key=lambda s: (removed[s.entry_id], s.entry.draw_no or 0))
        for number, seating in enumerate(ranked, start=1):
            last = contest.tournament.seats if removed[seating.entry_id] else number
            stats[seating.entry_id] = (last, 0, 0, 0)
    else:
        record = contest.records[place.table_id]
        if not record.table.is_over:
            return None
        played = results.played_at(record, contest.results[place.table_id])
        places = results.places_of(played, is_highest_best=contest.is_highest_best)
        totals = kind.totals(played)
        for seating in seated:
            player = seating.entry.player_id
            own = played[player]
            stats[seating.entry_id] = (
                places[player],
                totals[player],
                own.deals_lost,
                own.last_points,
            )
            left_at = own.seat.left_at if kind.plays_one_deal else None
            # Leaving the old table after a drop in a race is not leaving the race.
            if left_at and not (seating.left_at and seating.left_at <= left_at):
                out.add(seating.entry_id)
    draws = {seating.entry_id: seating.entry.draw_no or 0 for seating in seated}
    # An entry that qualified cannot be re-entered, so the time of a re-entry does not matter.
    again = {entry.reenters_id for entry in contest.entries.values()}
    barred = {entry: is_gone or entry in again for entry, is_gone in removed.items()}

    def rank(entry: int) -> tuple[bool, int, int, int, int]:
        at, _, lost, last = stats[entry]
        return barred[entry], at, lost, last, draws[entry]

    through = {
        entry
        for number, entry in enumerate(sorted(stats, key=rank), start=1)
        if entry not in out
        and not barred[entry]
        and kind.is_through(
            contest.tournament,
            number=number,
            qualify=place.qualify,
            score=before.get(entry, 0) + stats[entry][1],
        )
    }
    return {entry: (*stats[entry], entry in through) for entry in stats}
