"""Scoring a deal: exact and once, by any worker and however often it is requested."""

import pytest

from rummy import best_arrangement
from tables.exceptions import DealNotEnded
from tables.models.deals import Deal
from tables.models.seats import Elimination, Score
from tables.models.tables import Table
from tables.settlement import scoring
from tables.settlement.models import Result
from tables.state import clock
from tables.state.fold import fold_of
from tests.builders.tables.deals import SUDDEN, play_to_the_last_deal
from tests.builders.tables.making import make_game, make_rules
from tests.builders.tables.playing import at_once, deal_at, move, reread, run_out
from tests.builders.tables.pools import OUT, make_pool, nobody_rejoins, prizes, score
from tests.builders.tables.shared import shared
from wallet.ledger.models import Account, Transfer
from wallet.stakes.models import Stake

pytestmark = pytest.mark.django_db


def test_a_deal_still_played_is_not_scored(game_of_two):
    table = game_of_two

    with pytest.raises(DealNotEnded):
        scoring.settle_deal(deal_id=table.deals.get(no=1).pk)

    assert Score.objects.count() == 0


def test_scores_add_up_and_the_next_deal_is_led_by_the_next_seat(game_of_three):
    table = game_of_three
    move(table, 1, "drop")
    move(table, 2, "ds")
    move(table, 2, f"x {fold_of(deal_at(table)).state.drawn}")
    move(table, 3, "ds")
    move(table, 3, f"x {fold_of(deal_at(table)).state.drawn}")
    move(table, 2, "drop")

    scoring.settle_deal(deal_id=table.deals.get(no=1).pk)

    scores = Score.objects.order_by("seat__number").values_list("points", "how", "total_after")
    assert list(scores) == [(20, "first_drop", 20), (40, "middle_drop", 40), (0, "won", 0)]
    table = reread(table)
    deal = table.deals.get(no=2)
    assert (table.phase, table.deal_no, deal.status) == ("playing", 2, Deal.Status.PLAYING)
    places = deal.deal_seats.order_by("position").values_list("seat__number", flat=True)
    assert list(places) == [2, 3, 1]
    assert deal.chain != table.deals.get(no=1).chain
    assert deal.commitment != table.deals.get(no=1).commitment


def test_a_show_opens_a_window_and_its_end_scores_every_hand_exactly(ready_to_show):
    table, declarer, show = ready_to_show
    move(table, declarer, show)
    table = reread(table)
    assert table.phase == Table.Phase.SHOWING
    assert table.window_id is not None
    state = fold_of(deal_at(table)).state
    other = 3 - declarer
    exact = best_arrangement(state.seats[other - 1].hand, wild=state.wild, rules=state.rules)

    run_out(table)
    clock.apply_overdue(table_id=table.pk, now=reread(table).due_at)
    scoring.settle_deal(deal_id=deal_at(table).pk)

    lost = Score.objects.get(how="lost")
    assert lost.seat == seat_at_deal_1(table, other)
    assert (lost.points, lost.arrangement) == (exact.points, exact.to_text())
    assert Score.objects.get(how="won").arrangement
    assert table.deals.get(no=1).ending == "show"


@shared
def ready_to_show():
    """Let the bots' strategy play for people until a player may show."""
    from rummy import Drop, bots
    from rummy.thirteen import legal_moves, view

    table = make_game(players=2)
    while True:
        state = fold_of(deal_at(table)).state
        position = state.to_act
        legal = [each for each in legal_moves(state, position) if not isinstance(each, Drop)]
        text = bots.choose(view(state, position), legal).text
        if text.startswith("show"):
            return table, position, text
        move(table, position, text)


def seat_at_deal_1(table, position):
    return table.deals.get(no=1).deal_seats.get(position=position).seat


@pytest.mark.django_db(transaction=True)
def test_two_workers_settling_one_deal_pay_it_once():
    table = make_game(players=2, rules=make_rules(**SUDDEN))
    deal = play_to_the_last_deal(table)
    prizes = Transfer.objects.filter(key=f"finish:{table.pk}")
    assert prizes.count() == 0

    answers = at_once([lambda: scoring.settle_deal(deal_id=deal.pk)] * 2)

    assert [answer.status for answer in answers] == [Deal.Status.SETTLED] * 2
    table = reread(table)
    assert table.phase == Table.Phase.FINISHED
    assert prizes.count() == 1
    assert table.escrow.balance_minor == 0
    winner, loser = Result.objects.order_by("place")
    assert (winner.prize_minor, loser.prize_minor) == (180_00, 0)
    winnings = Account.objects.get(player=winner.seat.player, kind="winnings", currency="PTS")
    assert winnings.balance_minor == 180_00
    rake = Account.objects.filter(kind="rake", currency="PTS")
    assert sum(rake.values_list("balance_minor", flat=True)) == 20_00
    assert Elimination.objects.count() == 1
    assert Score.objects.filter(deal=deal).count() == 2
    assert set(Stake.objects.values_list("status", flat=True)) == {"settled"}


def test_places_of_a_cash_pool_follow_the_elimination_before_the_total():
    table = score(make_pool(players=3), 0, 50, OUT)
    nobody_rejoins(table)

    table = score(table, 0, OUT + 20)

    assert (table.phase, table.ending) == (Table.Phase.FINISHED, "won")
    results = Result.objects.order_by("seat__number").values_list("place", "total")
    assert list(results) == [(1, 0), (2, OUT + 20), (3, OUT)]


def test_pot_without_survivors_goes_to_the_lowest_total_before_the_last_deal():
    table = score(make_pool(players=3), 10, 30, 20)

    table = score(table, OUT + 20, OUT, OUT)

    assert (table.phase, prizes(table)) == (Table.Phase.FINISHED, [270_00, 0, 0])
    assert table.escrow.balance_minor == 0


def test_settling_again_changes_nothing(game_of_three):
    table = game_of_three
    move(table, 1, "drop")
    move(table, 2, "drop")
    deal = table.deals.get(no=1)
    scoring.settle_deal(deal_id=deal.pk)
    version, transfers = reread(table).version, Transfer.objects.count()

    scoring.settle_deal(deal_id=deal.pk)

    assert reread(table).version == version
    assert Transfer.objects.count() == transfers
    assert Score.objects.filter(deal=deal).count() == 3


def test_a_deal_no_worker_has_scored_is_nudged_again_by_the_sweep(game_of_two):
    table = game_of_two
    move(table, 1, "drop")
    late = run_out(table)
    assert late.phase == Table.Phase.SETTLING

    clock.apply_overdue(table_id=table.pk, now=late.due_at)

    table = reread(table)
    assert table.phase == Table.Phase.SETTLING
    assert table.due_at > late.due_at
    assert table.version == late.version
