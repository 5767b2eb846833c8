"""Byes: at most one per player, and none for removed players (RB 10.1, 10.4)."""

import pytest

from tests.builders.tables.making import make_player
from tests.builders.tournaments.outcomes import check_the_end
from tests.builders.tournaments.tournaments import (
    again,
    enter,
    make_tournament,
    play_and_record,
    play_to_the_end,
    start,
    tick,
)
from tests.builders.wallet.tax_office import unguarded
from tournaments.entries.models import Entry
from tournaments.planning.models import Tournament
from tournaments.rounds import clock, results, staff_actions

pytestmark = pytest.mark.django_db


def heads_up(entrants):
    tournament = make_tournament(seats=2, final_seats=2)
    enter(tournament, entrants)
    return tournament


def remove(entry):
    staff_actions.remove(entry_id=entry.pk, by=make_player(is_staff=True), reason="Two accounts")


def alone_in(tournament, no):
    """Return the entry that has a bye in this round."""
    tables = tournament.rounds.get(no=no).round_tables.all()
    [lone] = [table for table in tables if table.seatings.count() == 1]
    return lone.seatings.select_related("entry").get().entry


def rounds_of(entry):
    return list(entry.seatings.order_by("round__no").values_list("round__no", flat=True))


def test_best_qualifier_who_had_a_bye_gets_no_second_one():
    tournament = start(heads_up(5))
    play_and_record(tournament)
    this = tournament.rounds.get(no=1)
    # Players with a game are behind by their score, independent of the draw.
    with unguarded():
        assert this.seatings.filter(round_table__table__isnull=False).update(total=10) == 4

    tournament = tick(tournament)

    assert results.qualifiers(this)[0] == alone_in(tournament, 1)
    assert alone_in(tournament, 2) not in (alone_in(tournament, 1), None)


@pytest.mark.extended
def test_player_removed_before_a_bye_is_out_in_that_round():
    tournament = heads_up(5)
    clock.apply_overdue(tournament_id=tournament.pk, now=tournament.starts_at)
    removed = alone_in(tournament, 1)

    remove(removed)
    tournament = play_to_the_end(tick(tournament))

    removed.refresh_from_db()
    assert (rounds_of(removed), removed.state, removed.out_in_round) == ([1], "out", 1)
    assert removed.place > 2
    check_the_end(tournament)


@pytest.mark.extended
def test_player_removed_after_qualifying_gets_no_bye():
    tournament = start(heads_up(6))
    play_and_record(tournament)
    through = list(tournament.entries.filter(state=Entry.State.QUALIFIED).order_by("draw_no"))
    assert len(through) == 3

    remove(through[0])
    tournament = tick(tournament)

    assert alone_in(tournament, 2) != through[0]
    tournament = play_to_the_end(tick(tournament))
    assert rounds_of(through[0]) == [1, 2]
    check_the_end(tournament)


def test_tournament_with_all_players_removed_pays_its_pool():
    tournament = heads_up(5)
    clock.apply_overdue(tournament_id=tournament.pk, now=tournament.starts_at)
    for entry in tournament.entries.all():
        remove(entry)

    for _ in range(3):
        tick(tournament)

    tournament = again(tournament)
    assert tournament.state == Tournament.State.FINISHED
    check_the_end(tournament)
