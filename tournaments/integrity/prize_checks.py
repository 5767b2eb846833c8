"""Compare places and prizes with the rounds and the payments (RB 10.2, 10.3, 10.5)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tournaments.entries.models import Entry, Prize, Round, Seating
from tournaments.integrity.contest import Contest
from tournaments.planning.models import Tournament
from tournaments.planning.template_models import TournamentTemplate
from tournaments.prizes import prize_pool, tickets
from tournaments.rounds import results
from wallet.audit.audit import Finding
from wallet.audit.models import RowVersion


def differences(contest: Contest) -> Iterator[Finding]:
    """Yield pools, prize lists, places, prizes and tickets that differ from the expected ones."""
    tournament, subject = contest.tournament, f"tournament {contest.tournament.pk}"
    if tournament.frozen_at is None:
        if contest.prizes:
            yield Finding("prizes_early", subject, "has prizes before its pool is frozen")
    else:
        yield from _pool(contest, subject)
        yield from _rows(contest, subject)
    places = _places(contest)
    for entry in contest.entries.values():
        due = places.get(entry.pk, (None, 1))
        if (entry.place, entry.tied) != due:
            detail = f"is place {entry.place} of {entry.tied}, the rounds give {due[0]} of {due[1]}"
            yield Finding("entry_place", f"entry {entry.pk}", detail)
    yield from _prizes(contest, places)


def _pool(contest: Contest, subject: str) -> Iterator[Finding]:
    """Yield a pool that differs from the net payments plus the overlay of the guarantee."""
    tournament, net = contest.tournament, contest.net_minor
    overlay = max(0, tournament.guarantee_minor - net)
    if (tournament.overlay_minor, tournament.prize_minor) != (overlay, net + overlay):
        was = f"is {tournament.prize_minor} with an overlay of {tournament.overlay_minor}"
        yield Finding("prize_pool", subject, f"{was}; {net} was paid in and {overlay} is missing")


def _rows(contest: Contest, subject: str) -> Iterator[Finding]:
    tournament, rows = contest.tournament, contest.prizes
    assert tournament.prize_minor is not None, "a frozen pool has its amount"
    due = prize_pool.rows_due(
        tournament,
        tournament.prize_minor,
        finishers=len(contest.drawn),
        ticket_minor=_ticket_value(rows, tournament) if tournament.awards else None,
    )
    found = [(row.place, row.bps, row.amount_minor, row.is_ticket) for row in rows]
    if found != [(place, *row) for place, row in enumerate(due, start=1)]:
        yield Finding("prize_rows", subject, "has prize rows that differ from its terms")


def _ticket_value(rows: Sequence[Prize], tournament: Tournament) -> int:
    """Return the value of tickets at the freeze, if it was ever the template's price.

    Otherwise return the template's present price.
    """
    assert tournament.awards is not None, "a satellite awards tickets"
    prices = {tournament.awards.entry_minor}
    versions = RowVersion.objects.filter(
        relation=TournamentTemplate._meta.db_table, row_key=str(tournament.awards_id)
    )
    prices |= {int(facts["entry_minor"]) for facts in versions.values_list("facts", flat=True)}
    least = min((row.amount_minor for row in rows if row.is_ticket), default=0)
    return least if least in prices else tournament.awards.entry_minor


def _places(contest: Contest) -> dict[int, tuple[int | None, int]]:
    """Return each entry's place and the number of entries that share it, by primary key."""
    places: dict[int, tuple[int | None, int]] = {}
    tournament = contest.tournament
    for this in contest.rounds:
        if this.finished_at is None:
            continue
        seated = contest.seated_in(this)
        through = 0 if this.is_final else sum(bool(seating.qualified) for seating in seated)
        out = [seating for seating in seated if this.is_final or not seating.qualified]
        places |= _placed(contest, this, out, through + 1)
        is_last = this is contest.rounds[-1] and tournament.state == Tournament.State.FINISHED
        if is_last and through:  # Of a kind without a final.
            places |= _placed(contest, this, [s for s in seated if s.qualified], 1)
    if tournament.state == Tournament.State.ABORTED and tournament.frozen_at is not None:
        places |= _as_it_was(contest, set(places))
    return places


def _placed(
    contest: Contest, this: Round, seatings: Sequence[Seating], place: int
) -> dict[int, tuple[int | None, int]]:
    places: dict[int, tuple[int | None, int]] = {}
    latest = {seating.entry_id: seating for seating in seatings}
    sums = contest.sums_until(this)
    for group in results.in_groups(contest.tournament, latest.values(), sums):
        tied = [seating.entry_id for seating in group]
        places |= dict.fromkeys(tied, (place, len(tied)))
        place += len(tied)
    return places


def _as_it_was(contest: Contest, placed: set[int]) -> dict[int, tuple[int | None, int]]:
    """Return the places that an abort gives to entries without one.

    See `results.place_as_it_stands`.
    """
    last = contest.rounds[-1]
    gone: set[int] = set()
    for table in contest.round_tables[last.pk]:
        if table.table_id is not None:
            record = contest.records[table.table_id]
            active = {seat.pk for seat in record.active()}
            gone |= {seat.player_id for seat in record.seats if seat.pk not in active}
    out = {
        seating.entry_id
        for seating in contest.seated_in(last)
        if seating.entry.is_removed
        or seating.qualified is False
        or (seating.qualified is None and seating.entry.player_id in gone)
    }
    unplaced = [entry.pk for entry in contest.drawn if entry.pk not in placed]
    still_in = [key for key in unplaced if key not in out]
    behind = [key for key in unplaced if key in out]
    places: dict[int, tuple[int | None, int]] = dict.fromkeys(still_in, (1, len(still_in)))
    return places | dict.fromkeys(behind, (len(still_in) + 1, len(behind)))


def _prizes(contest: Contest, places: Mapping[int, tuple[int | None, int]]) -> Iterator[Finding]:
    """Yield entries with a wrong prize, and tournaments with wrong tickets."""
    won: dict[str, int] = {}
    ranked: list[Entry] = []
    if contest.is_paid:
        ranked = sorted(
            (entry for entry in contest.drawn if entry.pk in places),
            key=lambda entry: (places[entry.pk][0] or 0, entry.draw_no or 0),
        )
        as_due = [_at(entry, places) for entry in ranked]
        won = prize_pool.shares(contest.tournament, list(contest.prizes), as_due)
    for entry in contest.entries.values():
        due = won.get(str(entry.public_id), 0)
        if entry.prize_minor != due:
            detail = f"won {entry.prize_minor}, its place gives {due}"
            yield Finding("entry_prize", f"entry {entry.pk}", detail)
    value = min((row.amount_minor for row in contest.prizes if row.is_ticket), default=0)
    due_to = tickets.ticket_entries(contest.prizes, ranked)
    due_tickets = sorted((entry.player_id, value) for entry in due_to)
    had = sorted((ticket.player_id, ticket.value_minor) for ticket in contest.tickets)
    wrong = {ticket.admits_to_id for ticket in contest.tickets} - {contest.tournament.awards_id}
    if had != due_tickets or wrong:
        detail = f"issued the tickets {had}, its prizes give {due_tickets}"
        yield Finding("tickets_won", f"tournament {contest.tournament.pk}", detail)


def _at(entry: Entry, places: Mapping[int, tuple[int | None, int]]) -> Entry:
    """Return a copy of the entry with the place that the rounds give."""
    return Entry(pk=entry.pk, public_id=entry.public_id, place=places[entry.pk][0])
