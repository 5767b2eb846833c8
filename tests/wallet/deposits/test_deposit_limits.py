"""Deposit limits: the lower of operator's and player's, checked under a lock, raised next day."""

import pytest
from django.urls import reverse
from moneyed import Money

from players.limits.models import OwnLimit
from tests.builders.people.regions import open_region
from tests.builders.people.sessions import prove
from tests.builders.processes.threads import at_once
from tests.builders.wallet.amounts import sent
from tests.builders.wallet.cashier_desk import make_depositor, start_deposit, tell
from tests.builders.wallet.tax_office import no_gst
from wallet.deposits.limits import remaining_limits, set_limit
from wallet.deposits.models import Deposit
from wallet.exceptions import DepositLimitReached, LimitAboveOperator
from wallet.gateways.sandbox_page import FAILED, Sent

pytestmark = pytest.mark.django_db
DAY, MONTH = OwnLimit.Period.DAY, OwnLimit.Period.MONTH


@pytest.fixture(autouse=True)
def _lawful(settings, db):
    open_region("IN-KA")
    settings.DEPOSIT_LIMITS = {"day": 1_000, "month": 2_500}
    no_gst()


def pay_in(player, rupees):
    deposit = start_deposit(player=player, amount=Money(rupees, "INR"))
    tell(deposit, Sent())
    return deposit


def limit(player, rupees, period=DAY):
    amount = None if rupees is None else Money(rupees, "INR")
    return set_limit(player=player, period=period, currency="INR", amount=amount, is_proved=True)


def left(player):
    """Return the whole rupees left within 24 hours and within 30 days."""
    limits = remaining_limits(player=player, currency="INR")
    return [None if limit.left is None else int(limit.left.amount) for limit in limits]


def test_the_last_paisa_of_the_limit_can_be_paid_in_and_not_one_more():
    player = make_depositor()
    pay_in(player, 600)

    with pytest.raises(DepositLimitReached, match=r"₹1,000\.00 in 24 hours; ₹400\.00") as no:
        start_deposit(player=player, amount=Money("400.01", "INR"))
    pay_in(player, 400)

    assert (no.value.code, no.value.status) == ("deposit_limit", 422)
    assert left(player) == [0, 1_500]
    assert Deposit.objects.count() == 2


def test_the_periods_roll(later):
    player = make_depositor()
    for _day in range(2):
        pay_in(player, 1_000)
        later(hours=25)

    assert left(player) == [1_000, 500]
    with pytest.raises(DepositLimitReached, match="30 days"):
        start_deposit(player=player, amount=Money(501, "INR"))
    later(days=30)
    assert left(player) == [1_000, 2_500]


@pytest.mark.parametrize("events", [[], [Sent(FAILED)], [Sent()], [Sent(surplus_minor=-100)]])
def test_order_counts_from_its_start_in_every_state(events):
    player = make_depositor()
    tell(start_deposit(player=player, amount=Money(900, "INR")), *events)

    with pytest.raises(DepositLimitReached):
        start_deposit(player=player, amount=Money(101, "INR"))


def test_unpaid_order_counts_while_it_can_be_paid_and_again_when_it_is_paid_late(client, later):
    player = make_depositor()
    deposit = start_deposit(player=player, amount=Money(900, "INR"))
    client.force_login(player)
    page = reverse("deposit", args=[deposit.public_id])
    assert deposit.pay_url in client.get(page).content.decode()

    later(minutes=61)

    assert left(player) == [1_000, 2_500]
    assert deposit.pay_url not in client.get(page).content.decode()
    assert tell(deposit, Sent()) == ["credited"]
    assert left(player) == [100, 1_600]


def test_a_lower_limit_applies_at_once():
    player = make_depositor()
    pay_in(player, 300)

    limit(player, 200)

    assert left(player) == [0, 2_200]
    limit(player, 50, MONTH)
    assert left(player) == [0, 0]
    limit(player, 400, MONTH)
    with pytest.raises(DepositLimitReached, match=r"₹200\.00 in 24 hours; ₹0\.00"):
        start_deposit(player=player, amount=Money(1, "INR"))


@pytest.mark.parametrize(("raised", "after"), [(800, 800), (None, 1_000)])
def test_a_raise_waits_a_day(raised, after, later):
    player = make_depositor()
    limit(player, 200)

    limit(player, raised)

    later(hours=23, minutes=59)
    assert left(player)[0] == 200
    later(minutes=2)
    assert left(player)[0] == after


@pytest.mark.parametrize(("limits", "left_then"), [((800, 100), 100), ((900, 300), 200)])
def test_another_limit_replaces_a_pending_increase(limits, left_then, later):
    player = make_depositor()
    limit(player, 200)
    first, second = limits
    limit(player, first)
    later(hours=23)

    limit(player, second)

    later(hours=2)
    assert left(player)[0] == left_then
    later(hours=23)
    assert left(player)[0] == second


def test_operator_limit_overrides_the_players(settings):
    player = make_depositor()
    with pytest.raises(LimitAboveOperator):
        limit(player, 1_001)
    limit(player, 1_000)

    settings.DEPOSIT_LIMITS = {"day": 500, "month": None}
    assert left(player) == [500, None]
    settings.DEPOSIT_LIMITS = {"day": None, "month": None}
    limit(player, None)
    pay_in(make_depositor(), 9_999_999)


@pytest.mark.django_db(transaction=True)
def test_orders_at_once_do_not_share_what_is_left():
    player = make_depositor()

    outcomes = at_once([lambda: start_deposit(player=player, amount=Money(600, "INR"))] * 4)

    refused = [outcome for outcome in outcomes if isinstance(outcome, DepositLimitReached)]
    assert len(refused) == 3
    assert Deposit.objects.count() == 1


def test_limit_api_refuses_with_a_code_and_returns_the_remainder(client):
    client.force_login(make_depositor())
    prove(client)
    url = reverse("api-deposit-limits")
    asked = {"period": "day", "amount_minor": 250_00, "currency": "INR"}

    for wrong in WRONG:
        answer = client.post(url, asked | wrong, content_type="application/json")
        assert answer.status_code in (400, 422), wrong
        assert answer.json()["code"], wrong
    assert not OwnLimit.objects.exists()
    limits = client.post(url, asked, content_type="application/json").json()["results"]
    refused = client.post(
        reverse("api-deposits"),
        {"amount_minor": 250_01, "currency": "INR"},
        content_type="application/json",
        headers={"Idempotency-Key": "k"},
    )
    raised = client.post(url, asked | {"amount_minor": None}, content_type="application/json")

    assert limits[0] == {
        "period": "day",
        "currency": "INR",
        "operator": sent(1_000_00),
        "own": sent(250_00),
        "limit": sent(250_00),
        "used": sent(0),
        "left": sent(250_00),
        "coming": None,
    }
    assert (refused.status_code, refused.json()["code"]) == (422, "deposit_limit")
    [day, _month] = raised.json()["results"]
    assert (day["own"], day["coming"]["amount"]) == (sent(250_00), None)
    assert client.get(url).json() == raised.json()


WRONG = [
    {"period": "year"},
    {"amount_minor": 0},
    {"amount_minor": ""},  # Null would take a limit away; this is none.
    {"amount_minor": " "},
    {"currency": "PTS"},
    {"amount_minor": 1_000_01},
]


def test_pages_show_the_remaining_limit_before_payment(client):
    player = make_depositor()
    client.force_login(player)
    prove(client)
    url = reverse("deposit-limits")
    client.post(url, {"period": "day", "amount": "250"})

    raised = client.post(url, {"period": "day", "amount": "900"}, follow=True).content.decode()
    above = client.post(url, {"period": "day", "amount": "1001"}).content.decode()
    form = client.get(reverse("start-deposit"))
    refused = client.post(
        reverse("start-deposit"), {"amount": "251", "key": str(form.context["form"]["key"].value())}
    )

    assert "₹250.00" in form.content.decode()
    assert "Your limit increases after 24 hours" in raised
    assert "Raised to" in raised
    assert "The limit cannot exceed ₹1,000.00" in above
    assert "₹250.00 are left" in refused.content.decode()
    assert not Deposit.objects.exists()
