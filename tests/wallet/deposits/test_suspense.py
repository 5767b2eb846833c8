"""Money in suspense is credited less its tax, or sent back, never both."""

import json

import pytest
from django.urls import reverse

from core.exceptions import AlreadyDecided
from tables.accounts.closure import close_account
from tables.exceptions import MoneyLeft
from tests.amounts import first
from tests.builders.processes.threads import at_once
from tests.builders.staff.previews import post_agreed
from tests.builders.wallet.cashier_desk import make_deposit, order, send, tell
from tests.builders.wallet.players import balances, books, make_player
from tests.builders.wallet.tax_office import deposit_money
from wallet.audit.audit import row_findings
from wallet.deposits import suspense
from wallet.deposits.models import StaffTask
from wallet.exceptions import AccountInactive, CurrencyMismatch, RemarkMissing
from wallet.gateways.sandbox_page import Sent, event_bodies
from wallet.ledger import accounts
from wallet.tax.models import GstCharge

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("lawful")]


def make_task(surplus_minor=-1_00):
    deposit = make_deposit()
    tell(deposit, Sent(surplus_minor=surplus_minor))
    return StaffTask.objects.get(deposit=deposit), deposit


def test_payment_of_another_amount_is_credited_once_less_its_tax():
    task, deposit = make_task()
    clerk = make_player(is_staff=True)

    done = suspense.place_payment(task_id=task.pk, by=clerk)

    before = books()
    suspense.place_payment(task_id=task.pk, by=clerk)
    with pytest.raises(AlreadyDecided):
        suspense.return_payment(task_id=task.pk, by=clerk, remark="rfnd_1")
    assert books() == before
    deposit.refresh_from_db()
    assert (deposit.status, done.done_at is not None) == ("placed", True)
    # 139.00 * 10000 // 14000
    assert deposit_money(deposit) == [99_28, 39_72, 0, -139_00]
    assert row_findings() == ()
    assert tell(deposit, Sent(payment=2)) == ["suspense"]


def test_a_payment_after_its_account_was_closed_waits_for_staff_and_goes_back():
    deposit, clerk = make_deposit(), make_player(is_staff=True)
    close_account(player_id=deposit.player_id)

    assert tell(deposit, Sent()) == ["suspense"]

    task = StaffTask.objects.get(deposit=deposit)
    assert (task.kind, deposit_money(deposit)[0]) == ("no_account", 0)
    with pytest.raises(AccountInactive):
        suspense.place_payment(task_id=task.pk, by=clerk)
    suspense.return_payment(task_id=task.pk, by=clerk, remark="rfnd_1")
    deposit.refresh_from_db()
    assert (deposit.status, deposit_money(deposit)) == ("returned", [0, 0, 0, 0])
    assert row_findings() == ()


@pytest.mark.django_db(transaction=True)
def test_concurrent_payment_and_account_closing_leave_no_money():
    deposit = make_deposit()

    [outcomes, closed] = at_once(
        [
            lambda: tell(deposit, Sent()),
            lambda: close_account(player_id=deposit.player_id).is_active,
        ]
    )

    # Either the money was credited and the account stays, or it closed and staff get a task.
    held = deposit_money(deposit)[0]
    if outcomes == ["credited"]:
        assert (type(closed), held) == (MoneyLeft, 100_00)
    else:
        assert (outcomes, closed, held) == (["suspense"], False, 0)
    assert row_findings() == ()


def test_money_sent_back_was_never_a_deposit():
    task, deposit = make_task()
    clerk = make_player(is_staff=True)
    with pytest.raises(RemarkMissing):
        suspense.return_payment(task_id=task.pk, by=clerk, remark=" ")

    suspense.return_payment(task_id=task.pk, by=clerk, remark="rfnd_1")

    deposit.refresh_from_db()
    assert deposit.status == "returned"
    assert deposit_money(deposit) == [0, 0, 0, 0]
    assert not GstCharge.objects.exists()
    assert tell(deposit, Sent(payment=2)) == ["credited"]


def test_a_second_payment_is_credited_and_the_order_stays_paid():
    deposit = make_deposit()
    tell(deposit, Sent(), Sent(payment=2))

    suspense.place_payment(task_id=StaffTask.objects.get().pk, by=make_player(is_staff=True))

    deposit.refresh_from_db()
    assert deposit.status == "paid"
    assert deposit_money(deposit) == [200_00, 80_00, 0, -280_00]
    assert row_findings() == ()


@pytest.mark.django_db(transaction=True)
def test_two_clerks_at_once_place_or_return_but_not_both():
    task, deposit = make_task()
    clerks = [make_player(is_staff=True) for _ in range(2)]

    results = at_once(
        [
            lambda: suspense.place_payment(task_id=task.pk, by=clerks[0]),
            lambda: suspense.return_payment(task_id=task.pk, by=clerks[1], remark="rfnd_1"),
        ]
    )

    assert sorted(type(result).__name__ for result in results) == ["AlreadyDecided", "StaffTask"]
    assert deposit_money(deposit) in ([99_28, 39_72, 0, -139_00], [0, 0, 0, 0])
    assert row_findings() == ()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("action", "message", "expected"),
    first(
        1,
        [
            ("place", "Credited: ", [99_28, 39_72, 0, -139_00]),
            ("send_back", "Recorded as sent back: ", [0, 0, 0, 0]),
        ],
    ),
)
def test_task_about_a_known_order_is_completed_only_with_its_money(
    client, action, message, expected
):
    task, deposit = make_task()
    clerk = make_player(is_staff=True, is_superuser=True)
    client.force_login(clerk)
    desk = reverse("admin:wallet_stafftask_changelist")
    chosen = {"_selected_action": [task.pk], "remark": "rfnd_1"}

    refused = client.post(desk, chosen | {"action": "done"}, follow=True)
    task.refresh_from_db()
    assert "not_placed" in refused.text
    assert task.done_at is None
    done = post_agreed(client, desk, chosen | {"action": action})

    task.refresh_from_db()
    assert message in done.text
    assert task.done_by == clerk
    assert deposit_money(deposit) == expected


def test_money_of_another_currency_is_only_sent_back():
    deposit = make_deposit()
    [body] = event_bodies(order(deposit), [Sent()])
    send(json.dumps(json.loads(body) | {"currency": "USD"}).encode())
    task, clerk = StaffTask.objects.get(), make_player(is_staff=True)

    with pytest.raises(CurrencyMismatch):
        suspense.place_payment(task_id=task.pk, by=clerk)
    suspense.return_payment(task_id=task.pk, by=clerk, remark="rfnd_1")

    usd = accounts.operator_account(kind="suspense", currency="USD")
    assert balances(usd) == [0]
    assert row_findings() == ()
