"""Concurrent postings: each key once, no balance below zero, deadlocks are retried."""

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
    suspense,
)
from wallet.audit.audit import row_findings
from wallet.bonuses import play_points
from wallet.exceptions import InsufficientFunds, KeyConflict, WalletError
from wallet.ledger import accounts, posting
from wallet.ledger.models import Account, Transfer
from wallet.stakes import stakes
from wallet.stakes.models import Stake

pytestmark = pytest.mark.django_db(transaction=True)
KIND = Transfer.Kind.ADJUSTMENT


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


def test_concurrent_requests_open_an_account_once():
    player = make_player()

    opened = at_once([lambda: accounts.open_player_accounts(player=player, currency="INR")] * 8)

    assert len({tuple(sorted(a.pk for a in mine.values())) for mine in opened}) == 1
    assert Account.objects.of_player(player).count() == 4


def test_a_bot_is_topped_up_once():
    bot = make_player(is_bot=True, email=None)

    def top_up():
        return play_points.ensure_points(player=bot, at_least=Money(100, "PTS"))

    results = at_once([top_up] * 6)

    assert [result for result in results if isinstance(result, WalletError)] == []
    mine = accounts.open_player_accounts(player=bot, currency="PTS")
    assert balances(mine["deposit"]) == [100_00]
    assert books() == (1, 2, 0)
