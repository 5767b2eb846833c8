"""Unpaid orders are cancelled or closed; a later payment is credited once."""

import pytest
from django.db import IntegrityError, transaction
from django.urls import reverse

from tests.builders.people.regions import open_region
from tests.builders.wallet.cashier_desk import make_deposit, money_of, press, tell
from tests.builders.wallet.players import books
from tests.builders.wallet.tax_office import no_gst
from wallet.audit.audit import row_findings
from wallet.deposits.limits import remaining_limits
from wallet.deposits.models import Deposit
from wallet.deposits.unpaid_orders import cancel_deposit
from wallet.exceptions import DepositNotOpen
from wallet.gateways.sandbox_page import FAILED, Sent
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
    ("events", "status"), [([Sent()], "paid"), ([Sent(surplus_minor=-100)], "checking")]
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


def test_database_cancels_or_closes_unpaid_orders_only(owner):
    checking, paid = make_deposit(), make_deposit()
    tell(checking, Sent(surplus_minor=100))
    tell(paid, Sent())
    cancelled = cancel(make_deposit())
    for deposit, status, refusal in (
        *((checking, status, "not unpaid") for status in ("cancelled", "closed")),
        (cancelled, "created", "not new"),
        (paid, "created", "is credited"),
    ):
        with owner(), pytest.raises(IntegrityError, match=refusal), transaction.atomic():
            Deposit.objects.filter(pk=deposit.pk).update(status=status)


def test_player_cancels_on_the_page_or_by_api_and_the_gateway_takes_no_payment(client):
    deposit, other = make_deposit(), make_deposit()
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
    by_api = reverse("api-cancel-deposit", args=[other.public_id])
    assert client.post(by_api).status_code == 404
    client.force_login(other.player)
    answer = client.post(by_api)
    assert (answer.status_code, answer.json()["status"]) == (200, "cancelled")
    assert client.get(reverse("api-deposits")).json()["results"] == [answer.json()]
    tell(other, Sent())
    late = client.post(by_api)
    assert (late.status_code, late.json()["code"]) == (409, "deposit_not_open")
