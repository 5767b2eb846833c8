"""Races and balanced knock-outs, played to their end through the services (RB 10.8 to 10.10)."""

from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction

from tables.models.seats import Score
from tables.seats import seating as seats
from tests.builders.tables.making import make_player
from tests.builders.tables.playing import reread
from tests.builders.tournaments.outcomes import check_the_end
from tests.builders.tournaments.played_contests import BALANCED, RACE, balanced, race, run_race
from tests.builders.tournaments.tournaments import (
    enter,
    make_template,
    make_tournament,
    play_round,
    play_table,
    start,
    step,
    tables_of,
    tick,
)
from tournaments.entries.models import Seating
from tournaments.exceptions import BadTerms
from tournaments.planning.opening import check_terms
from tournaments.rounds import staff_actions
from tournaments.rounds.draw import draw_order

pytestmark = pytest.mark.django_db


def sums(tournament):
    return Seating.objects.filter(round__tournament=tournament).sums()


def open_seatings(tournament):
    """Return the seatings of players who play at a table now."""
    return Seating.objects.filter(round__tournament=tournament, left_at=None)


def drop_once(table):
    """Let players act until one of them drops; return that player."""
    while True:
        before = set(dropped_at(table))
        step(reread(table))
        if gone := set(dropped_at(table)) - before:
            return gone.pop()


def dropped_at(table):
    deal = table.deals.get()
    texts = deal.moves.filter(text__endswith=" drop").values_list("seat__player", flat=True)
    return list(texts)


@pytest.mark.parametrize("entrants", [2, 3, 5, 7])
def test_balanced_knockout_ends_with_one_player_and_pays_its_pool(entrants):
    tournament = balanced(entrants)

    check_the_end(tournament)
    for this in tournament.rounds.all():
        sizes = [table.seatings.count() for table in this.round_tables.all()]
        assert max(sizes) - min(sizes) <= 1
        assert len(sizes) == -(-sum(sizes) // BALANCED["seats"])
    scores = sums(tournament)
    first, *others = tournament.entries.order_by("place", "draw_no")
    assert scores[first.pk] < 81 <= min(scores[entry.pk] for entry in others)
    # Later rounds rank before earlier ones, and in a round lower totals.
    ranks = [(-(entry.out_in_round or 0), scores[entry.pk]) for entry in others]
    assert ranks == sorted(ranks)


def test_who_moves_follows_from_the_published_seed():
    tournament = balanced(7)
    seed = bytes.fromhex(tournament.revealed_seed)
    first, second = tournament.rounds.filter(no__lte=2).order_by("no")
    before = dict(first.seatings.values_list("entry__public_id", "round_table__no"))
    after = dict(second.seatings.values_list("entry__public_id", "round_table__no"))

    order = draw_order(seed, [str(entry) for entry in after], label="balance:2")

    by_table = {}
    for entry in after:
        by_table.setdefault(before[entry], []).append(str(entry))
    for table, players in by_table.items():
        new_homes = [after[key] for key in after if str(key) in players]
        stayed_at = max(set(new_homes), key=new_homes.count)
        moved = [str(key) for key in after if str(key) in players and after[key] != stayed_at]
        expected = [entry for entry in order if entry in players][: len(moved)]
        assert sorted(moved) == sorted(expected), table


@pytest.mark.parametrize("entrants", [2, 3, 5, 7])
def test_race_lasts_its_time_and_pays_by_net_points(entrants):
    tournament = race(entrants)

    check_the_end(tournament)
    scores = sums(tournament)
    assert sum(scores.values()) == 0
    entries = list(tournament.entries.order_by("place", "draw_no"))
    ordered = [scores[entry.pk] for entry in entries]
    assert ordered == sorted(ordered, reverse=True)
    for entry in entries:
        assert entry.tied == ordered.count(scores[entry.pk])


def test_race_seats_a_player_elsewhere_at_once_after_a_drop():
    tournament = make_tournament(**RACE)
    enter(tournament, 6)
    tournament = start(tournament)
    one, other = tables_of(tournament)

    leavers = [drop_once(one), drop_once(other)]
    tournament = tick(tournament)
    waiting = tournament.entries.filter(player__in=leavers)
    assert not open_seatings(tournament).filter(entry__in=waiting).exists()
    later = timedelta(seconds=21)
    tournament = tick(tournament, tournament.started_at + timedelta(minutes=1) + later)

    *_, new = tables_of(tournament)
    assert set(new.seats.values_list("player", flat=True)) == set(leavers)
    # Their first deals go on without them, and nobody plays at two tables.
    assert not reread(one).is_over
    players = list(open_seatings(tournament).values_list("entry", flat=True))
    assert len(players) == len(set(players)) == 6
    check_the_end(run_race(tournament))


def test_player_may_leave_the_old_table_of_a_race_after_a_drop():
    tournament = make_tournament(**RACE)
    enter(tournament, 6)
    tournament = start(tournament)
    table, _ = tables_of(tournament)
    player = drop_once(table)
    tournament = tick(tournament)

    seats.leave(seat_id=table.seats.get(player=player).pk)
    play_table(table)
    tournament = tick(tournament)

    entry = tournament.entries.get(player=player)
    assert (entry.state, entry.seatings.get(round_table__table=table).qualified) == (
        "playing",
        True,
    )
    check_the_end(run_race(tournament))


def test_database_refuses_a_second_table_at_the_same_time():
    tournament = make_tournament(**RACE)
    enter(tournament, 6)
    tournament = start(tournament)
    seated = open_seatings(tournament).first()
    elsewhere = tournament.rounds.get().round_tables.exclude(pk=seated.round_table_id).get()

    with pytest.raises(IntegrityError, match="tournaments_seating_once"), transaction.atomic():
        Seating.objects.create(round=seated.round, round_table=elsewhere, entry=seated.entry)


def test_deal_in_progress_at_the_end_of_a_race_counts_and_no_other_begins():
    tournament = make_tournament(**RACE)
    enter(tournament, 3)
    tournament = start(tournament)
    [table] = tables_of(tournament)

    tournament = tick(tournament, tournament.rounds.get().ends_at)
    assert (tournament.state, reread(table).is_over) == ("running", False)
    tournament = run_race(tournament)

    assert tournament.rounds.get().round_tables.count() == 1
    assert Score.objects.filter(table=table).count() == 3
    check_the_end(tournament)


@pytest.mark.parametrize("kind", ["race", "balanced"])
def test_player_who_leaves_or_is_removed_ranks_last_and_is_not_seated_again(kind):
    tournament = make_tournament(**(RACE if kind == "race" else BALANCED))
    enter(tournament, 6)
    tournament = start(tournament)
    one, other = tables_of(tournament)
    leaver, removed = one.seats.first(), other.seats.first()
    seats.leave(seat_id=leaver.pk)
    entry = tournament.entries.get(player=removed.player)
    staff_actions.remove(entry_id=entry.pk, by=make_player(is_staff=True), reason="Two accounts")

    tournament = run_race(tournament) if kind == "race" else run_balanced(tournament)

    check_the_end(tournament)
    gone = tournament.entries.filter(player__in=[leaver.player, removed.player])
    assert [each.seatings.count() for each in gone] == [1, 1]
    if kind == "race":
        assert min(gone.values_list("place", flat=True)) == 5


def run_balanced(tournament):
    for _ in range(60):
        tournament = play_round(tournament)
        if tournament.is_over:
            return tournament
    raise AssertionError("the tournament has not ended")


@pytest.mark.parametrize(
    ("terms", "reason"),
    [
        ({"kind": "race"}, "minutes that the race lasts"),
        ({"kind": "race", "round_minutes": 5, "late_minutes": 2}, "rejoins, late entry and add-on"),
        ({"kind": "balanced", "rejoins": True}, "rejoins, late entry and add-on"),
        ({"kind": "balanced", "round_minutes": 9}, "no time limit"),
        ({"kind": "shootout", "qualify": 2, "seats": 3}, "qualifiers to 1"),
    ],
)
def test_terms_that_contradict_the_kind_are_refused(terms, reason):
    with pytest.raises(BadTerms, match=reason):
        check_terms(make_template(**terms))
