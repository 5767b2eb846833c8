"""Concurrent postings: once per key, never below zero, without endless waits."""

from random import Random
from threading import Event

import pytest
from django.db import OperationalError, transaction
from moneyed import Money

from tests.builders.processes.threads import at_once
from tests.builders.wallet.players import (
    balances,
    books,
    fund,
    make_escrow,
    make_player,
    make_stake,
    suspense,
)
from wallet.audit.audit import row_findings
from wallet.bonuses import play_points
from wallet.exceptions import InsufficientFunds, KeyConflict, StakeNotLive, WalletError
from wallet.ledger import accounts, posting
from wallet.ledger.models import Account, Transfer
from wallet.stakes import stakes
from wallet.stakes.models import Stake
from wallet.stakes.rake import rake_account

pytestmark = pytest.mark.django_db(transaction=True)
KIND = Transfer.Kind.ADJUSTMENT


def test_eight_threads_with_one_key_post_once():
    deposit, other = fund(make_player(), deposit=100_00)["deposit"], suspense()

    def post():
        return posting.post(key="once", kind=KIND, entries=[(deposit, -10_00), (other, 10_00)])

    transfers = at_once([post] * 8)

    assert len({transfer.pk for transfer in transfers}) == 1
    assert sorted(transfer.is_replay for transfer in transfers) == [False] + [True] * 7
    assert balances(deposit, other) == [90_00, 10_00]


def test_one_key_with_two_bodies_goes_to_one_of_them():
    deposit, other = fund(make_player(), deposit=100_00)["deposit"], suspense()

    def post(amount):
        return lambda: posting.post(
            key="once", kind=KIND, entries=[(deposit, -amount), (other, amount)]
        )

    results = at_once([post(amount) for amount in (1, 2) for _ in range(4)])

    refused = [result for result in results if isinstance(result, KeyConflict)]
    [moved] = balances(other)
    assert (len(refused), moved in {1, 2}) == (4, True)
    assert Transfer.objects.filter(key="once").count() == 1


def test_racing_withdrawals_never_overdraw():
    """Eight threads ask for ten times 1.00 each from 50.00: exactly fifty pass."""
    deposit, other = fund(make_player(), deposit=50_00)["deposit"], suspense()

    def spend(thread):
        def run():
            passed = 0
            for number in range(10):
                try:
                    key, entries = f"spend:{thread}:{number}", [(deposit, -1_00), (other, 1_00)]
                    posting.post(key=key, kind=KIND, entries=entries)
                    passed += 1
                except InsufficientFunds:
                    continue
            return passed

        return run

    passed = at_once([spend(thread) for thread in range(8)])

    assert sum(passed) == 50
    assert balances(deposit, other) == [0, 50_00]
    assert row_findings() == ()


def test_racing_reversals_undo_once():
    deposit, other = fund(make_player(), deposit=100_00)["deposit"], suspense()
    transfers = [
        posting.post(key=f"t:{number}", kind=KIND, entries=[(deposit, -1_00), (other, 1_00)])
        for number in range(8)
    ]

    def undo_all(seed):
        def run():
            shuffled = Random(seed).sample(transfers, len(transfers))
            return sum(not posting.reverse(transfer).is_replay for transfer in shuffled)

        return run

    undone = at_once([undo_all(seed) for seed in range(4)])

    assert sum(undone) == 8
    assert balances(deposit, other) == [100_00, 0]
    assert row_findings() == ()


def test_many_legged_transfers_over_the_same_accounts_do_not_deadlock():
    """Each names six of twelve accounts in another order; none needs a retry."""
    players = [fund(make_player(), deposit=1_000_00)["deposit"] for _ in range(12)]

    def churn(seed):
        def run():
            random = Random(seed)
            for number in range(10):
                *payers, winner = random.sample(players, 6)
                entries = [*((payer, -1_00) for payer in payers), (winner, 5_00)]
                with transaction.atomic():  # No retry hides a deadlock here.
                    posting.post(
                        key=f"{seed}:{number}", kind=KIND, entries=random.sample(entries, 6)
                    )

        return run

    results = at_once([churn(seed) for seed in range(6)])

    assert results == [None] * 6
    assert sum(balances(*players)) == 12 * 1_000_00
    assert Transfer.objects.filter(kind=KIND).count() == 60


def test_a_deadlock_is_tried_again_where_nothing_else_hangs_on_it():
    """A script locks two accounts against the ledger's order; the posting recovers by itself."""
    low, high = (fund(make_player(), deposit=100_00)["deposit"] for _ in range(2))
    holds_high, waits = Event(), Event()

    def lock_backwards():
        with transaction.atomic():
            posting.lock([high])
            holds_high.set()
            assert waits.wait(10)
            posting.lock([low])

    def post():
        assert holds_high.wait(10)
        waits.set()
        return posting.post(key="x", kind=KIND, entries=[(high, -1), (low, 1)])

    backwards, posted = at_once([lock_backwards, post])

    assert isinstance(backwards, OperationalError) or backwards is None
    assert not isinstance(posted, Exception)
    assert balances(low, high) == [100_01, 99_99]


def test_two_workers_settling_one_game_pay_it_once():
    escrow, winner = make_escrow(), make_player()
    paid = [make_stake(escrow=escrow, player=player) for player in (winner, make_player())]

    def settle():
        prizes = [(winner, Money(180, "INR"))]
        return stakes.settle_game(escrow=escrow, stakes=paid, prizes=prizes, key="finish:1")

    first, second = at_once([settle, settle])

    assert first.pk == second.pk
    assert {first.is_replay, second.is_replay} == {False, True}
    winnings = accounts.open_player_accounts(player=winner, currency="INR")["winnings"]
    assert balances(escrow, winnings, rake_account(escrow)) == [0, 180_00, 20_00]
    assert row_findings() == ()


def test_a_game_is_settled_or_cancelled_never_both():
    for number in range(2):
        escrow, winner = make_escrow(), make_player()
        paid = [make_stake(escrow=escrow, player=player) for player in (winner, make_player())]

        def settle(escrow=escrow, paid=paid, winner=winner, number=number):
            prizes = [(winner, Money(180, "INR"))]
            key = f"finish:{number}"
            return stakes.settle_game(escrow=escrow, stakes=paid, prizes=prizes, key=key)

        def cancel(escrow=escrow, paid=paid, number=number):
            return stakes.cancel_game(escrow=escrow, stakes=paid, key=f"cancel:{number}")

        results = at_once([settle, cancel, settle, cancel])

        refused = [result for result in results if isinstance(result, StakeNotLive)]
        done = {result.kind for result in results if isinstance(result, Transfer)}
        assert (len(refused), len(done)) == (2, 1)
        assert balances(escrow) == [0]
    assert row_findings() == ()


def test_one_entry_s_money_buys_one_seat():
    """The same player joins two tables at once with money for one."""
    player, tables = make_player(), [make_escrow(), make_escrow()]
    fund(player, deposit=150_00)

    def join(escrow):
        return lambda: stakes.take_stake(
            player=player,
            escrow=escrow,
            entry=Money(100, "INR"),
            rake_bps=0,
            key=f"buyin:{escrow.pk}:1",
        )

    results = at_once([join(escrow) for escrow in tables])

    assert sorted(type(result) for result in results if not isinstance(result, Stake)) == [
        InsufficientFunds
    ]
    assert sorted(balances(*tables)) == [0, 100_00]
    assert Stake.objects.count() == 1


def test_a_double_click_pays_one_entry():
    player, escrow = make_player(), make_escrow()
    fund(player, deposit=500_00)

    def join():
        return stakes.take_stake(
            player=player, escrow=escrow, entry=Money(100, "INR"), rake_bps=0, key="buyin:7:1"
        )

    results = at_once([join] * 6)

    assert len({stake.pk for stake in results}) == 1
    assert balances(escrow) == [100_00]


def test_accounts_are_opened_once_by_whoever_comes_first():
    player = make_player()

    opened = at_once([lambda: accounts.open_player_accounts(player=player, currency="INR")] * 8)

    assert len({tuple(sorted(a.pk for a in mine.values())) for mine in opened}) == 1
    assert Account.objects.of_player(player).count() == 4


def test_concurrent_sign_up_points_are_granted_once():
    player = make_player()

    at_once([lambda: play_points.grant_sign_up(player=player)] * 6)

    mine = accounts.open_player_accounts(player=player, currency="PTS")
    assert balances(mine["deposit"]) == [10_000_00]


def test_a_bot_is_topped_up_once():
    bot = make_player(is_bot=True, email=None)

    def top_up():
        return play_points.ensure_points(player=bot, at_least=Money(100, "PTS"))

    results = at_once([top_up] * 6)

    assert [result for result in results if isinstance(result, WalletError)] == []
    mine = accounts.open_player_accounts(player=bot, currency="PTS")
    assert balances(mine["deposit"]) == [100_00]
    assert books() == (1, 2, 0)
