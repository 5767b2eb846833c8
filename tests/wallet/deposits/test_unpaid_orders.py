"""Unpaid orders are cancelled or closed; a later payment is credited once."""

import pytest
from django.db import IntegrityError, connection, transaction
from django.urls import reverse

from tests.builders.people.regions import open_region
from tests.builders.processes.threads import at_once
from tests.builders.wallet.cashier_desk import make_deposit, make_depositor, money_of, press, tell
from tests.builders.wallet.players import books
from tests.builders.wallet.tax_office import no_gst
from wallet.audit.audit import row_findings
from wallet.deposits.models import Deposit
from wallet.deposits.remaining_limits import remaining_limits
from wallet.deposits.unpaid_orders import cancel_deposit
from wallet.exceptions import DepositNotOpen
from wallet.gateways.sandbox_page import FAILED, Sent
from wallet.ledger.models import Transfer
from wallet.tasks import close_unpaid_orders

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _lawful(settings, db):
    open_region("IN-KA")
    settings.DEPOSIT_LIMITS = {"day": 1_000, "month": None}
    no_gst()


def cancel(deposit):
    return cancel_deposit(deposit_id=deposit.pk)


def left_today(player):
    return int(remaining_limits(player=player, currency="INR")[0].left.amount)


@pytest.mark.parametrize("events", [[], [Sent(FAILED)]])
def test_a_cancelled_order_moves_nothing_and_counts_no_longer(events):
    deposit = make_deposit()
    tell(deposit, *events)
    before = books()

    first, again = cancel(deposit), cancel(deposit)

    assert (first.status, again.status) == ("cancelled", "cancelled")
    assert left_today(deposit.player) == 1_000
    assert books() == before


@pytest.mark.parametrize(
    ("events", "status"),
    [([Sent()], "paid"), ([Sent(surplus_minor=-100)], "checking")],
)
def test_an_order_money_has_come_for_is_not_cancelled(events, status):
    deposit = make_deposit()
    tell(deposit, *events)

    with pytest.raises(DepositNotOpen) as refusal:
        cancel(deposit)

    deposit.refresh_from_db()
    assert (refusal.value.code, deposit.status) == ("deposit_not_open", status)


def test_an_order_whose_time_is_over_is_closed_and_not_cancelled(later):
    old, paid = make_deposit(), make_deposit()
    tell(old, Sent(FAILED))
    tell(paid, Sent())
    later(minutes=61)
    young = make_deposit()

    with pytest.raises(DepositNotOpen):
        cancel(old)
    close_unpaid_orders()
    close_unpaid_orders()

    assert [Deposit.objects.get(pk=row.pk).status for row in (old, paid, young)] == [
        "closed",
        "paid",
        "created",
    ]


def give_up(deposit, how, later):
    if how == "cancelled":
        cancel(deposit)
    else:
        later(minutes=61)
        close_unpaid_orders()
    deposit.refresh_from_db()
    assert deposit.status == how


@pytest.mark.parametrize("how", ["cancelled", "closed"])
def test_payment_of_a_cancelled_order_is_credited_once(how, later):
    deposit = make_deposit()
    give_up(deposit, how, later)

    outcomes = tell(deposit, Sent(FAILED, 0), Sent(), Sent())

    deposit.refresh_from_db()
    assert outcomes == ["ignored", "credited", "ignored"]
    assert deposit.status == "paid"
    assert money_of(deposit) == [100_00, 0, -100_00]
    assert left_today(deposit.player) == 900
    close_unpaid_orders()
    with pytest.raises(DepositNotOpen):
        cancel(deposit)
    assert row_findings() == ()
    other = make_deposit()
    give_up(other, how, later)
    assert tell(other, Sent(surplus_minor=-100)) == ["suspense"]
    other.refresh_from_db()
    assert (other.status, money_of(other)[0]) == ("checking", 0)


@pytest.mark.django_db(transaction=True)
def test_concurrent_cancellation_and_payment_credit_once():
    deposits = [make_deposit() for _ in range(3)]

    for deposit in deposits:
        cancelled, shown = at_once([lambda d=deposit: cancel(d), lambda d=deposit: tell(d, Sent())])

        was_late = isinstance(cancelled, DepositNotOpen)
        assert was_late or cancelled.status == "cancelled"
        assert shown == ["credited"]
        deposit.refresh_from_db()
        assert deposit.status == "paid"
    assert Transfer.objects.filter(kind="deposit").count() == 3


def test_the_database_gives_up_unpaid_orders_only():
    deposit = make_deposit()
    tell(deposit, Sent(surplus_minor=100))

    for status in ("cancelled", "closed"):
        with pytest.raises(Exception, match="not unpaid"), transaction.atomic():
            connection.cursor().execute("UPDATE wallet_deposit SET status = %s", [status])
    cancelled = cancel(make_deposit())
    with pytest.raises(IntegrityError, match="not new"), transaction.atomic():
        Deposit.objects.filter(pk=cancelled.pk).update(status="created")


def test_a_player_cancels_on_the_page_and_the_bank_takes_it_no_more(client):
    deposit = make_deposit()
    client.force_login(deposit.player)
    page = reverse("deposit", args=[deposit.public_id])
    way = reverse("cancel-deposit", args=[deposit.public_id])

    offered = client.get(page).content.decode()
    done = client.post(way, follow=True).content.decode()
    bank = client.get(deposit.pay_url).content.decode()
    press(client, deposit, "pay")
    listed = client.get(reverse("deposits")).content.decode()

    assert f'action="{way}"' in offered
    assert "Payment cancelled" in done
    assert deposit.pay_url not in done
    assert way not in done
    assert "can no longer be paid" in bank
    assert "Cancelled by you" in listed
    deposit.refresh_from_db()
    assert deposit.status == "cancelled"
    assert client.get(way).status_code == 405


def test_page_explains_why_a_paid_order_is_not_cancelled(client):
    deposit = make_deposit()
    client.force_login(deposit.player)
    tell(deposit, Sent())

    way = reverse("cancel-deposit", args=[deposit.public_id])
    said = client.post(way, follow=True).content.decode()

    assert "This payment is complete" in said
    assert way not in said


def test_the_api_cancels_an_order_of_ones_own(client):
    deposit = make_deposit()
    way = reverse("api-cancel-deposit", args=[deposit.public_id])
    client.force_login(make_depositor())
    strange = client.post(way)
    assert client.get(reverse("api-deposits")).json()["results"] == []
    assert "No deposits yet." in client.get(reverse("deposits")).content.decode()
    client.force_login(deposit.player)

    done, again = client.post(way), client.post(way)
    listed = client.get(reverse("api-deposits")).json()["results"]
    tell(deposit, Sent())
    late = client.post(way)

    assert strange.status_code == 404
    assert (done.status_code, done.json()["status"]) == (200, "cancelled")
    assert again.json() == done.json() == listed[0]
    assert (late.status_code, late.json()["code"]) == (409, "deposit_not_open")
