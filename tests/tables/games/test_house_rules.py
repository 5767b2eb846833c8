"""House rules at a table: scores, misses, rejoins and splits as they are stored."""

from random import Random

import pytest

from rummy.notation.states import changed
from tables.models.tables import Table
from tables.settlement.models import Result, Window
from tables.state import fold as state
from tables.state.fold import Fold, fold_of
from tables.view.table_view import table_view
from tests.builders.tables.crowd import People
from tests.builders.tables.deals import settle, take_turn
from tests.builders.tables.making import make_rules
from tests.builders.tables.playing import deal_at, reread, seat_at
from tests.builders.tables.points_tables import WILD, hand_worth, play_deal
from tests.builders.tables.pools import OUT, make_pool, open_window, prizes, score
from tests.builders.tables.shared import shared
from wallet.audit.audit import row_findings
from wallet.stakes.models import Stake

pytestmark = pytest.mark.django_db


@shared
def pool_that_splits_from_40():
    return make_pool(players=4, rules=make_rules(gap_seconds=60, auto_split_from=40))


@shared
def pool_of_mild_losses():
    mild = {"least_loss": 4, "half_without_turn": True, "absent_pays_lower": True}
    misses = {"misses_allowed": 1, "misses_allowed_for_two": 2}
    return make_pool(players=2, rules=make_rules(gap_seconds=60, **mild, **misses))


def hold(table, position, points):
    """Let this position hold a hand that costs exactly so much."""
    fold = fold_of(deal_at(table))
    seats = list(fold.state.seats)
    seats[position - 1] = changed(seats[position - 1], hand=hand_worth(points))
    held = changed(fold.state, seats=tuple(seats), wild=WILD)
    state.memo.put(Fold(fold.deal_pk, fold.ply, fold.move_pk, held))


def miss(table):
    People(reread(table), Random(0)).wait()


def test_pool_splits_automatically_once_all_survivors_have_the_total(pool_that_splits_from_40):
    table = score(pool_that_splits_from_40, 40, 60, OUT, OUT)

    # One drop more is one net entry of 90.00; the rest of 270.00 is shared in equal parts.
    assert (table.phase, table.ending) == (Table.Phase.FINISHED, "auto_split")
    assert prizes(table) == [225_00, 135_00, 0, 0]
    places = Result.objects.order_by("seat__number").values_list("place", flat=True)
    assert list(places) == [1, 2, 3, 3]
    assert not Window.objects.exists()
    assert table.escrow.balance_minor == 0
    assert not Stake.objects.in_escrow().exists()
    assert row_findings() == ()


@pytest.mark.parametrize(
    ("rules", "totals", "offered"),
    [
        ({"auto_split_from": 40}, (39, 60, OUT, OUT), [61, 61]),
        # Three drops of 90.00 leave 0.00 of 270.00: no split, and nobody rejoins meanwhile.
        ({"auto_split_from": 40}, (40, 81, OUT), []),
        ({"rejoin_at_most": 50}, (0, 50, OUT), [51]),
        ({"rejoin_at_most": 50}, (0, 51, OUT), []),
    ],
)
def test_rejoins_are_offered_within_the_limits_of_the_rules(rules, totals, offered):
    pool = make_pool(players=len(totals), rules=make_rules(gap_seconds=60, **rules))

    table = score(pool, *totals)

    assert (table.phase, table.ending) == ("rejoin" if offered else "between", "")
    asked = open_window(table).answers.all() if offered else ()
    assert [answer.total for answer in asked] == offered
    assert Window.objects.exists() == bool(offered)
    assert table.escrow.balance_minor == len(totals) * 100_00


def booked(table, position):
    """The points of the settled deal in a position's score, and how they came about."""
    mine = deal_at(table).scores.get(seat=seat_at(table, position))
    return mine.points, mine.how


@pytest.mark.parametrize(("hand", "points"), [(25, 12), (6, 4)])
def test_a_loser_without_a_turn_is_booked_at_half_and_never_below_the_least(
    hand, points, pool_of_mild_losses
):
    table = pool_of_mild_losses

    play_deal(table, 0, hand)

    assert booked(table, 1) == (0, "won")
    assert booked(table, 2) == (points, "lost")


def test_the_half_price_is_known_until_the_first_turn_is_taken_or_missed(pool_of_mild_losses):
    table = pool_of_mild_losses
    assert [pays_half(table, position) for position in (1, 2)] == [True, True]

    miss(table)
    assert [pays_half(table, position) for position in (1, 2)] == [False, True]
    take_turn(table)
    assert [pays_half(table, position) for position in (1, 2)] == [False, False]
    assert table_view(table, None).group_rules.least_loss == 4


def pays_half(table, position):
    return table_view(reread(table), seat_at(table, position).player).me.pays_half


@pytest.mark.parametrize(("hand", "points"), [(25, 25), (60, 40)])
def test_the_second_of_two_misses_is_booked_at_the_lower_of_drop_and_hand(
    hand, points, pool_of_mild_losses
):
    table = pool_of_mild_losses
    hold(table, 1, hand)

    miss(table)
    assert reread(table).phase == Table.Phase.PLAYING
    assert table_view(reread(table), seat_at(table, 1).player).me.misses_left == 1
    take_turn(table)
    miss(table)
    settle(table)

    assert booked(table, 1) == (points, "middle_drop")
    assert booked(table, 2) == (0, "won")
