"""One transaction runs at each point of another: the outcome is that of one of two orders.

The points are those before each of its statements and before its COMMIT. The other one runs there
until it is done, or waits for a lock; only then does the first go on.
"""

import time
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from threading import Event

import pytest
from django.db import connection, connections, transaction
from moneyed import Money

from tests.builders.people.regions import open_region
from tests.builders.wallet.cashier_desk import make_deposit, money_of, tell
from tests.builders.wallet.payout_desk import make_withdrawal, step
from tests.builders.wallet.players import (
    balances,
    fund,
    make_escrow,
    make_player,
    make_stake,
    suspense,
)
from tests.builders.wallet.tax_office import no_gst
from wallet.audit import seals
from wallet.audit.audit import row_findings
from wallet.audit.models import Seal
from wallet.deposits.unpaid_orders import cancel_deposit
from wallet.exceptions import InsufficientFunds, WalletError
from wallet.gateways.sandbox_page import Sent
from wallet.ledger import posting
from wallet.ledger.models import Transfer
from wallet.stakes import stakes
from wallet.withdrawals.models import Withdrawal

pytestmark = pytest.mark.django_db(transaction=True)
KIND = Transfer.Kind.ADJUSTMENT
LONGEST = 20
_keys = count(1)


class Pause:
    """Holds a transaction at its n-th point until the other has run."""

    def __init__(self, at):
        self.at, self.points = at, 0
        self.reached, self.goes_on = Event(), Event()

    def pass_point(self):
        self.points += 1
        if self.points == self.at:
            self.reached.set()
            assert self.goes_on.wait(LONGEST)

    def execute(self, execute, sql, params, many, context):
        self.pass_point()
        return execute(sql, params, many, context)


def outcome_of(job):
    try:
        return job()
    except WalletError as refusal:
        return refusal


def run_overtaken(job, pause):
    mine = connections["default"]
    mine.ensure_connection()
    commit = mine.commit

    def commit_after_the_pause():
        pause.pass_point()
        commit()

    mine.commit = commit_after_the_pause
    try:
        with mine.execute_wrapper(pause.execute):
            return outcome_of(job)
    finally:
        del mine.commit
        connections.close_all()
        pause.reached.set()


def run_overtaking(job):
    try:
        return outcome_of(job)
    finally:
        connections.close_all()


def somebody_waits():
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_locks WHERE NOT granted")
        return cursor.fetchone()[0] > 0


def overtake(first, second, at):
    """Run both, the second while the first waits at this point; return both outcomes."""
    pause, end = Pause(at), time.monotonic() + LONGEST
    with ThreadPoolExecutor(2) as pool:
        overtaken = pool.submit(run_overtaken, first, pause)
        assert pause.reached.wait(LONGEST)
        overtaking = pool.submit(run_overtaking, second)
        while not overtaking.done() and not somebody_waits():
            assert time.monotonic() < end
            time.sleep(0.001)
        pause.goes_on.set()
        return overtaken.result(LONGEST), overtaking.result(LONGEST), pause.points >= at


def at_points(make, *, every):
    """Make a fresh case for each n-th point of its first job, and check what both came to."""
    for at in count(1, every):
        first, second, check = make()
        one, other, was_overtaken = overtake(first, second, at)
        check(one, other)
        if not was_overtaken:
            break
    assert at > 2
    assert row_findings() == ()


def move(payer, payee, amount, key=None):
    """Post in a transaction that reads before and after, so that it has points to be held at."""
    key = key or f"move:{next(_keys)}"

    def job():
        with transaction.atomic():
            posting.lock([payer, payee])
            return posting.post(key=key, kind=KIND, entries=[(payer, -amount), (payee, amount)])

    return job


def in_either_order(make):
    """The same case with its jobs swapped: who is overtaken, overtakes."""

    def swapped():
        first, second, check = make()
        return second, first, lambda one, other: check(other, one)

    return swapped


def crossing():
    low, high = (fund(make_player(), deposit=10_00)["deposit"] for _ in range(2))

    def check(one, other):
        assert not isinstance(one, Exception)
        assert not isinstance(other, Exception)
        assert balances(low, high) == [10_00 - 3_00 + 5_00, 10_00 + 3_00 - 5_00]

    return move(low, high, 3_00), move(high, low, 5_00), check


def overspending():
    deposit = fund(make_player(), deposit=10_00)["deposit"]

    def check(one, other):
        refused = [found for found in (one, other) if isinstance(found, InsufficientFunds)]
        assert len(refused) == 1
        assert balances(deposit) == [3_00]

    return move(deposit, suspense(), 7_00), move(deposit, suspense(), 7_00), check


def repeating():
    deposit = fund(make_player(), deposit=10_00)["deposit"]
    job = move(deposit, suspense(), 7_00, key=f"once:{deposit.pk}")

    def check(one, other):
        assert one.pk == other.pk
        assert {one.is_replay, other.is_replay} == {False, True}
        assert balances(deposit) == [3_00]

    return job, job, check


def reversing():
    deposit = fund(make_player(), deposit=10_00)["deposit"]
    posted = move(deposit, suspense(), 7_00)()

    def undo():
        with transaction.atomic():
            return posting.reverse(posted)

    def check(one, other):
        assert one.pk == other.pk
        assert balances(deposit) == [10_00]

    return undo, undo, check


def ending():
    """One worker settles a game while another cancels it."""
    escrow, winner = make_escrow(), make_player()
    paid = [make_stake(escrow=escrow, player=player) for player in (winner, make_player())]
    mine = fund(winner)

    def settle():
        prizes = [(winner, Money(180, "INR"))]
        return stakes.settle_game(
            escrow=escrow, stakes=paid, prizes=prizes, key=f"finish:{escrow.pk}"
        )

    def cancel():
        return stakes.cancel_game(escrow=escrow, stakes=paid, key=f"cancel:{escrow.pk}")

    def check(one, other):
        [outcome] = [found.kind for found in (one, other) if not isinstance(found, WalletError)]
        held = balances(escrow, mine["winnings"], mine["deposit"])
        assert held == {"prize": [0, 180_00, 0], "refund": [0, 0, 100_00]}[outcome]

    return settle, cancel, check


def deciding():
    """One clerk approves a withdrawal while another rejects it, also after the approval."""
    withdrawal = make_withdrawal()
    clerks = [make_player(is_staff=True) for _ in range(2)]

    def check(one, other):
        assert isinstance(one, Withdrawal | WalletError)
        assert other.status == "rejected"
        withdrawal.refresh_from_db()
        assert withdrawal.status == "rejected"
        assert Transfer.objects.filter(reverses=withdrawal.hold).count() == 1

    approve = lambda: step("approve", withdrawal, clerks[0])  # noqa: E731
    return approve, lambda: step("reject", withdrawal, clerks[1]), check


def giving_up():
    """An order that its player cancels while the gateway reports its payment."""
    deposit = make_deposit()

    def check(one, other):
        deposit.refresh_from_db()
        assert (other, deposit.status) == (["credited"], "paid")
        assert isinstance(one, WalletError) or one.status == "cancelled"
        assert money_of(deposit)[0] == 100_00

    return lambda: cancel_deposit(deposit_id=deposit.pk), lambda: tell(deposit, Sent()), check


def sealing():
    """A posting and a seal: the transfer is in one block, this one or the next."""
    deposit = fund(make_player(), deposit=10_00)["deposit"]

    def check(one, _other):
        seals.seal_ledger()
        within = Seal.objects.filter(from_xid__lte=one.xid, to_xid__gt=one.xid)
        assert within.count() == 1
        assert sum(Seal.objects.values_list("transfer_count", flat=True)) == (
            Transfer.objects.count()
        )

    return move(deposit, suspense(), 1_00), seals.seal_ledger, check


@pytest.fixture(autouse=True)
def _lawful(settings, db):
    open_region("IN-KA")
    settings.DEPOSIT_LIMITS = {"day": None, "month": None}


CASES = [crossing, overspending, repeating, reversing, sealing, in_either_order(sealing)]
# Of many statements each: a few of their points by default, all of them in the soak run.
LONG_CASES = [ending, deciding, giving_up]
LONGEST_CASES = [*map(in_either_order, LONG_CASES)]


@pytest.mark.parametrize(
    ("case", "every"),
    [
        *((case, 1) for case in CASES),
        *(pytest.param(case, 4, marks=pytest.mark.extended) for case in LONG_CASES),
        *(pytest.param(case, 1, marks=pytest.mark.soak) for case in (*LONG_CASES, *LONGEST_CASES)),
    ],
)
def test_overtaken_transaction_has_the_outcome_of_one_order(case, every):
    no_gst()

    at_points(case, every=every)
