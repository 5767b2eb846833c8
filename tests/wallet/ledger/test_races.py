"""Concurrent postings: each key once, no deadlock; a cancelled one writes nothing."""

import time
from contextlib import contextmanager
from itertools import count
from random import Random
from threading import Event

import psycopg
import pytest
from django.db import OperationalError, connection, transaction
from moneyed import Money

from tests.builders.processes.threads import at_once
from tests.builders.wallet.payout_desk import make_sent, money_of, step
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
from wallet.exceptions import (
    InsufficientFunds,
    KeyConflict,
    StakeNotLive,
    WalletError,
    WithdrawalNotPending,
)
from wallet.ledger import accounts, posting
from wallet.ledger.models import Account, Transfer
from wallet.stakes import stakes
from wallet.stakes.rake import rake_account

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.timeout(1800)]
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


def extended(*amounts):
    return pytest.param(*amounts, marks=pytest.mark.extended)


def soak(*amounts):
    return pytest.param(*amounts, marks=pytest.mark.soak)


@pytest.mark.parametrize(("clients", "keys"), [(8, 1), extended(6, 20), soak(16, 300)])
def test_concurrent_callers_of_a_key_get_one_transfer(clients, keys):
    deposit, other = fund(make_player(), deposit=100_00)["deposit"], suspense()

    def post_all(seed):
        def run():
            shown = {}
            for number in Random(seed).sample(range(keys), keys):
                entries = [(deposit, -1), (other, 1)]
                shown[number] = posting.post(key=f"k:{number}", kind=KIND, entries=entries).pk
            return shown

        return run

    shown = at_once([post_all(seed) for seed in range(clients)])

    assert all(answers == shown[0] for answers in shown)
    assert len(set(shown[0].values())) == keys
    assert balances(other) == [keys]
    assert row_findings() == ()


@pytest.mark.parametrize(("seconds", "players"), [(0.5, 12), extended(2, 40), soak(60, 200)])
def test_transfers_of_six_accounts_in_any_order_never_deadlock(seconds, players):
    wallets = [fund(make_player(), deposit=10_000_00)["deposit"] for _ in range(players)]
    end = time.monotonic() + seconds

    def churn(seed):
        def run():
            random, number = Random(seed), 0
            while time.monotonic() < end:
                *payers, winner = random.sample(wallets, 6)
                entries = [*((payer, -1) for payer in payers), (winner, 5)]
                with transaction.atomic():  # No retry hides a deadlock here.
                    posting.post(
                        key=f"{seed}:{number}", kind=KIND, entries=random.sample(entries, 6)
                    )
                number += 1
            return number

        return run

    posted = at_once([churn(seed) for seed in range(8)])

    assert all(isinstance(number, int) for number in posted)
    assert sum(balances(*wallets)) == players * 10_000_00
    assert Transfer.objects.filter(kind=KIND).count() == sum(posted) > 0
    assert row_findings() == ()


@pytest.mark.parametrize("batches", [3, soak(200)])
def test_batches_that_lock_all_their_accounts_first_never_deadlock(batches):
    wallets = [fund(make_player(), deposit=1_000_00)["deposit"] for _ in range(6)]

    def post_batches(seed):
        def run():
            random = Random(seed)
            for batch in range(batches):
                with transaction.atomic():
                    posting.lock(wallets)
                    for number in range(5):
                        payer, payee = random.sample(wallets, 2)
                        posting.post(
                            key=f"{seed}:{batch}:{number}",
                            kind=KIND,
                            entries=[(payer, -1), (payee, 1)],
                        )

        return run

    assert at_once([post_batches(seed) for seed in range(4)]) == [None] * 4
    assert sum(balances(*wallets)) == 6 * 1_000_00
    assert row_findings() == ()


@contextmanager
def held(account):
    """Lock an account's row from another session within this block."""
    settings = connection.settings_dict
    where = {"dbname": settings["NAME"], "user": settings["USER"], "password": settings["PASSWORD"]}
    where |= {"host": connection.connection.info.host, "port": connection.connection.info.port}
    with psycopg.connect(**where) as other:
        other.execute("SELECT 1 FROM wallet_account WHERE id = %s FOR UPDATE", [account.pk])
        yield


@pytest.mark.extended
@pytest.mark.parametrize("limit", ["statement_timeout", "lock_timeout"])
def test_cancelled_posting_writes_nothing_and_succeeds_on_retry(limit):
    mine = fund(make_player(), deposit=100)
    before = books()

    def post():
        entries = [(mine["deposit"], -40), (mine["winnings"], 40)]
        return posting.post(key="n:1", kind=Transfer.Kind.ADJUSTMENT, entries=entries)

    def post_in_time():
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(f"SET LOCAL {limit} = '200ms'")
            post()

    with held(mine["deposit"]), pytest.raises(OperationalError):
        post_in_time()

    assert books() == before
    assert not post().is_replay
    assert balances(mine["deposit"], mine["winnings"]) == [60, 40]
    assert row_findings() == ()


TABLES = ("wallet_account", "wallet_entry", "wallet_transfer")


def rows_read():
    """Return how many rows of each ledger table this connection has fetched lately."""
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")  # As COMMIT will ask.
        cursor.execute("SET CONSTRAINTS ALL DEFERRED")
        cursor.execute(
            """SELECT relname, coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0)
            FROM pg_stat_xact_user_tables WHERE relname = ANY (%s)""",
            [list(TABLES)],
        )
        return dict(cursor.fetchall())


@pytest.mark.extended
def test_a_posting_reads_as_little_from_a_long_book_as_from_a_short_one(owner):
    asha = fund(make_player(), deposit=100_00)["deposit"]
    suspense = accounts.operator_account(kind=Account.Kind.SUSPENSE, currency="INR")

    keys = count()

    def post(times):
        for _ in range(times):
            posting.post(
                key=f"posting:{next(keys)}",
                kind=Transfer.Kind.ADJUSTMENT,
                entries=[(asha, -1), (suspense, 1)],
            )

    def reads_of_one_posting():
        with transaction.atomic():
            before = rows_read()
            post(1)
            return {table: rows - before[table] for table, rows in rows_read().items()}

    post(150)  # Long enough that a walk over transfers looks no dearer than two look-ups.
    with owner(), connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    connection.close()
    post(15)  # All plans are cached by now.
    short = reads_of_one_posting()
    post(200)

    assert reads_of_one_posting() == short
    assert max(short.values()) < 40, short


@pytest.mark.parametrize("number", [2, extended(12), soak(100)])
def test_a_hold_is_resolved_once_by_many_concurrent_bank_results(number):
    withdrawal = make_sent()
    clerks = [make_player(is_staff=True) for _ in range(number)]

    def resolve(place, clerk):
        name = ("mark_paid", "mark_failed")[place % 2]
        return lambda: step(name, withdrawal, clerk).status

    results = at_once([resolve(place, clerk) for place, clerk in enumerate(clerks)])

    withdrawal.refresh_from_db()
    expected = {"paid": [10_00, 0, 30_00, 0], "failed": [10_00, 50_00, 50_00, 0]}
    assert money_of(withdrawal.player) == expected[withdrawal.status]
    assert set(map(str, results)) <= {withdrawal.status} | {
        str(result) for result in results if isinstance(result, WithdrawalNotPending)
    }
    assert (
        Transfer.objects.filter(reverses=withdrawal.hold).count()
        + Transfer.objects.filter(key=f"withdrawal:{withdrawal.public_id}:paid").count()
        == 1
    )
    assert row_findings() == ()


@pytest.mark.parametrize(("transfers", "workers"), [(8, 4), extended(40, 5), soak(500, 20)])
def test_every_transfer_is_reversed_once_of_two_tries_each(transfers, workers):
    deposit, other = fund(make_player(), deposit=1_000_00)["deposit"], suspense()
    posted = [
        posting.post(key=f"t:{number}", kind=KIND, entries=[(deposit, -1_00), (other, 1_00)])
        for number in range(transfers)
    ]

    def undo(worker):
        def run():
            mine = [posted[i % transfers] for i in range(worker, 2 * transfers, workers)]
            return [posting.reverse(transfer).is_replay for transfer in mine]

        return run

    replays = [replay for found in at_once([undo(n) for n in range(workers)]) for replay in found]

    assert sorted(replays) == [False] * transfers + [True] * transfers
    assert balances(deposit, other) == [1_000_00, 0]
    assert row_findings() == ()


@pytest.mark.parametrize("times", [2, extended(10)])
def test_concurrent_settlements_and_cancellations_have_one_outcome(times):
    escrow, winner = make_escrow(), make_player()
    paid = [make_stake(escrow=escrow, player=player) for player in (winner, make_player())]

    def settle():
        prizes = [(winner, Money(180, "INR"))]
        return stakes.settle_game(escrow=escrow, stakes=paid, prizes=prizes, key="finish")

    def cancel():
        return stakes.cancel_game(escrow=escrow, stakes=paid, key="cancel")

    results = at_once([settle, cancel] * times)

    [outcome] = {result.key for result in results if isinstance(result, Transfer)}
    refused = [result for result in results if isinstance(result, StakeNotLive)]
    assert len(refused) == times
    assert [result.is_replay for result in results if isinstance(result, Transfer)].count(
        False
    ) == 1
    mine = fund(winner)
    paid_out = {"finish": [0, 180_00, 0, 20_00], "cancel": [0, 0, 100_00, 0]}[outcome]
    accounts = (escrow, mine["winnings"], mine["deposit"], rake_account(escrow))
    assert balances(*accounts) == paid_out
    assert row_findings() == ()


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
