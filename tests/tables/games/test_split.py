"""Splits of a pool through services and ledger: RB 7.4 and every figure of RB 7.8."""

import pytest
from rest_framework.test import APIClient

from tables.bots import bots
from tables.exceptions import AnswerGiven, NoSplit, SplitProposed, WindowClosed
from tables.models.tables import Table
from tables.play import answering
from tables.seats import seating
from tables.settlement.models import Result, Window
from tables.view.table_view import table_view
from tests.builders.tables.deals import drop_out
from tests.builders.tables.making import make_rules, make_table
from tests.builders.tables.playing import deal_at, reread
from tests.builders.tables.points_tables import make_points_game
from tests.builders.tables.pools import (
    NO,
    OUT,
    YES,
    agree,
    let_time_pass,
    make_pool,
    make_rich_player,
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


def test_a_split_pays_drops_and_the_rest_in_equal_parts():
    table = seven_entries()
    score(table, 20, 55, 92, OUT, OUT, OUT)
    nobody_rejoins(table)

    agree(table, 3)

    assert_paid(table, [390_00, 210_00, 30_00], ending="split")


def test_without_any_drop_left_the_split_is_made_at_once():
    table = seven_entries(entry_minor=250_00, rake_bps=1_200)

    score(table, 85, 90, 99, OUT, OUT, OUT)

    assert_paid(table, [513_34, 513_33, 513_33], ending="auto_split")
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

    players = [seat_no(table, number).player for number in (1, 2)]
    may = [table_view(reread(table), player).me.may_propose_split for player in players]
    assert may == [False, True]
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


def test_an_eliminated_player_who_leaves_does_not_end_a_split(three_may_split):
    table = three_may_split
    propose(table, 1)

    seating.leave(seat_id=seat_no(table, 4).pk)

    assert reread(table).phase == Table.Phase.SPLIT
    say(table, 2, YES)
    say(table, 3, YES)
    assert reread(table).ending == "split"


def test_only_pools_are_split():
    table = make_points_game()
    drop_out(table)

    assert reread(table).phase == Table.Phase.BETWEEN
    with pytest.raises(NoSplit):
        answering.propose_split(seat_id=table.seats.first().pk)


def ready(table, number):
    answering.be_ready(seat_id=seat_no(table, number).pk)
    return reread(table)


def line(table, number, viewer=None):
    view = table_view(reread(table), viewer or seat_no(table, number).player)
    mine = next(seat for seat in view.seats if seat.number == number)
    return mine.is_ready, view.me.may_be_ready


def test_the_next_deal_comes_when_the_last_person_is_ready():
    table = score(make_pool(players=3), 0, 20, 30)
    assert (table.phase, table.deal_no) == (Table.Phase.BETWEEN, 1)
    assert line(table, 1) == (False, True)

    table = ready(table, 1)
    table = ready(table, 2)
    version = table.version
    assert (table.phase, line(table, 1), line(table, 3)) == (
        "between",
        (True, False),
        (False, True),
    )
    assert ready(table, 2).version == version  # The same again changes nothing.
    table = ready(table, 3)

    assert (table.phase, table.deal_no) == (Table.Phase.PLAYING, 2)
    view = table_view(table, seat_no(table, 1).player)
    assert [seat.is_ready for seat in view.seats] == [False] * 3
    table = score(table, 0, 40, 60)  # Being ready was for that deal alone.
    assert line(table, 1) == (False, True)


def test_players_who_are_out_are_not_awaited_and_bots_are_ready_at_once():
    table = score(make_pool(players=3, rules=make_rules(gap_seconds=60, rejoin=False)), 0, 20, 101)
    ready(table, 1)
    ready(table, 3)  # This seat is out, so it does not count.
    assert reread(table).phase == Table.Phase.BETWEEN
    assert not line(table, 3)[1]
    assert ready(table, 2).phase == Table.Phase.PLAYING

    table = make_table(rules=make_rules(gap_seconds=60), bots_fill=True)
    person = make_rich_player(500_00)
    for player in (person, *bots.bots_for(table, 1)):
        seating.join(table_id=table.pk, player=player)
    drop_out(table)
    mine = reread(table).seats.get(player=person)
    assert {seat.is_ready for seat in table_view(reread(table), person).seats} == {True, False}
    assert ready(table, mine.number).phase == Table.Phase.PLAYING


def test_rules_may_keep_the_gap_whole_and_a_press_that_comes_late_does_nothing():
    table = score(make_pool(players=2, rules=make_rules(gap_seconds=60, gap_ready=False)), 0, 20)
    assert line(table, 1) == (False, False)
    ready(table, 1)
    assert ready(table, 2).phase == Table.Phase.BETWEEN

    playing = make_pool(players=2)
    assert ready(playing, 1).version == playing.version


def test_the_api_marks_a_seated_player_as_ready_and_no_other():
    table = score(make_pool(players=2), 0, 20)
    address = f"/api/v1/tables/{table.public_id}/ready/"
    client = APIClient()
    client.force_authenticate(seat_no(table, 1).player)

    answer = client.post(address)
    assert (answer.status_code, answer.json()["me"]["may_be_ready"]) == (200, False)
    client.force_authenticate(make_rich_player(1_00))
    assert client.post(address).status_code == 404
