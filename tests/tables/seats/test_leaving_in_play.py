"""Leaving during a deal counts as a drop and ends the game for the player (RB 5.8, 7.9)."""

import pytest

from tables.models.deals import Deal
from tables.models.seats import Elimination, Score
from tables.models.tables import Table
from tables.seats import seating
from tables.settlement import scoring
from tables.settlement.models import Result
from tables.state import clock
from tables.view.table_view import table_view
from tests.builders.tables.deals import best_of, take_turn
from tests.builders.tables.making import make_game, make_rules
from tests.builders.tables.playing import deal_at, hand_of, move, reread, seat_at
from tests.builders.tables.pools import YES, make_pool, prizes, say, score, seat_no
from tests.builders.tables.straight_tables import straight_rules
from wallet.audit.audit import row_findings
from wallet.ledger.models import Account, Transfer
from wallet.stakes.models import Stake, StakePart

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("rules", [make_rules(), best_of(3)], ids=["pool", "deals"])
def test_last_remaining_player_wins_the_pot(rules):
    table = make_game(players=3, rules=rules)
    stays, *leavers = (seat_at(table, position) for position in (3, 1, 2))
    take_turn(table)

    for leaver in leavers:
        seating.leave(seat_id=leaver.pk)
    assert reread(table).phase == Table.Phase.SETTLING
    scoring.settle_deal(deal_id=table.deals.get().pk)

    table = reread(table)
    assert table.phase == Table.Phase.FINISHED
    paid = dict(Result.objects.values_list("seat", "prize_minor"))
    assert paid == {stays.pk: 270_00} | dict.fromkeys([seat.pk for seat in leavers], 0)
    assert Result.objects.get(place=1).seat == stays
    assert table.escrow.balance_minor == 0
    assert set(Stake.objects.values_list("status", flat=True)) == {"settled"}


def test_leaving_after_a_draw_costs_the_middle_drop_and_the_others_play_on(game_of_three):
    table = game_of_three
    move(table, 1, "ds")
    leaver = seat_at(table, 1)

    seating.leave(seat_id=leaver.pk)

    table = reread(table)
    assert table.phase == Table.Phase.PLAYING
    assert table.deals.get().moves.last().text == "p1 leave"
    move(table, 2, "ds")
    move(table, 2, f"x {hand_of(table, 2)[-1]}")
    move(table, 3, "drop")
    scoring.settle_deal(deal_id=table.deals.get().pk)
    assert Score.objects.get(seat=leaver).points == 40
    assert Elimination.objects.get().total == 40
    assert reread(table).deal_no == 2
    assert reread(table).deals.get(no=2).deal_seats.count() == 2


def test_leaving_between_two_deals_ends_a_duel():
    table = make_game(players=2, rules=make_rules(gap_seconds=60))
    move(table, 1, "drop")
    scoring.settle_deal(deal_id=table.deals.get(no=1).pk)
    assert reread(table).phase == Table.Phase.BETWEEN
    winner, leaver = seat_at(table, 1), seat_at(table, 2)

    seating.leave(seat_id=leaver.pk)

    table = reread(table)
    assert table.phase == Table.Phase.FINISHED
    assert Result.objects.get(place=1).seat == winner
    assert Result.objects.get(place=1).prize_minor == 180_00
    assert table.escrow.balance_minor == 0


CHIPS = {"stake_mode": "chips", "entry_minor": 0, "rake_bps": 0}


@pytest.mark.parametrize(
    ("rules", "fields"),
    [(make_rules(), {}), (best_of(3), {}), (straight_rules(), {}), (make_rules(), CHIPS)],
    ids=["pool", "deals", "straight", "pool for chips"],
)
def test_a_game_that_everybody_leaves_unplayed_is_cancelled_and_refunded(rules, fields):
    table = make_game(players=2, rules=rules, **fields)

    table = all_walk_out(table)

    assert (table.phase, deal_at(table).status) == (Table.Phase.CANCELLED, Deal.Status.VOID)
    assert set(Stake.objects.values_list("status", flat=True)) == (
        set() if fields else {"refunded"}
    )
    assert fields or table.escrow.balance_minor == 0
    assert (Score.objects.count(), Result.objects.count()) == (0, 0)
    assert row_findings() == ()


def all_walk_out(table):
    for seat in table.seats.filter(left_at=None):
        seating.leave(seat_id=seat.pk)
    scoring.settle_deal(deal_id=deal_at(table).pk)
    scoring.settle_deal(deal_id=deal_at(table).pk)  # A second worker changes nothing.
    return reread(table)


def test_a_later_deal_without_actions_refunds_every_entry_to_its_buckets(game_of_three):
    table = game_of_three
    before = dict(StakePart.objects.values_list("account", "account__balance_minor"))
    for position in (1, 2):
        move(table, position, "drop")
    scoring.settle_deal(deal_id=table.deals.get(no=1).pk)
    assert reread(table).deal_no == 2

    table = all_walk_out(table)

    assert (table.phase, deal_at(table).status) == (Table.Phase.CANCELLED, Deal.Status.VOID)
    for part in StakePart.objects.select_related("account"):
        assert part.account.balance_minor == before[part.account_id] + part.amount_minor
        assert (part.consumed_minor, part.returned_minor) == (0, part.amount_minor)
    assert Transfer.objects.get(key=f"cancel:{table.pk}").entry_count == 4
    assert set(Stake.objects.values_list("status", flat=True)) == {"refunded"}
    assert not Account.objects.filter(kind="rake").exclude(balance_minor=0).exists()
    assert (table.escrow.balance_minor, table.escrow.status) == (0, "closed")
    assert (Score.objects.count(), Result.objects.count()) == (3, 0)
    assert table_view(table, table.seats.first().player).phase == Table.Phase.CANCELLED
    assert row_findings() == ()


def test_a_pool_cancelled_late_is_shared_by_those_still_in_it():
    """RB 7.8: 6 entries of 100.00 at 10 %, two of them lost: 580.00, 145.00 each."""
    table = make_game(players=6)
    leavers = [seat_at(table, position) for position in (1, 2)]
    for seat in leavers:
        seating.leave(seat_id=seat.pk)
    for position in (3, 4, 5):
        move(table, position, "drop")
    scoring.settle_deal(deal_id=table.deals.get(no=1).pk)
    stayed = list(table.seats.filter(left_at=None))
    assert len(stayed) == 4

    table = all_walk_out(table)

    assert table.phase == Table.Phase.CANCELLED
    shared = Transfer.objects.get(key=f"cancel:{table.pk}").entries
    for seat in stayed:
        mine = shared.filter(account__player=seat.player)
        assert sum(mine.values_list("amount_minor", flat=True)) == 145_00
        assert mine.get(account__kind="winnings").amount_minor >= 45_00
    assert not shared.filter(account__player__in=[seat.player for seat in leavers]).exists()
    assert shared.get(account__kind="rake").amount_minor == 20_00
    assert Stake.objects.filter(status="refunded").count() == 4
    assert Stake.objects.filter(status="settled").count() == 2
    assert (table.escrow.balance_minor, Result.objects.count()) == (0, 0)
    assert row_findings() == ()


def test_leaving_during_the_toss_is_a_first_drop():
    table = make_game(players=3, rules=make_rules(toss_seconds=5))
    leaver = seat_at(table, 1)
    due_at = table.due_at

    seating.leave(seat_id=leaver.pk)

    table = reread(table)
    assert (table.phase, table.due_at) == (Table.Phase.TOSS, due_at)
    clock.apply_overdue(table_id=table.pk, now=due_at)
    table = reread(table)
    assert table.phase == Table.Phase.PLAYING
    move(table, 2, "drop")
    scoring.settle_deal(deal_id=table.deals.get(no=1).pk)
    assert list(Score.objects.order_by("seat__number").values_list("points", "how")) == [
        (20, "first_drop"),
        (20, "first_drop"),
        (0, "won"),
    ]
    assert Elimination.objects.get().seat == leaver
    assert reread(table).phase == Table.Phase.PLAYING


OUT = 101


def test_a_rejoiner_who_leaves_in_the_same_pause_has_lost_both_entries(pool_of_four):
    table = pool_of_four
    score(table, 0, 20, 30, OUT)
    say(table, 4, YES)
    assert reread(table).phase == Table.Phase.BETWEEN

    seating.leave(seat_id=seat_no(table, 4).pk)

    assert Elimination.objects.standing().get().total == 31
    assert Stake.objects.filter(player=seat_no(table, 4).player, status="lost").count() == 2


def test_everybody_leaving_while_rejoins_are_asked_pays_the_lowest_before_the_deal():
    table = make_pool(players=3)
    score(table, 20, 0, 40)
    score(table, 20, 50, OUT)

    for number in (1, 2, 3):
        seating.leave(seat_id=seat_no(table, number).pk)

    table = reread(table)
    assert (table.phase, prizes(table)) == (Table.Phase.FINISHED, [0, 270_00, 0])
    assert table.escrow.balance_minor == 0
