"""Rejoining a pool through services and ledger (RB 7.3, 7.6, 7.7, 7.9)."""

import pytest

from players.exceptions import CashNotOffered
from tables.exceptions import AnswerGiven, NotAsked, RejoinsClosed, WindowClosed
from tables.history.games import score_sheet
from tables.lobby.table_templates import profiles
from tables.models.seats import BuyIn, Elimination
from tables.models.tables import Table
from tables.play import answering
from tables.seats import hosted, seating
from tables.settlement import scoring
from tables.settlement.models import Window
from tests.builders.people.regions import close_region, open_region
from tests.builders.tables.making import make_player, make_rules, make_table
from tests.builders.tables.playing import deal_at, reread, run_out
from tests.builders.tables.pools import (
    NO,
    YES,
    let_time_pass,
    make_pool,
    make_rich_player,
    one_out,
    open_window,
    say,
    score,
    seat_no,
    totals,
)
from tests.builders.tables.shared import shared
from tests.builders.wallet.players import fund
from wallet.audit.audit import row_findings
from wallet.exceptions import InsufficientFunds
from wallet.ledger import accounts
from wallet.ledger.models import Account, Transfer
from wallet.stakes.models import Stake

pytestmark = pytest.mark.django_db

OUT = 101


@shared
def one_asked():
    return one_out()


def empty_wallet(player):
    """Spend everything the player has elsewhere."""
    for bucket in Account.objects.buckets_of(player).filter(balance_minor__gt=0):
        other = make_table(entry_minor=bucket.balance_minor, seats_min=3, seats_max=3)
        seating.join(table_id=other.pk, player=player)


def test_a_yes_pays_the_entry_and_plays_on_at_the_new_total_in_one_commit(one_asked):
    table = one_asked

    say(table, 3, YES)

    table, seat = reread(table), seat_no(table, 3)
    assert table.phase == Table.Phase.BETWEEN
    assert totals(table) == [0, 50, 51]
    assert table.escrow.balance_minor == 400_00
    assert Transfer.objects.filter(key=f"buyin:{seat.pk}:2").count() == 1
    paid = BuyIn.objects.filter(seat=seat).order_by("no")
    assert [buy_in.stake.status for buy_in in paid] == ["lost", "live"]
    undone = Elimination.objects.get(seat=seat)
    assert (undone.total, undone.rejoined_total) == (OUT, 51)
    assert Window.objects.get().outcome == "accepted"
    let_time_pass(table)
    assert deal_at(table).deal_seats.count() == 3


@pytest.mark.parametrize("silent", [False, True])
def test_game_continues_without_a_seat_that_declines_or_does_not_answer(silent, one_asked):
    table = one_asked

    if silent:
        let_time_pass(table)
    else:
        say(table, 3, NO)

    table = reread(table)
    assert table.phase == Table.Phase.BETWEEN
    assert Window.objects.get().outcome == ("expired" if silent else "refused")
    assert table.escrow.balance_minor == 300_00
    let_time_pass(table)
    assert deal_at(table).deal_seats.count() == 2


@pytest.mark.parametrize("most", [None, 1])
def test_a_player_may_rejoin_as_often_as_the_rules_allow_and_pays_each_time(most):
    table = make_pool(players=3, rules=make_rules(gap_seconds=60, max_rejoins=most))
    score(table, 0, 10, OUT)
    say(table, 3, YES)

    table = score(table, 0, 40, OUT)

    assert table.phase == (Table.Phase.BETWEEN if most else Table.Phase.REJOIN)
    if most is None:
        say(table, 3, YES)
        assert totals(table)[2] == 41
        buy_ins = seat_no(table, 3).buy_ins.order_by("no")
        assert list(buy_ins.values_list("no", flat=True)) == [1, 2, 3]
        assert reread(table).escrow.balance_minor == 500_00
        assert Stake.objects.filter(status="lost").count() == 2


def test_without_the_money_the_question_stays_open(one_asked):
    table = one_asked
    player = seat_no(table, 3).player
    empty_wallet(player)

    with pytest.raises(InsufficientFunds):
        say(table, 3, YES)

    assert reread(table).phase == Table.Phase.REJOIN
    assert open_window(table).answers.get().said == ""
    assert not BuyIn.objects.filter(no=2).exists()
    fund(player, currency="PTS", deposit=100_00)
    say(table, 3, YES)
    assert totals(table)[2] == 51


def test_answers_belong_to_the_window_and_to_those_asked(one_asked):
    table = one_asked
    window = open_window(table)

    with pytest.raises(NotAsked):
        say(table, 1, YES)
    say(table, 3, YES)
    again = answering.answer(seat_id=seat_no(table, 3).pk, window_id=window.public_id, said=YES)
    assert again.said == "yes"
    with pytest.raises(AnswerGiven):
        answering.answer(seat_id=seat_no(table, 3).pk, window_id=window.public_id, said=NO)

    assert reread(table).escrow.balance_minor == 400_00


def test_a_late_yes_pays_nothing(one_asked):
    table = one_asked
    window = open_window(table)
    run_out(table)

    with pytest.raises(WindowClosed):
        answering.answer(seat_id=seat_no(table, 3).pk, window_id=window.public_id, said=YES)

    assert reread(table).phase == Table.Phase.BETWEEN
    assert reread(table).escrow.balance_minor == 300_00


def test_cash_is_refused_where_it_is_not_offered_any_more():
    open_region("DE")
    table = make_cash_pool()
    score(table, 0, 50, OUT)
    close_region("DE")

    with pytest.raises(CashNotOffered):
        say(table, 3, YES)

    assert open_window(table).answers.get().said == ""
    assert reread(table).escrow.balance_minor == 300_00


def make_cash_pool():
    table = make_table(rules=make_rules(gap_seconds=60), currency="INR", seats_min=3, seats_max=3)
    for _ in range(3):
        player = make_player(country="DE")
        fund(player, currency="INR", winnings=500_00)
        seating.join(table_id=table.pk, player=player)
    return reread(table)


def test_a_game_called_off_after_a_rejoin_counts_the_first_entry_as_lost(pool_of_three):
    table = pool_of_three
    score(table, 0, 50, OUT)
    say(table, 3, YES)
    let_time_pass(table)
    for number in (1, 2, 3):
        seating.leave(seat_id=seat_no(table, number).pk)

    scoring.settle_deal(deal_id=deal_at(table).pk)

    # 4 x 100.00 less the rake of the one lost entry, in three parts.
    table = reread(table)
    assert table.phase == Table.Phase.CANCELLED
    entries = Transfer.objects.get(key=f"cancel:{table.pk}").entries
    for number in (1, 2, 3):
        mine = entries.filter(account__player=seat_no(table, number).player)
        assert sum(mine.values_list("amount_minor", flat=True)) == 130_00
    assert entries.get(account__kind="rake").amount_minor == 10_00
    assert table.escrow.balance_minor == 0
    assert row_findings() == ()


def test_the_score_sheet_marks_rejoins(pool_of_four):
    table = pool_of_four
    score(table, 0, 20, 30, OUT)
    say(table, 4, YES)
    seating.leave(seat_id=seat_no(table, 4).pk)

    (deal,) = score_sheet(reread(table)).sheet

    assert [(cell.total, cell.is_out, cell.rejoined_at) for cell in deal.cells] == [
        (0, False, None),
        (20, False, None),
        (30, False, None),
        (OUT, True, 31),
    ]


def hosted_pool(*, stop_at_survivors=2, with_rejoins=True):
    """A tournament's table of four, its rejoins paid into a pot of the tournament's own."""
    pot = accounts.open_escrow(ref="tournament:1", currency="PTS") if with_rejoins else None
    return hosted.open_table(
        profile=profiles.register_profile(make_rules(gap_seconds=60)),
        name="Round 1",
        owner_ref="tournament:1",
        players=[make_rich_player(500_00) for _ in range(4)],
        stop_at_survivors=stop_at_survivors,
        currency="PTS",
        entry_minor=100_00,
        rake_bps=1_000,
        rejoin_account=pot,
    )


def test_a_tournaments_rejoin_is_paid_into_the_tournament_while_it_takes_them():
    table = hosted_pool()
    table = score(table, 0, 10, 20, OUT)
    Table.objects.filter(pk=table.pk).update(rejoins_open=False)
    with pytest.raises(RejoinsClosed):
        say(table, 4, YES)
    assert not BuyIn.objects.exists()
    Table.objects.filter(pk=table.pk).update(rejoins_open=True)

    say(table, 4, YES)

    table.rejoin_account.refresh_from_db()
    assert table.rejoin_account.balance_minor == 100_00
    assert totals(table) == [0, 10, 20, 21]
    assert BuyIn.objects.get().no == 2


@pytest.mark.parametrize(
    ("with_rejoins", "third", "phase"), [(True, OUT, "finished"), (False, 20, "between")]
)
def test_a_tournament_without_rejoins_or_with_its_qualifiers_offers_none(
    with_rejoins, third, phase
):
    table = score(hosted_pool(with_rejoins=with_rejoins), 0, 10, third, OUT)

    assert table.phase == phase
    assert not Window.objects.exists()
