"""Limits and deposits still count after closing an account and registering again."""

from datetime import timedelta

import pytest
from django.utils import timezone
from moneyed import Money

from players.accounts.models import User
from players.limits.models import OwnLimit
from tables.accounts.closure import close_account
from tables.exceptions import DebtLeft
from tests.builders.people.accounts import unverify
from tests.builders.wallet.bonus_desk import days_later, join, settle
from tests.builders.wallet.cashier_desk import make_depositor, start_deposit, tell
from tests.builders.wallet.players import fund, make_escrow, verify_email
from wallet.deposits.limits import remaining_limits, set_limit
from wallet.deposits.models import GatewayEvent
from wallet.exceptions import DepositLimitReached
from wallet.gateways.sandbox_page import Sent

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("lawful", "untaxed")]
EMAIL = "asha@example.com"
DAY = OwnLimit.Period.DAY


def inr(amount):
    return Money(amount, "INR")


def limit(player, rupees):
    return set_limit(
        player=player, period=DAY, currency="INR", amount=rupees and inr(rupees), is_proved=True
    )


def day_of(player):
    return next(
        limit for limit in remaining_limits(player=player, currency="INR") if limit.period == DAY
    )


def closed(player):
    return close_account(player_id=player.pk)


def test_deposit_limit_holds_for_returning_players_and_its_raise_waits():
    before = make_depositor(email=EMAIL)
    limit(before, 500)
    closed(before)
    again = make_depositor(email=EMAIL)

    raised = limit(again, 5_000)

    assert raised.applies_at - raised.asked_at == timedelta(days=1)
    assert (day_of(again).own, day_of(again).coming.amount) == (inr(500), inr(5_000))
    assert day_of(again).coming.applies_at == raised.applies_at
    with pytest.raises(DepositLimitReached):
        start_deposit(player=again, amount=inr(501))
    assert limit(again, 100).applies_at <= timezone.now()
    assert day_of(again).own == inr(100)


def test_deposits_of_the_closed_account_count():
    before = make_depositor(email=EMAIL)
    start_deposit(player=before, amount=inr(400))
    closed(before)

    assert day_of(make_depositor(email=EMAIL)).used == inr(400)
    assert day_of(make_depositor()).used == inr(0)


def test_unverified_address_shares_no_limits():
    planted = make_depositor(email=EMAIL)
    unverify(planted)
    limit(planted, 1)
    closed(planted)
    victim = make_depositor(email=EMAIL)
    assert day_of(victim).own is None

    limit(victim, 500)
    closed(victim)
    stranger = User.objects.create_user(handle="stranger", email=EMAIL)

    assert day_of(stranger).own is None
    verify_email(stranger)
    assert day_of(stranger).own == inr(500)


def test_closed_account_keeps_a_keyed_hash_only_if_limits_count(settings):
    plain, limited = make_depositor(), make_depositor(email=EMAIL)
    limit(limited, 500)
    assert closed(plain).closed_email_hash == ""
    kept = closed(limited)

    assert len(kept.closed_email_hash) == 64
    assert EMAIL not in str(User.objects.filter(pk=kept.pk).values().get())
    again = make_depositor(email=EMAIL.upper())
    settings.SECRET_KEY_FALLBACKS, settings.SECRET_KEY = [settings.SECRET_KEY], "another key"
    assert day_of(again).own == inr(500)
    settings.SECRET_KEY_FALLBACKS = []
    assert day_of(again).own is None


def test_an_old_deposit_alone_keeps_nothing():
    player = make_depositor()
    start_deposit(player=player, amount=inr(400))
    with days_later(31):
        assert closed(player).closed_email_hash == ""


def test_closing_debtor_sees_the_debt(client):
    player, rival, escrow = make_depositor(), make_depositor(), make_escrow()
    fund(rival, deposit=100_00)
    deposit = start_deposit(player=player, amount=inr(100))
    tell(deposit, Sent())
    mine, theirs = (join(one, escrow=escrow) for one in (player, rival))
    settle(mine, theirs, winner=rival)
    fund(player, winnings=30_00)
    tell(deposit, Sent(GatewayEvent.Kind.DISPUTE_LOST, case="d1"))

    with pytest.raises(DebtLeft, match=r"You owe ₹70\.00"):
        close_account(player_id=player.pk)

    player.refresh_from_db()
    assert player.is_active
