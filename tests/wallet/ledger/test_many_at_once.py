"""Many threads at once: few in the quick suite, more in the extended one and in the soak run."""

import time
from random import Random

import pytest
from django.db import transaction
from moneyed import Money

from tests.builders.processes.threads import at_once
from tests.builders.wallet.payout_desk import make_sent, make_withdrawal, money_of, step
from tests.builders.wallet.players import (
    balances,
    fund,
    make_escrow,
    make_player,
    make_stake,
    suspense,
)
from wallet.audit.audit import row_findings
from wallet.exceptions import InsufficientFunds, StakeNotLive, WithdrawalNotPending
from wallet.ledger import posting
from wallet.ledger.models import Transfer
from wallet.stakes import stakes
from wallet.stakes.rake import rake_account

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.timeout(1800)]
KIND = Transfer.Kind.ADJUSTMENT


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


def test_refused_withdrawals_are_not_paid():
    player = make_player()
    fund(player, deposit=5_00)
    with pytest.raises(InsufficientFunds):
        make_withdrawal(10, player=player)
    rejected = make_withdrawal(5, player=player)
    step("reject", rejected)

    for name in ("approve", "mark_paid", "mark_failed"):
        with pytest.raises(WithdrawalNotPending):
            step(name, rejected)

    assert balances(fund(player)["deposit"]) == [5_00]


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
