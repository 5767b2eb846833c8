"""Terms and limits of money follow the database's clock, not a process's."""

from datetime import timedelta

import pytest
from django.conf import settings
from moneyed import Money

from core.clock import database_now
from players.limits.models import OwnLimit
from players.limits.own_limits import limit_states
from tests.builders.wallet.bonus_desk import give, left
from tests.builders.wallet.cashier_desk import make_depositor, start_deposit
from tests.builders.wallet.payout_desk import OTHER, make_withdrawal, payee_for, step
from tests.builders.wallet.players import fund, make_player
from wallet.bonuses import expiry
from wallet.cashier import requests
from wallet.cashier.models import IdempotentRequest
from wallet.cashier.requests import answer_once
from wallet.deposits import unpaid_orders
from wallet.deposits.limits import deposits_of, remaining_limits, set_limit
from wallet.deposits.models import Deposit
from wallet.exceptions import AccountNew
from wallet.withdrawals import overdue

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("lawful", "untaxed")]

DAY = 24 * 3_600
TERM = timedelta(hours=settings.NEW_ACCOUNT_HOURS)
AHEAD = 400 * DAY


def is_now(moment):
    return abs(database_now() - moment) < timedelta(seconds=5)


def test_new_payee_waits_for_its_term_from_a_process_with_a_wrong_clock(clocks):
    player = make_player()
    fund(player, deposit=500_00)
    payee_for(player)
    with clocks.process_clock(ahead=AHEAD):
        asked = make_withdrawal(10, player=player, payee=OTHER)
        assert is_now(asked.payee.registered_at)
        assert asked.account_new_until == asked.payee.registered_at + TERM

        with pytest.raises(AccountNew):
            step("approve", asked)
        clocks.let_pass(hours=settings.NEW_ACCOUNT_HOURS, seconds=1)
        step("approve", asked)


def test_withdrawal_is_late_after_its_longest_wait_alone(clocks):
    withdrawal = make_withdrawal()
    with clocks.process_clock(ahead=AHEAD):
        assert overdue.report_overdue() == []
        clocks.move_clock(withdrawal.due_at + timedelta(seconds=1))
        assert len(overdue.report_overdue()) == 1


def test_bonus_expires_by_the_databases_clock(clocks):
    lot = give(make_player(), 50, days=30)
    with clocks.process_clock(ahead=AHEAD):
        expiry.expire_due_bonuses()
        assert left(lot) == [50_00]
        clocks.let_pass(days=30, seconds=1)
        expiry.expire_due_bonuses()
        assert left(lot) == [0]


def test_order_can_be_paid_for_its_hour(clocks):
    with clocks.process_clock(ahead=AHEAD):
        deposit = start_deposit(player=make_depositor(), amount=Money(100, "INR"))
        assert is_now(deposit.created_at)
        assert deposit.is_payable
        assert unpaid_orders.close_unpaid() == 0
        clocks.let_pass(minutes=61)
        assert not deposit.is_payable
        assert unpaid_orders.close_unpaid() == 1
    assert Deposit.objects.get().status == Deposit.Status.CLOSED


def test_deposit_limits_roll_by_the_databases_clock(clocks):
    player = make_depositor()
    set_limit(player=player, period="day", currency="INR", amount=Money(500, "INR"), is_proved=True)
    start_deposit(player=player, amount=Money(200, "INR"))
    with clocks.process_clock(ahead=AHEAD):
        [day, _month] = remaining_limits(player=player, currency="INR")
    assert day.left == Money(300, "INR")


def test_raised_limit_waits_for_its_day(clocks):
    player = make_depositor()
    scope = deposits_of("INR", OwnLimit.Period.DAY)
    set_limit(player=player, period="day", currency="INR", amount=Money(500, "INR"), is_proved=True)
    with clocks.process_clock(ahead=AHEAD):
        more = Money(900, "INR")
        set_limit(player=player, period="day", currency="INR", amount=more, is_proved=True)
        asked = OwnLimit.objects.latest("pk")
        assert is_now(asked.asked_at)
        assert standing_most(player, scope) == 500_00
        clocks.let_pass(hours=24, seconds=1)
        assert standing_most(player, scope) == 900_00


def standing_most(player, scope):
    return limit_states(player, scope.kind)[scope].most


def test_answers_are_kept_for_their_days(clocks):
    answer_once(player=make_player(), route="r", key="k", asked=b"{}", act=dict)
    with clocks.process_clock(ahead=AHEAD):
        assert requests.forget_old_requests() == 0
        clocks.let_pass(days=settings.IDEMPOTENCY_KEPT_DAYS, seconds=1)
        assert requests.forget_old_requests() == 1
    assert not IdempotentRequest.objects.exists()
