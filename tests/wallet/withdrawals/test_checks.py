"""Findings of the checks of a withdrawal, on its page and in the list."""

import pytest
from django.urls import reverse
from moneyed import Money

from core.admin.previews import SHOWN
from core.models import AuditEntry
from players.eligibility.holds import lift_hold, set_hold
from tests.builders.people.identities import verify_identity
from tests.builders.people.regions import open_region
from tests.builders.staff.people import SUPERUSER, a_person
from tests.builders.wallet.cashier_desk import make_depositor, tell
from tests.builders.wallet.payment_returns import OPEN, paid
from tests.builders.wallet.payout_desk import OTHER, PAYEE, payee_for
from tests.builders.wallet.players import fund
from wallet.withdrawals import withdrawals
from wallet.withdrawals.models import Withdrawal
from wallet.withdrawals.payees.sealing import Payee
from wallet.withdrawals.refusals import findings

pytestmark = pytest.mark.django_db
QUEUE = reverse("admin:wallet_withdrawal_changelist")


def ask(player, payee=PAYEE):
    return withdrawals.request_withdrawal(
        player=player, amount=Money(10, "INR"), payee=payee_for(player, payee), requested_by=player
    )


@pytest.fixture
def asha():
    open_region("IN-KA")
    player = make_depositor()
    fund(player, deposit=500_00)
    return player


def test_verified_players_own_account_has_no_findings(asha):
    verify_identity(asha)

    assert list(findings(ask(asha))) == []


def test_hold_or_block_after_the_request_is_a_finding(asha, client):
    verify_identity(asha)
    asked, clerk = ask(asha), a_person("Finance")
    hold = set_hold(player_id=asha.pk, kind="withdraw", by=a_person("Support"), reason="A fraud?")
    other = make_depositor()
    fund(other, deposit=500_00)
    client.force_login(clerk)
    both = {"action": "approve", "_selected_action": [asked.pk, ask(other, OTHER).pk]}

    said = client.post(QUEUE, both, follow=True).text

    assert list(findings(asked)) == ["The player's withdrawals are on hold."]
    assert "withdrawals are on hold" in said
    asked.refresh_from_db()
    assert asked.status == "requested"
    lift_hold(hold_id=hold.pk, by=a_person("Support"), reason="A mistake")
    asha.is_active = False
    asked.player = asha
    assert list(findings(asked)) == ["The player's account is blocked or closed."]


def test_missing_verification_and_another_name_are_findings(asha):
    asked = ask(asha)
    assert list(findings(asked)) == ["The player's identity is not verified."]

    verify_identity(asha, "Bina Shah")

    assert list(findings(asked)) == [
        "The account holder's name differs from the player's document."
    ]


def test_a_new_account_that_is_another_player_s_too(asha):
    verify_identity(asha)
    bina = make_depositor()
    fund(bina, deposit=500_00)
    ask(bina, OTHER)
    ask(asha)

    new, shared = findings(ask(asha, OTHER))

    assert new.startswith("The bank account is new until ")
    assert shared == "Other players with this account: 1."


def test_payment_in_dispute_is_a_finding_and_refuses(asha):
    verify_identity(asha)
    deposit = paid(asha)
    asked = ask(asha)
    tell(deposit, OPEN)

    assert list(findings(asked)) == ["A payment of the player is disputed or being refunded."]


def confirmed(client, sent):
    """Approve several withdrawals and confirm the summary; return both responses."""
    shown = client.post(QUEUE, sent, follow=True)
    again = dict(shown.context["again"])
    return shown, client.post(QUEUE, sent | {SHOWN: again[SHOWN]}, follow=True)


def test_queue_shows_findings_and_approves_withdrawals_without_any(asha, client):
    verify_identity(asha)
    ready, also = ask(asha), ask(asha)
    waits = ask(asha, OTHER)
    cyra = make_depositor()
    fund(cyra, deposit=50_00)
    nobody = ask(cyra, Payee("Cyra Rao", "55667788990", "SBIN0001234"))
    client.force_login(a_person(SUPERUSER))

    before = client.get(QUEUE).text
    chosen = [each.pk for each in (ready, also, waits, nobody)]
    shown, done = confirmed(client, {"_selected_action": chosen, "action": "approve", "remark": ""})
    said = done.text

    assert before.count("No findings.") == 2
    assert before.count("The bank account is new until") == 1
    assert shown.context["approved"] == [ready, also]
    assert shown.context["totals"] == ["₹20.00"]
    assert [one.withdrawal for one in shown.context["left_out"]] == [waits, nobody]
    said = said.replace("&nbsp;", "\xa0")
    assert f"Approved: {ready}; {also}" in said
    assert f"{waits}: The bank account is new until" in said
    assert f"{nobody}: The player&#x27;s identity is not verified. (checks_failed)" in said
    acts = AuditEntry.objects.filter(act="approve", kind="wallet.withdrawal")
    assert acts.count() == 2
    found = Withdrawal.objects.order_by("pk").values_list("status", flat=True)
    assert list(found) == ["approved", "approved", "requested", "requested"]
    assert "No findings." not in client.get(QUEUE).text

    client.post(QUEUE, {"_selected_action": [nobody.pk], "action": "approve", "remark": ""})

    nobody.refresh_from_db()  # Selected alone, it is approved despite findings.
    assert nobody.status == "approved"
