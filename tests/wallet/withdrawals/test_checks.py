"""What the checks say of a withdrawal, on its page and for many in the list."""

import pytest
from django.urls import reverse
from moneyed import Money

from tests.builders.people.identities import verify_identity
from tests.builders.people.regions import open_region
from tests.builders.staff.people import SUPERUSER, a_person
from tests.builders.wallet.cashier_desk import make_depositor, tell
from tests.builders.wallet.payment_returns import OPEN, paid
from tests.builders.wallet.payout_desk import PAYEE
from tests.builders.wallet.players import fund
from wallet.payments.withdrawal_models import Withdrawal
from wallet.withdrawals import withdrawals
from wallet.withdrawals.checks import findings
from wallet.withdrawals.payees import Payee

pytestmark = pytest.mark.django_db
QUEUE = reverse("admin:wallet_withdrawal_changelist")
OTHER = Payee("Asha Rao", "998877665544", "ICIC0001234")


def ask(player, payee=PAYEE):
    return withdrawals.request_withdrawal(
        player=player, amount=Money(10, "INR"), payee=payee, requested_by=player
    )


@pytest.fixture
def asha():
    open_region("IN-KA")
    player = make_depositor()
    fund(player, deposit=500_00)
    return player


def test_nothing_is_said_of_a_verified_player_s_own_account(asha):
    verify_identity(asha)

    assert list(findings(ask(asha))) == []


def test_nobody_verified_and_another_name(asha):
    asked = ask(asha)
    assert list(findings(asked)) == ["Nobody has verified who the player is."]

    verify_identity(asha, "Bina Shah")

    assert list(findings(asked)) == ["The account is not in the name of the player's document."]


def test_a_new_account_that_is_another_player_s_too(asha):
    verify_identity(asha)
    bina = make_depositor()
    fund(bina, deposit=500_00)
    ask(bina, OTHER)
    ask(asha)

    new, shared = findings(ask(asha, OTHER))

    assert new.startswith("The bank account is new until ")
    assert shared == "Other players paid to this account: 1."


def test_a_payment_in_dispute_is_said_and_refuses(asha):
    verify_identity(asha)
    deposit = paid(asha)
    asked = ask(asha)
    tell(deposit, OPEN)

    assert list(findings(asked)) == ["A payment of the player is disputed or being refunded."]


def test_the_list_says_it_of_each_and_approves_all_that_it_may(asha, client):
    verify_identity(asha)
    ready, also = ask(asha), ask(asha)
    waits = ask(asha, OTHER)
    client.force_login(a_person(SUPERUSER))

    before = client.get(QUEUE).text
    chosen = [each.pk for each in (ready, also, waits)]
    said = client.post(
        QUEUE, {"_selected_action": chosen, "action": "approve", "remark": ""}, follow=True
    ).text

    assert before.count("Nothing stands out.") == 2
    assert before.count("The bank account is new until") == 1
    assert "account_new" in said
    found = Withdrawal.objects.order_by("pk").values_list("status", flat=True)
    assert list(found) == ["approved", "approved", "requested"]
    assert "Nothing stands out." not in client.get(QUEUE).text
