"""Money steps interrupted at each write and commit are done once when repeated."""

from contextlib import suppress
from functools import partial

import pytest
from moneyed import Money

from tests.builders.processes.faults import Faults
from tests.builders.wallet.bonus_desk import days_later, findings_later, give, join, left, settle
from tests.builders.wallet.cashier_desk import make_depositor, money_of, order, send
from tests.builders.wallet.payout_desk import payee_for
from tests.builders.wallet.players import balances, fund, make_player
from wallet.audit import freezes as account_freezes
from wallet.audit.audit import row_findings
from wallet.bonuses import expiry as bonus_expiry
from wallet.bonuses import requests as bonus_requests
from wallet.bonuses.models import BonusMode
from wallet.cashier.requests import deposit_once, withdrawal_once
from wallet.corrections import adjustments
from wallet.deposits import suspense, unpaid_orders
from wallet.deposits.models import Deposit, GatewayEvent, StaffTask
from wallet.exceptions import NothingToDo, NothingToSend
from wallet.gateways.sandbox_page import FAILED, Sent, event_bodies
from wallet.ledger import accounts
from wallet.ledger.models import Account
from wallet.stakes import stakes
from wallet.withdrawals import withdrawals
from wallet.withdrawals.models import Withdrawal

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("lawful", "untaxed")]


@pytest.fixture
def faults():
    return Faults()


def make_clerk():
    return make_player(is_staff=True)


def ask_to_pay_in(faults, player, rupees=100):
    asked = {"route": "page", "key": f"deposit {rupees}", "asked": b"{}"}
    amount = Money(rupees, "INR")
    faults.take("ask", partial(deposit_once, player=player, amount=amount, **asked))
    return Deposit.objects.latest("pk")


@pytest.mark.extended
def test_a_deposit_from_the_order_to_the_credit(faults):
    player = make_depositor()
    deposit = ask_to_pay_in(faults, player)
    failed, paid = event_bodies(order(deposit), [Sent(FAILED, 0), Sent()])

    faults.take("failed", partial(send, failed))
    faults.take("paid", partial(send, paid))

    deposit.refresh_from_db()
    assert Deposit.objects.count() == 1
    assert deposit.status == "paid"
    assert money_of(deposit) == [100_00, 0, -100_00]
    assert GatewayEvent.objects.count() == 2
    assert min(faults.deaths[kind] for kind in ("ask", "failed", "paid")) >= 4
    assert row_findings() == ()


@pytest.mark.extended
def test_cancelled_order_that_is_paid_later(faults):
    deposit = ask_to_pay_in(faults, make_depositor())
    [paid] = event_bodies(order(deposit), [Sent()])

    faults.take("cancel", partial(unpaid_orders.cancel_deposit, deposit_id=deposit.pk))
    faults.take("paid", partial(send, paid))

    assert faults.deaths["cancel"] >= 3
    assert money_of(deposit) == [100_00, 0, -100_00]
    assert row_findings() == ()


@pytest.mark.extended
@pytest.mark.parametrize(
    ("way", "credited"), [("place", 99_00), pytest.param("send back", 0, marks=pytest.mark.soak)]
)
def test_money_in_suspense_is_placed_or_sent_back(faults, way, credited):
    deposit, clerk = ask_to_pay_in(faults, make_depositor()), make_clerk()
    [short] = event_bodies(order(deposit), [Sent(surplus_minor=-1_00)])
    faults.take("short", partial(send, short))
    task = StaffTask.objects.get()

    if way == "place":
        faults.take(way, partial(suspense.place_payment, task_id=task.pk, by=clerk))
    else:
        done = partial(suspense.return_payment, task_id=task.pk, by=clerk, remark="rfnd_1")
        faults.take(way, done)

    assert money_of(deposit) == [credited, 0, -credited]
    assert min(faults.deaths["short"], faults.deaths[way]) >= 4
    assert row_findings() == ()


@pytest.mark.extended
@pytest.mark.parametrize(
    ("end", "kept"),
    [
        ("mark_paid", [0, 40_00]),
        pytest.param("mark_failed", [50_00, 50_00], marks=pytest.mark.soak),
    ],
)
def test_a_withdrawal_from_the_request_to_the_bank(faults, end, kept):
    player, clerk = make_player(), make_clerk()
    mine = fund(player, deposit=50_00, winnings=50_00)
    asked = {"route": "page", "key": "1", "asked": b"{}", "payee": payee_for(player).public_id}
    sums = {"amount": Money(60, "INR"), "agreed_tax": Money(0, "INR")}

    payer = make_clerk()

    def send_to_bank():
        with suppress(NothingToSend):  # Already sent before the kill.
            withdrawals.send_to_bank(by=payer)

    faults.take("ask", partial(withdrawal_once, player=player, **asked, **sums))
    row = Withdrawal.objects.get()
    faults.take("approve", partial(withdrawals.approve, withdrawal_id=row.pk, by=clerk))
    faults.take("send", send_to_bank)
    note = getattr(withdrawals, end)
    faults.take(end, partial(note, withdrawal_id=row.pk, by=payer, remark="UTR 1"))

    assert balances(mine["deposit"], mine["winnings"], mine["withdrawal_hold"]) == [*kept, 0]
    assert min(faults.deaths[kind] for kind in ("ask", "approve", "send", end)) >= 3
    assert row_findings() == ()


def test_a_withdrawal_that_is_rejected(faults):
    player, clerk = make_player(), make_clerk()
    mine = fund(player, deposit=50_00)
    row = withdrawals.request_withdrawal(
        player=player, amount=Money(50, "INR"), payee=payee_for(player), requested_by=player
    )

    faults.take(
        "reject", partial(withdrawals.reject, withdrawal_id=row.pk, by=clerk, remark="Another name")
    )

    assert faults.deaths["reject"] >= 4
    assert balances(mine["deposit"], mine["withdrawal_hold"]) == [50_00, 0]
    assert row_findings() == ()


@pytest.mark.extended
def test_a_correction_and_a_frozen_account(faults):
    suspense = accounts.operator_account(kind=Account.Kind.SUSPENSE, currency="INR")
    mine, clerk = fund(make_player(), deposit=10_00)["deposit"], make_clerk()
    asked = adjustments.request_adjustment(
        source=suspense, target=mine, amount=Money(5, "INR"), reason="Paid twice", by=make_clerk()
    )

    def freeze():
        with suppress(NothingToDo):
            account_freezes.freeze_account(account=mine, reason="Claimed by a stranger", by=clerk)

    faults.take("approve", partial(adjustments.approve_adjustment, adjustment=asked, by=clerk))
    faults.take("freeze", freeze)

    assert balances(mine, suspense) == [15_00, -5_00]
    assert mine.freezes.count() == 1
    assert min(faults.deaths.values()) >= 3
    assert row_findings() == ()


@pytest.mark.extended
def test_a_bonus_given_released_and_at_its_end(faults):
    player, clerk = make_depositor(), make_clerk()
    mine = fund(player, deposit=500_00)
    asked = bonus_requests.request_bonus(
        player=player,
        amount=Money(50, "INR"),
        mode=BonusMode.RELEASE,
        term_days=30,
        reason="Welcome",
        by=make_clerk(),
    )

    faults.take("approve", partial(bonus_requests.approve_bonus, request=asked, by=clerk))
    asked.refresh_from_db()
    paid = join(player)
    faults.take("settle", partial(settle, paid, key="finish:1"))
    with days_later(31):
        faults.take("expire", partial(bonus_expiry.expire_bonus, grant_id=asked.grant_id))

    assert left(asked.grant) == [0]
    # 10 % of the entry of 100.00 was released; the rest of the lot returned to promotions.
    assert balances(mine["winnings"], asked.grant.account) == [110_00, 0]
    assert min(faults.deaths.values()) >= 3
    assert findings_later(31) == ()


def return_stake(stake):
    return stakes.return_stakes(stakes=[stake], key="leave:1")


@pytest.mark.extended
def test_a_refund_to_a_bonus_whose_end_has_come(faults):
    player = make_player()
    mine = fund(player, deposit=500_00)
    lot = give(player, 50, days=1)
    stake = join(player)

    with days_later(2):
        faults.take("return", partial(return_stake, stake))

    assert left(lot) == [0]
    assert balances(mine["deposit"], lot.account) == [500_00, 0]
    assert faults.deaths["return"] >= 4
    assert findings_later() == ()
