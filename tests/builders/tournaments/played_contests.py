"""Tournaments of each kind, played through the services."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any, Final

from core.clock import database_now
from rummy import PROFILES
from tables.models.tables import Table
from tables.seats import seating
from tests.builders.people.regions import region_open
from tests.builders.tables.making import NO_PAUSES, make_player, make_rules
from tests.builders.tables.played_games import HARD, all_drop_but
from tests.builders.tables.playing import seat_at
from tests.builders.tables.pools import YES, let_time_pass, say
from tests.builders.tournaments.tickets import a_ticket, register_with
from tests.builders.tournaments.tournaments import (
    enter,
    make_sit_and_go,
    make_template,
    make_tournament,
    play_round,
    play_table,
    play_to_the_end,
    play_whole_table,
    start,
    tables_of,
    tick,
)
from tournaments.entries.models import Entry
from tournaments.lobby import registration
from tournaments.planning.models import Tournament
from tournaments.rounds import staff_actions, stopping


def played(entrants: int, play: Callable[[Table], Table] = play_table, **terms: Any) -> Tournament:
    tournament = make_tournament(**terms)
    enter(tournament, entrants)
    return play_to_the_end(start(tournament), play)


RACE: Final = {"kind": "race", "round_minutes": 10, "seats": 3, "final_seats": 3}
BALANCED: Final = {"kind": "balanced", "seats": 3, "final_seats": 3}


def balanced(entrants: int = 7) -> Tournament:
    """A knock-out with balanced tables of three; two first drops eliminate a player."""
    tournament = make_tournament(**BALANCED)
    enter(tournament, entrants)
    tournament = start(tournament)
    while not tournament.is_over:
        tournament = play_round(tournament)
    return tournament


def race(entrants: int = 7) -> Tournament:
    """A points race in which six times all tables are played."""
    tournament = make_tournament(**RACE)
    enter(tournament, entrants)
    tournament = start(tournament)
    for _ in range(6):
        tournament = play_round(tournament)
    return run_race(tournament)


def run_race(tournament: Tournament) -> Tournament:
    """Let the time of a race pass, and finish its deals in progress."""
    end = tournament.rounds.get().ends_at
    assert end is not None, "a race has an end"
    while not tournament.is_over:
        tournament = tick(tournament, end)
        for table in tables_of(tournament):
            play_table(table)
    return tournament


def two_rounds() -> Tournament:
    """Six entrants at two tables and a final of two, without an overlay."""
    return played(6, play_whole_table, prize_bps=[5000, 3000, 2000], final_seats=2)


def in_the_final() -> Tournament:
    tournament = make_tournament(prize_bps=[5000, 3000, 2000], final_seats=2)
    enter(tournament, 6)
    return play_round(start(tournament))


def in_round_one() -> Tournament:
    tournament = make_tournament(guarantee_minor=1_000_00)
    enter(tournament, 5)
    return start(tournament)


def with_byes() -> Tournament:
    return played(5, seats=2, final_seats=2)


def guaranteed() -> Tournament:
    return played(5, guarantee_minor=1_000_00)


def with_late_entries() -> Tournament:
    """Return seven drawn entries, and three late ones at a separate table."""
    tournament = make_tournament(late_minutes=20)
    enter(tournament, 7)
    tournament = start(tournament)
    enter(tournament, 3)
    return tick(tournament)


def satellite() -> Tournament:
    """Prizes of two tickets and money; one of the tickets is used."""
    with region_open("IN-KA"):
        played, main, [used, _] = a_ticket()
        register_with(used, main)
    return played


def tied_satellite() -> Tournament:
    """Three entrants, two of them tied second: a ticket, and money that they share."""
    main = make_template(entry_minor=200_00, rake_bps=0)
    return played(3, awards=main)


def satellite_tied_for_a_ticket() -> Tournament:
    """Five tied behind the winner: a second ticket for one, and money that the others share."""
    main = make_template(entry_minor=200_00, rake_bps=0)
    return played(6, awards=main, seats=6, final_seats=6)


def aborted() -> Tournament:
    return abort(in_the_final())


def aborted_with_some_out() -> Tournament:
    """Aborted when one table of round 2 is finished and a player has left the other."""
    tournament = make_tournament(prize_bps=[4000, 2000, 2000, 1000, 1000], entrants_max=27)
    enter(tournament, 18)
    tournament = tick(play_round(start(tournament)))
    played, running = tables_of(tournament)
    play_table(played)
    tick(tournament)
    seating.leave(seat_id=running.seats.earliest("pk").pk)
    return abort(tournament)


def abort(tournament: Tournament) -> Tournament:
    one, other = (make_player(is_staff=True) for _ in range(2))
    act = stopping.ask_to_abort(tournament_id=tournament.pk, by=one, reason="Broken")
    return stopping.agree_to_abort(action_id=act.pk, by=other)


def cancelled() -> Tournament:
    tournament = make_tournament()
    enter(tournament, 3)
    staff = make_player(is_staff=True)
    return stopping.cancel(tournament_id=tournament.pk, by=staff, reason="Too few")


def with_one_removed() -> Tournament:
    """A player is removed after qualifying and leaves the table of round 2."""
    tournament = in_the_final()
    through = tournament.entries.filter(seatings__round__no=2).earliest("draw_no")
    staff = make_player(is_staff=True)
    staff_actions.remove(entry_id=through.pk, by=staff, reason="Two accounts")
    return play_to_the_end(tick(tournament))


def with_a_rejoin() -> Tournament:
    """Four players at one table with two qualifiers; one is eliminated and rejoins."""
    tournament = make_tournament(
        rules=make_rules(**HARD),
        rejoins=True,
        seats=4,
        qualify=2,
        final_seats=2,
        guarantee_minor=1_000_00,
        prize_bps=[10_000],
    )
    enter(tournament, 4)
    tournament = start(tournament)
    [table] = tables_of(tournament)
    out = seat_at(table, 1).number
    table = let_time_pass(all_drop_but(table, 4))
    table = all_drop_but(table, 1)
    assert table.phase == Table.Phase.REJOIN
    say(table, out, YES)
    return play_to_the_end(tournament)


def with_reentries() -> Tournament:
    """Seven entrants; three of the four eliminated and two late ones play at two late tables."""
    tournament = make_tournament(late_minutes=1, reentries_max=1)
    enter(tournament, 7)
    tournament = play_round(start(tournament))
    out = list(tournament.entries.filter(state=Entry.State.OUT).order_by("pk"))
    for entry in out[:3]:
        registration.reenter(tournament_id=tournament.pk, player=entry.player)
    enter(tournament, 2)
    return play_to_the_end(close_late_entry(tournament))


def close_late_entry(tournament: Tournament) -> Tournament:
    """Return the tournament after the end of late entry, with its last tables open."""
    earlier = database_now() - timedelta(minutes=tournament.late_minutes)
    Tournament.objects.filter(pk=tournament.pk).update(started_at=earlier)
    return tick(tick(tournament))


def in_the_break(**terms: Any) -> Tournament:
    """Return a tournament of chips whose four qualifiers of round 1 may buy the add-on."""
    base = PROFILES["total-rummy-best-of-2"]
    addon = {"addon_minor": 40_00, "addon_chips": 80, "addon_minutes": 5}
    heads_up = {"seats": 2, "qualify": 1, "final_seats": 2, "prize_bps": [6000, 4000]}
    tournament = make_tournament(
        rules=base.with_(name="best of 2 with an add-on", **NO_PAUSES), **heads_up | addon | terms
    )
    enter(tournament, 7)
    return tick(play_round(start(tournament), play_whole_table))


def after_the_break(tournament: Tournament) -> Tournament:
    Tournament.objects.filter(pk=tournament.pk).update(addon_until=database_now())
    return tick(tick(tournament))


def with_an_add_on() -> Tournament:
    """One of four qualifiers buys the add-on."""
    tournament = in_the_break()
    for entry in tournament.entries.filter(state=Entry.State.QUALIFIED).order_by("draw_no")[:1]:
        registration.add_on(entry_id=entry.pk)
    return play_to_the_end(after_the_break(tournament), play_whole_table)


def sit_and_go() -> Tournament:
    tournament = make_sit_and_go(entrants_max=3)
    enter(tournament, 3)
    return play_to_the_end(tick(tournament))


CONTESTS: Final[dict[str, tuple[Callable[[], Tournament], str]]] = {
    "two rounds": (two_rounds, "finished"),
    "in the final": (in_the_final, "running"),
    "in round one": (in_round_one, "running"),
    "with byes": (with_byes, "finished"),
    "guaranteed": (guaranteed, "finished"),
    "with late entries": (with_late_entries, "running"),
    "satellite": (satellite, "finished"),
    "tied satellite": (tied_satellite, "finished"),
    "satellite tied for a ticket": (satellite_tied_for_a_ticket, "finished"),
    "aborted": (aborted, "aborted"),
    "aborted with some out": (aborted_with_some_out, "aborted"),
    "cancelled": (cancelled, "cancelled"),
    "with one removed": (with_one_removed, "finished"),
    "with a rejoin": (with_a_rejoin, "finished"),
    "with re-entries": (with_reentries, "finished"),
    "with an add-on": (with_an_add_on, "finished"),
    "balanced": (balanced, "finished"),
    "race": (race, "finished"),
    "sit and go": (sit_and_go, "finished"),
}
"""The builder and the final state of each kind."""
