"""Splits of a pool through services and ledger: RB 7.4 and every figure of RB 7.8."""

import pytest

from tables.exceptions import AnswerGiven, NoSplit, SplitProposed, WindowClosed
from tables.models.tables import Table
from tables.play import answering
from tables.seats import seating
from tables.settlement.models import Result, Window
from tests.amounts import first
from tests.builders.tables.deals import drop_out
from tests.builders.tables.playing import deal_at, reread
from tests.builders.tables.points_tables import make_points_game
from tests.builders.tables.pools import (
    NO,
    OUT,
    YES,
    agree,
    let_time_pass,
    make_pool,
    nobody_rejoins,
    prizes,
    propose,
    say,
    score,
    seat_no,
)
from tests.builders.tables.shared import shared
from wallet.audit.audit import row_findings
from wallet.ledger.models import Transfer
from wallet.stakes.models import Stake

pytestmark = pytest.mark.django_db


@shared
def two_may_split():
    return score(make_pool(players=3), 60, 81, OUT)


@shared
def three_may_split():
    return score(make_pool(players=4), 80, 80, 81, OUT)


@shared
def six_of_seven():
    return seven_entries()


def seven_entries(*, entry_minor=100_00, rake_bps=1_000):
    """Six start and one of them rejoins: seven entries, and six players in deal 2."""
    table = make_pool(players=6, entry_minor=entry_minor, rake_bps=rake_bps)
    score(table, 0, 0, 0, 0, 0, OUT)
    say(table, 6, YES)
    return table


def assert_paid(table, shares, *, ending):
    table = reread(table)
    assert (table.phase, table.ending) == (Table.Phase.FINISHED, ending)
    assert prizes(table)[: len(shares)] == shares
    assert set(prizes(table)[len(shares) :]) <= {0}
    assert table.escrow.balance_minor == 0
    assert not Stake.objects.in_escrow().exists()
    paid = Transfer.objects.get(key=f"finish:{table.pk}").entries
    assert sum(shares) == sum(
        paid.filter(account__kind="winnings").values_list("amount_minor", flat=True)
    )
    assert row_findings() == ()


@pytest.mark.parametrize(
    ("totals", "shares"),
    first(  # `tests/rummy/money/test_pool.py` has every figure.
        2,
        [
            ([20, 55, 92], [390_00, 210_00, 30_00]),
            ([40, 81], [450_00, 180_00]),
            ([12, 60, 60], [330_00, 150_00, 150_00]),
            ([0, 1], [360_00, 270_00]),
        ],
    ),
)
def test_a_split_pays_drops_and_the_rest_in_equal_parts(totals, shares, six_of_seven):
    table = six_of_seven
    score(table, *totals, *[OUT] * (6 - len(totals)))
    nobody_rejoins(table)

    agree(table, len(totals))

    assert_paid(table, shares, ending="split")


@pytest.mark.parametrize(
    ("entry_minor", "rake_bps", "shares"),
    first(1, [(250_00, 1_200, [513_34, 513_33, 513_33]), (100_00, 1_000, [210_00] * 3)]),
)
def test_without_any_drop_left_the_split_is_made_at_once(entry_minor, rake_bps, shares):
    table = seven_entries(entry_minor=entry_minor, rake_bps=rake_bps)

    score(table, 85, 90, 99, OUT, OUT, OUT)

    assert_paid(table, shares, ending="auto_split")
    assert not Window.objects.filter(kind="split").exists()
    places = Result.objects.filter(table=table).order_by("seat__number")
    assert list(places.values_list("place", flat=True)) == [1, 2, 3, 4, 4, 4]


def test_a_rest_below_one_entry_is_not_split(pool_of_four):
    table = pool_of_four
    score(table, 0, 100, OUT, OUT)

    with pytest.raises(NoSplit):
        propose(table, 1)

    assert reread(table).phase == Table.Phase.BETWEEN
    assert not Window.objects.exists()


@pytest.mark.parametrize(("said", "outcome"), [(NO, "refused"), (None, "expired")])
def test_a_no_or_no_answer_resumes_the_pause_where_it_was(said, outcome, two_may_split):
    table = two_may_split
    deal = deal_at(table)
    gap_left = (reread(table).due_at - reread(table).armed_at).total_seconds()
    window = propose(table, 1)
    assert reread(table).phase == Table.Phase.SPLIT

    if said:
        say(table, 2, said)
    else:
        let_time_pass(table)

    table = reread(table)
    assert (table.phase, table.window_id) == (Table.Phase.BETWEEN, None)
    assert gap_left - 30 < (table.due_at - table.armed_at).total_seconds() < gap_left
    assert Window.objects.get(pk=window.pk).outcome == outcome
    if not said:
        with pytest.raises(WindowClosed):
            answering.answer(seat_id=seat_no(table, 2).pk, window_id=window.public_id, said=YES)
    let_time_pass(table)
    assert (reread(table).phase, deal_at(table).no) == (Table.Phase.PLAYING, deal.no + 1)
    assert not Transfer.objects.filter(key=f"finish:{table.pk}").exists()


def test_everybody_may_propose_once_in_a_gap(two_may_split):
    table = two_may_split
    opened = propose(table, 1)
    assert propose(table, 1).pk == opened.pk
    with pytest.raises(NoSplit):
        propose(table, 2)
    say(table, 2, NO)

    with pytest.raises(SplitProposed):
        propose(table, 1)
    second = propose(table, 2)

    assert second.proposed_by == seat_no(table, 2)
    with pytest.raises(NoSplit):
        propose(table, 3)


def test_the_same_answer_again_is_harmless_and_another_is_refused(three_may_split):
    table = three_may_split
    window = propose(table, 1)

    say(table, 2, YES)
    say(table, 2, YES)
    with pytest.raises(AnswerGiven):
        say(table, 2, NO)
    say(table, 3, YES)

    # The answer that ended the game reads the same when it is sent again.
    answering.answer(seat_id=seat_no(table, 3).pk, window_id=window.public_id, said=YES)
    assert Transfer.objects.filter(key=f"finish:{table.pk}").count() == 1
    assert reread(table).ending == "split"


def test_a_survivor_who_leaves_ends_the_split_and_loses_their_share(three_may_split):
    table = three_may_split
    propose(table, 1)

    seating.leave(seat_id=seat_no(table, 2).pk)

    table = reread(table)
    assert table.phase == Table.Phase.BETWEEN
    assert Window.objects.get(kind="split").outcome == "withdrawn"
    agree_again = answering.propose_split(seat_id=seat_no(table, 3).pk)
    # P 360, drops 1 and 0: the entry of who left is still in it.
    assert sorted(a.amount_minor for a in agree_again.answers.all()) == [135_00, 225_00]


def test_when_only_one_is_left_during_a_split_they_take_it_all(two_may_split):
    table = two_may_split
    propose(table, 1)

    seating.leave(seat_id=seat_no(table, 1).pk)

    assert_paid(table, [0, 270_00, 0], ending="won")


def test_an_eliminated_player_who_leaves_does_not_end_a_split(three_may_split):
    table = three_may_split
    propose(table, 1)

    seating.leave(seat_id=seat_no(table, 4).pk)

    assert reread(table).phase == Table.Phase.SPLIT
    say(table, 2, YES)
    say(table, 3, YES)
    assert reread(table).ending == "split"


def test_a_leaver_in_the_gap_can_bring_the_automatic_split_about():
    table = make_pool(players=5)
    score(table, 85, 90, 95, 99, OUT)
    assert reread(table).phase == Table.Phase.BETWEEN

    seating.leave(seat_id=seat_no(table, 4).pk)

    assert_paid(table, [150_00, 150_00, 150_00], ending="auto_split")


def test_only_pools_are_split():
    table = make_points_game()
    drop_out(table)

    assert reread(table).phase == Table.Phase.BETWEEN
    with pytest.raises(NoSplit):
        answering.propose_split(seat_id=table.seats.first().pk)
