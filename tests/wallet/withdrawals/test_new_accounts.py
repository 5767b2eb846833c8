"""Money for another bank account than before waits, and its player is written to at once."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from cryptography.fernet import Fernet
from django.conf import settings as django_settings
from django.core import mail
from django.db import IntegrityError, connections
from django.urls import reverse
from django.utils import timezone
from moneyed import Money

from players.notifications.actions import mail_due
from players.notifications.models import Notification
from players.notifications.texts import text_of
from tests.builders.wallet.payout_desk import PAYEE, step
from tests.builders.wallet.players import fund, make_player
from wallet.payments.exceptions import AccountNew
from wallet.payments.withdrawal_models import Withdrawal
from wallet.withdrawals import withdrawals
from wallet.withdrawals.payees import Payee

pytestmark = pytest.mark.django_db
OTHER = Payee("Asha Rao", "998877665544", "ICIC0001234")
TERM = timedelta(hours=django_settings.NEW_ACCOUNT_HOURS)


def ask(player, payee=PAYEE, rupees=10):
    return withdrawals.request_withdrawal(
        player=player, amount=Money(rupees, "INR"), payee=payee, requested_by=player
    )


@pytest.fixture
def asha():
    player = make_player(country="IN", region="KA")
    fund(player, deposit=500_00)
    return player


def later(monkeypatch, **by):
    now = timezone.now()
    monkeypatch.setattr(timezone, "now", lambda: now + timedelta(**by))


def test_the_first_account_and_money_to_it_again_wait_for_nobody(asha):
    for _ in range(2):
        asked = ask(asha)
        assert asked.account_new_until is None
        step("approve", asked)

    assert not Notification.objects.filter(kind="withdrawal_new_account").exists()


def test_another_account_waits_and_is_approved_afterwards(asha, monkeypatch):
    ask(asha)
    asked = ask(asha, OTHER)
    assert asked.account_new_until - asked.requested_at < TERM + timedelta(seconds=5)
    assert asked.due_at > asked.account_new_until

    with pytest.raises(AccountNew) as refusal:
        step("approve", asked)

    assert refusal.value.code == "account_new"
    asked.refresh_from_db()
    assert asked.status == "requested"
    later(monkeypatch, hours=django_settings.NEW_ACCOUNT_HOURS, seconds=1)
    step("approve", asked)
    assert ask(asha, OTHER).account_new_until is None


def test_a_second_request_does_not_begin_the_term_anew(asha, monkeypatch):
    ask(asha)
    first = ask(asha, OTHER)
    later(monkeypatch, hours=3)

    assert ask(asha, OTHER).account_new_until == first.requested_at + TERM


def test_what_staff_rejected_makes_no_account_known(asha, monkeypatch):
    ask(asha)
    step("reject", ask(asha, OTHER))
    later(monkeypatch, days=3)

    assert ask(asha, OTHER).account_new_until == timezone.now() + TERM


def test_the_same_account_at_another_branch_or_under_a_new_key_is_known(asha, settings):
    ask(asha)
    ask(asha, Payee("A. Rao", "1234567890", "HDFC0009999"))
    settings.PAYEE_KEYS = [Fernet.generate_key().decode(), *settings.PAYEE_KEYS]

    assert ask(asha).account_new_until is None


def test_the_player_is_written_to_at_once(asha):
    ask(asha)
    asked = ask(asha, OTHER)

    mail_due(now=timezone.now())

    notification = Notification.objects.get(kind="withdrawal_new_account")
    until = timezone.localtime(asked.account_new_until)
    said = text_of(notification)
    assert "ending in 5544" in said
    assert f"not earlier than {until.day} {until:%b %Y, %H:%M}" in said
    (message,) = mail.outbox
    assert "change your password" in message.body


def test_the_table_refuses_an_earlier_approval_too(asha):
    ask(asha)
    asked = ask(asha, OTHER)
    row = Withdrawal.objects.filter(pk=asked.pk)

    with pytest.raises(IntegrityError, match="to_a_new_account_waits"):
        row.update(
            status="approved", decided_by=make_player(is_staff=True), decided_at=timezone.now()
        )


def test_the_page_offers_name_and_bank_of_the_last_one_and_never_its_number(asha, client):
    ask(asha)
    ask(asha, OTHER)
    client.force_login(asha)

    page = client.get(reverse("start-withdrawal")).content.decode()
    mine = client.get(reverse("withdrawals")).content.decode()

    assert 'value="ICIC0001234"' in page
    assert "ending in 5544" in page
    assert OTHER.bank_account not in page
    assert mine.count("not sent earlier than") == 1


@pytest.mark.django_db(transaction=True)
def test_of_two_first_accounts_at_once_one_is_new(asha):
    def request(payee):
        try:
            return ask(asha, payee).account_new_until
        finally:
            connections.close_all()

    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(request, [PAYEE, OTHER]))

    assert sorted(until is None for until in found) == [False, True]
