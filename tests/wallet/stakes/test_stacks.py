"""Stacks at an open-ended table: money passed by deals, and cash-out (RB 8.1)."""

import pytest
from django.db import Error, connection
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.builders.processes.threads import at_once
from tests.builders.wallet.amounts import inr
from tests.builders.wallet.bonus_desk import join, rupees
from tests.builders.wallet.players import balances, fund, give_bonus, make_escrow, make_player
from wallet.audit.audit import row_findings
from wallet.exceptions import StakesIncomplete
from wallet.ledger.models import Account, Transfer
from wallet.stakes import stacks, stakes
from wallet.stakes.balances import money_in_games
from wallet.stakes.models import StackChange, Stake, StakePart
from wallet.stakes.receipts import cash_out
from wallet.statements import receipts

pytestmark = pytest.mark.django_db


def sit_in(escrow, player, minor, *, seat, n=1):
    return stakes.take_stake(
        player=player, escrow=escrow, entry=inr(minor), rake_bps=0, key=f"buyin:{seat}:{n}"
    )


@pytest.fixture
def escrow():
    return make_escrow()


@pytest.fixture
def three(escrow):
    """Three players with 100.00 each, all of it on the table; seats 1 to 3."""
    players = [make_player() for _ in range(3)]
    for seat, player in enumerate(players, start=1):
        fund(player, deposit=100_00)
        sit_in(escrow, player, 100_00, seat=seat)
    return players


def pass_on(escrow, winner, losses, *, rake=0, key="deal:1:1"):
    stacks.pass_stacks(
        escrow=escrow,
        losses={player.pk: inr(minor) for player, minor in losses.items()},
        winner=winner,
        rake=inr(rake),
        key=key,
    )


def leave(escrow, player, *, seat, closes_game=False):
    return stacks.cash_out(
        escrow=escrow, player=player, key=f"cashout:{seat}", closes_game=closes_game
    )


def buckets(player):
    found = {account.kind: account for account in Account.objects.of_player(player)}
    return {kind: found[kind].balance_minor for kind in ("deposit", "winnings")}


def test_without_a_rake_no_transfer_is_needed_and_every_change_is_on_record(escrow, three):
    winner, *losers = three
    posted = Transfer.objects.count()

    pass_on(escrow, winner, dict.fromkeys(losers, 25_00))

    assert Transfer.objects.count() == posted
    assert stacks.stacks_in(escrow) == {winner.pk: 150_00, losers[0].pk: 75_00, losers[1].pk: 75_00}
    assert sorted(StackChange.objects.values_list("amount_minor", flat=True)) == [
        -25_00,
        -25_00,
        50_00,
    ]
    assert balances(escrow) == [300_00]
    assert row_findings() == ()


def test_rake_of_a_deal_is_booked_at_once_and_the_deal_passes_its_money_once(escrow, three):
    winner, *losers = three
    for _ in range(2):
        pass_on(escrow, winner, {losers[0]: 40_00, losers[1]: 25_00}, rake=6_50)

    assert stacks.stacks_in(escrow)[winner.pk] == 158_50
    raked = Transfer.objects.get(key="deal:1:1")
    assert (raked.kind, raked.entries.get(account__kind="rake").amount_minor) == ("rake", 6_50)
    assert balances(escrow) == [293_50]
    assert StackChange.objects.count() == 3
    assert row_findings() == ()


def test_own_money_is_lost_first_in_the_order_it_was_paid_and_winnings_last(escrow):
    asha, ravi = make_player(), make_player()
    fund(asha, deposit=50_00, winnings=50_00)
    fund(ravi, deposit=500_00)
    sit_in(escrow, asha, 60_00, seat=1)
    sit_in(escrow, ravi, 300_00, seat=2)
    pass_on(escrow, asha, {ravi: 80_00}, key="deal:1:1")
    sit_in(escrow, asha, 20_00, seat=1, n=2)

    pass_on(escrow, ravi, {asha: 70_00}, key="deal:1:2")

    mine = StakePart.objects.filter(stake__player=asha).order_by("is_won", "stake", "position")
    left = [(part.account.kind, part.is_won, part.live_minor) for part in mine]
    assert left == [
        ("deposit", False, 0),
        ("winnings", False, 0),
        ("winnings", False, 10_00),
        ("winnings", True, 80_00),
    ]
    assert row_findings() == ()


def test_cash_out_returns_own_parts_to_buckets_and_wins_to_winnings(escrow, three):
    winner, loser, _ = three
    pass_on(escrow, winner, {loser: 30_00})

    leave(escrow, winner, seat=1)
    leave(escrow, loser, seat=2)

    assert buckets(winner) == {"deposit": 100_00, "winnings": 30_00}
    assert buckets(loser) == {"deposit": 70_00, "winnings": 0}
    by_player = dict(Stake.objects.values_list("player", "status"))
    assert by_player[winner.pk] == "refunded"
    assert by_player[loser.pk] == "settled"
    assert row_findings() == ()


def test_cashing_out_twice_pays_once_and_the_last_one_closes_the_escrow(escrow, three):
    first, second, third = three
    leave(escrow, first, seat=1)
    again = leave(escrow, first, seat=1)
    leave(escrow, second, seat=2)
    leave(escrow, third, seat=3, closes_game=True)

    assert again.is_replay
    assert [buckets(player)["deposit"] for player in three] == [100_00] * 3
    escrow.refresh_from_db()
    assert (escrow.balance_minor, escrow.status) == (0, "closed")


@pytest.mark.django_db(transaction=True)
def test_two_threads_cash_one_stack_out_once(escrow, three):
    results = at_once([lambda: leave(escrow, three[0], seat=1)] * 2)

    assert results[0].pk == results[1].pk
    assert sorted(result.is_replay for result in results) == [False, True]
    assert buckets(three[0])["deposit"] == 100_00


def test_empty_stack_cannot_be_cashed_out(escrow, three):
    winner, loser, _ = three
    pass_on(escrow, winner, {loser: 100_00})

    assert leave(escrow, loser, seat=2) is None
    assert Stake.objects.get(player=loser).status == "settled"
    assert money_in_games(loser) == {}
    held = [stacks.stack_of(escrow, player) for player in (winner, loser)]
    assert held == [inr(200_00), inr(0)]
    assert money_in_games(winner) == {"INR": inr(200_00)}
    assert row_findings() == ()


def test_loss_above_the_stack_is_refused_and_changes_nothing(escrow, three):
    winner, loser, other = three

    with pytest.raises(StakesIncomplete):
        pass_on(escrow, winner, {other: 10_00, loser: 100_01}, rake=1_00)

    assert stacks.stacks_in(escrow) == dict.fromkeys([player.pk for player in three], 100_00)
    assert not StackChange.objects.exists()
    assert not Transfer.objects.filter(key="deal:1:1").exists()


def test_a_bonus_left_on_the_table_goes_back_to_its_lot(escrow):
    asha, ravi = make_player(), make_player()
    lot = give_bonus(asha, inr(10_00))
    fund(asha, deposit=90_00)
    fund(ravi, deposit=100_00)
    sit_in(escrow, asha, 100_00, seat=1)
    sit_in(escrow, ravi, 100_00, seat=2)

    pass_on(escrow, ravi, {asha: 4_00})
    leave(escrow, asha, seat=1)

    lot.refresh_from_db()
    assert lot.remaining_minor == 6_00
    assert buckets(asha)["deposit"] == 90_00
    assert row_findings() == ()


def test_cash_out_receipt_covers_the_whole_session(escrow, three):
    winner, loser, passer = three
    pass_on(escrow, winner, {loser: 30_00}, key="deal:1:1")
    pass_on(escrow, loser, {winner: 12_00}, key="deal:1:2")

    out = leave(escrow, winner, seat=1)

    shown = receipts.receipt_of(out, winner)
    assert [(line.text, line.money) for line in shown.sums[:4]] == [
        ("Brought to the table", inr(100_00)),
        ("Won in 1 deal", inr(30_00)),
        ("Lost in 1 deal", inr(-12_00)),
        ("Cashed out", inr(118_00)),
    ]
    paid_in = Transfer.objects.get(key="buyin:2:1")
    lines = {line.text: line.money for line in receipts.receipt_of(paid_in, loser).sums}
    assert lines["Lost in 1 deal"] == inr(-30_00)
    assert lines["Won in 1 deal"] == inr(12_00)
    # The whole stack goes to one bucket.
    first, *_ = receipts.receipt_of(leave(escrow, passer, seat=3), passer).sums
    assert (first.text, first.money) == ("Brought to the table", inr(100_00))


@pytest.mark.django_db(transaction=True)
def test_database_refuses_changes_that_are_out_of_balance(escrow, three):
    pass_on(escrow, three[0], {three[1]: 30_00})
    more = """
        INSERT INTO wallet_stackchange (stake_id, key, amount_minor, made_at)
        SELECT stake_id, 'another', amount_minor, now()
        FROM wallet_stackchange WHERE amount_minor > 0
    """
    with pytest.raises(Error), connection.cursor() as cursor:
        cursor.execute(more)
    assert StackChange.objects.count() == 2
    assert row_findings() == ()


def test_the_audit_notices_a_stack_no_deal_explains(escrow, three):
    pass_on(escrow, three[0], {three[1]: 30_00})
    part = StakePart.objects.filter(stake__player=three[2]).get()

    StakePart.objects.filter(pk=part.pk).update(consumed_minor=5_00)

    found = {finding.check for finding in row_findings()}
    assert found == {"stack_changes", "escrow_unexplained"}


Step = st.tuples(
    st.integers(0, 2), st.integers(0, 2), st.integers(0, 80), st.sampled_from([0, 500, 1_000])
)


@given(steps=st.lists(Step, max_size=12))
@settings(
    max_examples=3,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_stacks_and_rake_equal_the_buy_ins_after_any_deals(steps):
    escrow, players = make_escrow(), [make_player() for _ in range(3)]
    for number, player in enumerate(players):
        fund(player, deposit=60_00, winnings=40_00)
        sit_in(escrow, player, 100_00, seat=f"{escrow.pk}-{number}")
    raked = 0
    for number, (winner, loser, points, bps) in enumerate(steps):
        held = stacks.stacks_in(escrow)
        loss = min(points * 100, held.get(players[loser].pk, 0))
        if winner == loser or not held.get(players[winner].pk):
            continue
        rake = loss * bps // 10_000
        key = f"deal:{escrow.pk}:{number}"
        pass_on(escrow, players[winner], {players[loser]: loss}, rake=rake, key=key)
        raked += rake

    assert sum(stacks.stacks_in(escrow).values()) + raked == 300_00
    assert balances(escrow) == [300_00 - raked]
    for number, player in enumerate(players):
        leave(escrow, player, seat=f"{escrow.pk}-{number}")
    assert balances(escrow) == [0]
    paid = sum(sum(buckets(player).values()) for player in players)
    assert paid + raked == 300_00
    assert row_findings() == ()


def test_cash_out_receipt_covers_only_its_own_session():
    player, escrow = make_player(), make_escrow()
    fund(player, deposit=900_00)
    ends = []
    for number, entries in enumerate([(100,), (200, 50)]):
        for entry in entries:
            join(player, entry=entry, escrow=escrow)
        out = {"escrow": escrow, "player": player, "closes_game": False}
        ends.append(stacks.cash_out(key=f"end {number}", **out))

    shown = [cash_out(end, tuple(end.entries.select_related("account")))[1] for end in ends]

    assert [lines[0].money for lines in shown] == [rupees(100), rupees(250)]
