"""A withdrawal's admin page offers the actions of the list."""

import pytest
from django.urls import reverse

from tests.builders.wallet.payout_desk import make_withdrawal
from tests.builders.wallet.players import make_player
from wallet.withdrawals.models import Withdrawal

pytestmark = pytest.mark.django_db
QUEUE = reverse("admin:wallet_withdrawal_changelist")


@pytest.fixture
def asked(client):
    client.force_login(make_player(is_staff=True, is_superuser=True))
    return make_withdrawal()


def page_of(client, withdrawal):
    return client.get(reverse("admin:wallet_withdrawal_change", args=[withdrawal.pk])).text


def press(client, withdrawal, action, remark=""):
    said = {"_selected_action": withdrawal.pk, "action": action, "remark": remark}
    page = client.post(QUEUE, said, follow=True).text
    withdrawal.refresh_from_db()
    return page


@pytest.mark.extended
def test_withdrawal_page_offers_both_decisions_and_then_the_next_step(client, asked):
    before = page_of(client, asked)
    press(client, asked, "approve")
    after = page_of(client, asked)

    assert asked.status == Withdrawal.Status.APPROVED
    assert 'value="approve"' in before
    assert 'value="reject"' in before
    assert "send the approved withdrawals to the bank" in after
    assert 'value="approve"' not in after


@pytest.mark.extended
def test_a_rejection_needs_its_reason_as_in_the_list(client, asked):
    press(client, asked, "reject")
    assert asked.status == Withdrawal.Status.REQUESTED

    press(client, asked, "reject", remark="Another name")
    assert (asked.status, asked.remark) == (Withdrawal.Status.REJECTED, "Another name")


@pytest.mark.extended
def test_parts_are_amounts_with_their_currency(client, asked):
    page = page_of(client, asked)

    assert "Deposit minor" not in page
    assert "₹" in page
