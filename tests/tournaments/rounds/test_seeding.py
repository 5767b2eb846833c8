"""Places, qualifiers and seeding of the next round (RB 10.1, 10.2)."""

from contextlib import nullcontext

import pytest
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from rummy import PROFILES
from tables.models.tables import Table
from tables.seats import hosted
from tables.state.locks import lock_tables
from tests.builders.tables.making import NO_PAUSES, make_player, make_rules
from tests.builders.tables.pools import OUT, score
from tests.builders.tournaments.outcomes import check_the_end
from tests.builders.tournaments.tournaments import (
    again,
    enter,
    make_tournament,
    play_and_record,
    play_to_the_end,
    start,
    tables_of,
    tick,
)
from tests.builders.wallet.adjustments import make_staff
from tests.builders.wallet.tax_office import unguarded
from tournaments.entries.models import Entry, RoundTable, Seating
from tournaments.planning.models import StaffAction, Tournament
from tournaments.rounds import clock, results, rounds, staff_actions, stopping
from wallet.audit.audit import row_findings

pytestmark = pytest.mark.django_db

# Place and score at the table, by the number of the draw.
PLAYED = {1: (2, 50), 2: (1, 30), 3: (1, 20), 4: (2, 50), 5: (3, 0), 6: (3, 0)}


def seeded(**terms):
    """Return the draw numbers in the seating order of the next round."""
    tournament = make_tournament(seats=3, qualify=2, final_seats=2, **terms)
    enter(tournament, 6)
    tournament = start(tournament)
    this = tournament.rounds.get(no=1)
    seatings = list(this.seatings.select_related("entry"))
    for seating in seatings:
        seating.place, seating.total = PLAYED[seating.entry.draw_no]
        seating.qualified = seating.place < 3
    assert Seating.objects.bulk_update(seatings, ["place", "total", "qualified"]) == 6
    return [entry.draw_no for entry in results.qualifiers(this)]


def test_qualifiers_of_pools_are_seeded_by_place_then_lower_total_then_draw():
    assert seeded() == [3, 2, 1, 4]


def test_qualifiers_of_games_for_chips_are_seeded_by_place_then_more_chips_then_draw():
    base = PROFILES["total-rummy-best-of-2"]

    order = seeded(rules=base.with_(name="best of 2 in a seeded tournament", **NO_PAUSES))

    assert order == [2, 3, 1, 4]


def test_last_seat_of_the_next_round_goes_to_the_tied_player_who_lost_less_in_the_last_deal():
    terms = {"seats": 3, "qualify": 2, "final_seats": 2}
    tournament = make_tournament(rules=make_rules(gap_seconds=60), **terms)
    enter(tournament, 6)
    table = tables_of(start(tournament))[0]
    draw = dict(tournament.entries.values_list("player", "draw_no"))
    first, *tied = table.seats.in_seat_order()
    earlier, later = sorted(tied, key=lambda seat: draw[seat.player_id])

    for totals in ({earlier: 40, later: 60}, {earlier: OUT, later: OUT}):
        score(table, 0, *(totals[seat] for seat in tied))
    rounds.take_result(round_table_id=table.round_table.pk)

    found = table.round_table.seatings.order_by("place", "last_points")
    assert list(found.values_list("entry__player", "place", "last_points", "qualified")) == [
        (first.player_id, 1, 0, True),
        (later.player_id, 2, OUT - 60, True),
        (earlier.player_id, 2, OUT - 40, False),
    ]


def test_players_of_a_table_that_was_stopped_are_placed_by_who_lasted_longer():
    tournament = make_tournament(rules=make_rules(gap_seconds=60), seats=4, final_seats=4)
    enter(tournament, 8)
    table = tables_of(start(tournament))[0]
    score(table, 0, 20, 40, OUT)
    score(table, 0, 20, OUT)
    with transaction.atomic():
        [locked] = lock_tables(Table.objects.filter(pk=table.pk))
        hosted.stop_table(locked, timezone.now())

    rounds.take_result(round_table_id=table.round_table.pk)

    placed = table.round_table.seatings.order_by("place").values_list("place", "entry__player")
    in_order = table.seats.in_seat_order().values_list("player", flat=True)
    assert list(placed) == list(enumerate(in_order, start=1))


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


KEPT = "is over|once|keeps its terms"
CHANGES = [
    "UPDATE tournaments_entry SET place = place + 1",
    "UPDATE tournaments_entry SET prize_minor = prize_minor + 1",
    "UPDATE tournaments_entry SET state = 'released'",
    "UPDATE tournaments_seating SET place = 1, qualified = NOT qualified",
    "UPDATE tournaments_seating SET total = 0",
    "UPDATE tournaments_round SET finished_at = NULL",
    "UPDATE tournaments_roundtable SET table_id = NULL, finished_at = NULL",
    "UPDATE tournaments_tournament SET state = 'aborted'",
    "UPDATE tournaments_tournament SET state = 'running', finished_at = NULL",
    "UPDATE tournaments_tournament SET prize_minor = prize_minor + 1",
]
OF_THE_OWNER = [
    "DELETE FROM tournaments_seating",
    "INSERT INTO tournaments_entry SELECT (e).* FROM (SELECT e FROM tournaments_entry AS e) AS t",
    "INSERT INTO tournaments_seating SELECT * FROM tournaments_seating",
    "INSERT INTO tournaments_round SELECT * FROM tournaments_round",
    "INSERT INTO tournaments_roundtable SELECT * FROM tournaments_roundtable",
    "DELETE FROM tournaments_roundtable",
]


@pytest.fixture
def ended():
    tournament = make_tournament(seats=3, final_seats=3)
    enter(tournament, 3)
    return play_to_the_end(start(tournament))


def test_rows_of_a_finished_tournament_cannot_change(ended, owner):
    assert ended.state == Tournament.State.FINISHED
    before = list(ended.entries.values_list("pk", "place", "prize_minor", "state"))

    for role, statements in ((nullcontext, CHANGES), (owner, CHANGES + OF_THE_OWNER)):
        for statement in statements:
            with role(), pytest.raises(IntegrityError, match=KEPT), transaction.atomic():
                connection.cursor().execute(statement)

    tick(ended)  # A late sweep has no effect.
    assert list(ended.entries.values_list("pk", "place", "prize_minor", "state")) == before
    assert row_findings() == ()


@pytest.mark.parametrize("change", ["done_at = NULL", "done_at = done_at + interval '1 day'"])
def test_carried_out_staff_action_cannot_change(change, owner):
    tournament = make_tournament()
    stopping.cancel(tournament_id=tournament.pk, by=make_staff(), reason="Too few")
    done_at = StaffAction.objects.get().done_at

    for role in (nullcontext, owner):
        with role(), pytest.raises(IntegrityError, match="done once"), transaction.atomic():
            connection.cursor().execute(f"UPDATE tournaments_staffaction SET {change}")

    assert StaffAction.objects.get().done_at == done_at is not None


def test_round_refuses_foreign_tables_and_players(owner):
    """Results of another table, and players of another tournament, are refused."""
    mine, other = (make_tournament(seats=3, final_seats=3, entrants_max=3) for _ in range(2))
    for tournament in (mine, other):
        enter(tournament, 3)
        start(tournament)
        tick(tournament)
    place, elsewhere = (
        RoundTable.objects.get(round__tournament=tournament) for tournament in (mine, other)
    )
    assert place.table_id != elsewhere.table_id is not None
    spare = RoundTable.objects.create(round=place.round, no=2, qualify=1)
    stranger = other.entries.first()

    for role in (nullcontext, owner):
        for name, moved, table in (
            ("1", place, elsewhere.table_id),
            ("2", spare, elsewhere.table_id),
        ):
            with (
                role(),
                pytest.raises(IntegrityError, match=f"round table {name} of round .* cannot use"),
                transaction.atomic(),
            ):
                RoundTable.objects.filter(pk=moved.pk).update(table=table)
        for seating in (
            Seating(round=place.round, round_table=place, entry=stranger),
            Seating(round=elsewhere.round, round_table=place, entry=stranger),
        ):
            with (
                role(),
                pytest.raises(IntegrityError, match=r"of another round|seating_once"),
                transaction.atomic(),
            ):
                seating.save(force_insert=True)
