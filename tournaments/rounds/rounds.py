"""Rounds: open tables, record results, and start the next round (RB 10.1, 10.2)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from django.db import transaction

from tables.models.tables import Table
from tables.seats import hosted
from tournaments.entries import late_entries
from tournaments.entries.models import Entry, EntryOrigin, Round, RoundTable, Seating
from tournaments.entries.notifications import notify_of_break
from tournaments.kinds import kind_of
from tournaments.kinds.kind import LastRound
from tournaments.planning import timing
from tournaments.planning.locks import LockedTournament, lock_if_free
from tournaments.planning.models import Tournament
from tournaments.prizes import prize_pool
from tournaments.rounds import results


def open_round(
    tournament: LockedTournament, tables: Sequence[Sequence[Entry]], now: datetime
) -> Round:
    """Create the next round and its seating; the sweep opens each table in its own transaction."""
    no, kind = tournament.round_no + 1, kind_of(tournament)
    is_final = kind.is_final(tournament, sum(map(len, tables)))
    limit = tournament.round_minutes
    opened = Round.objects.create(
        tournament=tournament,
        no=no,
        is_final=is_final,
        started_at=now,
        ends_at=now + timedelta(minutes=limit) if limit else None,
    )
    seat_at_tables(opened, tables, first_no=1)
    playing = [entry.pk for players in tables for entry in players]
    tournament.entries.filter(pk__in=playing).update(state=Entry.State.PLAYING)
    tournament.round_no = no
    timing.arm(tournament, min(_ends(tournament, opened), default=None), now)
    return opened


def seat_at_tables(this: Round, tables: Sequence[Sequence[Entry]], *, first_no: int) -> None:
    """Create these tables of a round, numbered from `first_no`, and their seatings."""
    terms = this.tournament
    qualify = kind_of(terms).qualifying_from
    round_tables = RoundTable.objects.bulk_create(
        RoundTable(
            round=this, no=number, qualify=qualify(terms, len(players), is_final=this.is_final)
        )
        for number, players in enumerate(tables, start=first_no)
    )
    Seating.objects.bulk_create(
        (
            Seating(round=this, round_table=round_table, entry=entry)
            for round_table, players in zip(round_tables, tables, strict=True)
            for entry in players
        ),
        batch_size=1000,
    )


@transaction.atomic(durable=True)
def open_table(*, round_table_id: int, now: datetime) -> None:
    """Open a table and seat its players; rank a bye or a table of absent players at once.

    A table that opens after the round's time limit, for example after maintenance, plays one deal.
    """
    locked = _locked(round_table_id)
    if locked is None:
        return
    tournament, round_table = locked
    if round_table.table_id is not None or round_table.finished_at is not None:
        return
    seatings = list(round_table.seatings.select_related("entry__player").order_by("pk"))
    kind = kind_of(tournament)
    present = [
        seating
        for seating in seatings
        # Without their points, tables of absent players would be dealt for ever.
        if not (seating.entry.is_removed if kind.plays_one_deal else seating.entry.is_absent)
    ]
    if len(seatings) == 1 or not present:
        results.rank_without_play(tournament, round_table, seatings)
        return
    is_first = round_table.round.no == 1
    round_table.table = hosted.open_table(
        profile=tournament.profile,
        name=f"{tournament.name} · {round_table.round.no}.{round_table.no}"[:60],
        owner_ref=tournament.owner_ref,
        players=[seating.entry.player for seating in seatings],
        absent=[seating.entry.player for seating in seatings if seating.entry.is_absent],
        stop_at_survivors=round_table.qualify,
        currency=tournament.currency,
        entry_minor=tournament.entry_minor,
        rake_bps=tournament.rake_bps,
        prize_minor=_prize_so_far(tournament),
        rejoin_account=tournament.escrow_account if tournament.rejoins and is_first else None,
        extra_chips={
            seating.entry.player_id: extra_chips_of(tournament, seating.entry, round_table.round)
            for seating in seatings
        },
        came_from=EntryOrigin.objects.by_player(seating.entry for seating in seatings),
    )
    round_table.save(update_fields=["table"])
    _end_rejoins(tournament, now)
    if kind.plays_one_deal or is_time_over(tournament, round_table.round, now):
        hosted.make_last_deal(table_id=round_table.table.pk, now=now)
    timing.save(tournament)


def extra_chips_of(tournament: Tournament, entry: Entry, this: Round) -> int:
    """Return the chips that an entry has at a table of a round beside those of the rules."""
    return tournament.addon_chips if this.no == 2 and entry.addon_stake_id else 0


def _prize_so_far(tournament: LockedTournament) -> int:
    entrants = tournament.entries.standing().count()
    return prize_pool.pool_so_far(tournament, entrants=entrants)


@transaction.atomic(durable=True)
def take_result(*, round_table_id: int) -> None:
    """Record the result of a finished table, once."""
    locked = _locked(round_table_id)
    if locked is None:
        return
    tournament, round_table = locked
    if round_table.finished_at is not None:
        return
    if round_table.table is None or not round_table.table.is_over:
        return
    results.take_over(tournament, round_table)
    timing.save(tournament)


@transaction.atomic(durable=True)
def close_round(*, tournament_id: int, now: datetime) -> None:
    """Close a round whose tables are all finished: freeze after round 1, then continue or pay."""
    tournament = lock_if_free(Tournament.objects.filter(pk=tournament_id))
    if tournament is None or tournament.state != Tournament.State.RUNNING:
        return
    this, kind = tournament.rounds.get(no=tournament.round_no), kind_of(tournament)
    if this.round_tables.unfinished().exists():
        return
    if kind.reseats and not is_time_over(tournament, this, now):
        return
    if this.no == 1:
        if late_entries.are_open(tournament, now):
            return
        if late_entries.seat_the_rest(tournament, now):
            timing.save(tournament)
            return
        late_entries.give_back(tournament, now)
        if _is_break(tournament, this, now):
            return
        prize_pool.freeze(tournament, now)
    this.finished_at = now
    this.save(update_fields=["finished_at"])
    if this.is_final:
        results.place_finalists(this)
        _finish(tournament, now)
    else:
        results.place_the_out(this)
        last = _last_round(tournament, this)
        if len(last.ranked) > kind.last_standing:
            open_round(tournament, kind.next_tables(tournament, last), now)
        else:  # Without any, all qualifiers were removed.
            results.place_the_last(this)
            _finish(tournament, now)
    timing.save(tournament)


def _is_break(tournament: LockedTournament, this: Round, now: datetime) -> bool:
    """Begin the break in which the add-on is sold; return whether it goes on (RB 10.6)."""
    if not tournament.addon_minor or this.is_final:
        return False
    if tournament.addon_until is None:
        tournament.addon_until = now + timedelta(minutes=tournament.addon_minutes)
        timing.save(tournament)
        notify_of_break(tournament, now)
    return timing.addon_is_open(tournament, now)


def is_time_over(tournament: Tournament, this: Round, now: datetime) -> bool:
    """Return whether the round's time limit has passed; outages extend it."""
    return this.ends_at is not None and timing.has_passed(tournament, this.ends_at, now)


def stop_new_deals(tournament: LockedTournament, now: datetime) -> None:
    """Apply the round's time limit: each table finishes its current deal and plays no other."""
    this = tournament.rounds.get(no=tournament.round_no)
    tables = Table.objects.live().filter(round_table__round=this)
    for pk in tables.order_by("pk").values_list("pk", flat=True):
        hosted.make_last_deal(table_id=pk, now=now)
    wait_on(tournament, now)


def wait_on(tournament: LockedTournament, now: datetime) -> None:
    """Set the timer to the next end of this round: late entry's, then the time limit's."""
    assert tournament.due_at is not None, "the timer has just passed"
    opened = tournament.rounds.get(no=tournament.round_no)
    later = (end for end in _ends(tournament, opened) if end > tournament.due_at)
    tournament.due_at = min(later, default=None)
    if opened.no == 1:
        late_entries.seat_the_rest(tournament, now)
        _end_rejoins(tournament, now)


def _ends(tournament: Tournament, opened: Round) -> list[datetime]:
    """Return the ends of late entry, of rejoins and of the round's time limit, if any."""
    ends = [opened.ends_at]
    if opened.no == 1:
        ends += [late_entries.closes_at(tournament), timing.rejoins_end(tournament)]
    return [end for end in ends if end is not None]


def _end_rejoins(tournament: LockedTournament, now: datetime) -> None:
    """Close the rejoins of all tables once their period is over (RB 10.6)."""
    end = timing.rejoins_end(tournament)
    is_over = end is not None and timing.has_passed(tournament, end, now)
    if is_over and tournament.frozen_at is None:
        prize_pool.close_rejoins(tournament)


def _locked(round_table_id: int) -> tuple[LockedTournament, RoundTable] | None:
    """Lock the tournament, or return None if it is locked; the sweep tries again."""
    tournament = lock_if_free(Tournament.objects.filter(rounds__round_tables=round_table_id))
    if tournament is None or tournament.is_over:
        return None
    tables = RoundTable.objects.select_related("round", "table")
    return tournament, tables.get(pk=round_table_id)


def _last_round(tournament: Tournament, this: Round) -> LastRound:
    return LastRound(
        next_no=this.no + 1,
        seed=bytes.fromhex(tournament.revealed_seed),
        ranked=results.qualifiers(this),
        met_at=dict(this.seatings.values_list("entry", "round_table__no")),
        had_byes=results.had_byes(tournament),
    )


def _finish(tournament: LockedTournament, now: datetime) -> None:
    prize_pool.pay(tournament)
    tournament.entries.filter(state__in=[Entry.State.PLAYING, Entry.State.QUALIFIED]).update(
        state=Entry.State.FINISHED
    )
    tournament.state, tournament.finished_at = Tournament.State.FINISHED, now
    timing.arm(tournament, None, now)
