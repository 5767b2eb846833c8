"""Findings of the checks of a withdrawal, on its page and in the list."""

from contextlib import nullcontext
from functools import partial

import pytest
from django.db import Error, IntegrityError, connection, transaction
from django.urls import reverse
from django.utils import timezone
from moneyed import Money

from core.admin.previews import SHOWN
from core.exceptions import BadText, CheckerIsMaker
from core.models import AuditEntry
from players.eligibility.holds import lift_hold, set_hold
from tests.builders.people.identities import verify_identity
from tests.builders.people.regions import open_region
from tests.builders.staff.people import SUPERUSER, a_person
from tests.builders.wallet.bonus_desk import give
from tests.builders.wallet.cashier_desk import make_deposit, make_depositor, tell
from tests.builders.wallet.payment_returns import OPEN, paid
from tests.builders.wallet.payout_desk import (
    OTHER,
    PAYEE,
    make_sent,
    make_withdrawal,
    money_of,
    payee_for,
    step,
)
from tests.builders.wallet.players import books, fund, make_player
from wallet.audit.audit import row_findings
from wallet.deposits import suspense
from wallet.deposits.models import StaffTask
from wallet.exceptions import ReferenceUsed
from wallet.gateways.sandbox_page import Sent
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


def test_a_banks_reference_is_of_one_payment():
    first, second = make_sent(), make_sent()
    step("mark_paid", first)
    before = books()

    with pytest.raises(ReferenceUsed, match=str(first.public_id)):
        step("mark_paid", second)
    with pytest.raises(IntegrityError, match="bank_reference_once"), transaction.atomic():
        Withdrawal.objects.filter(pk=second.pk).update(
            status="paid", bank_reference="Be cause", due_at=None, closed_at=timezone.now()
        )

    assert books() == before
    assert money_of(second.player)[-1] == 70_00
    by = make_player(is_staff=True)
    withdrawals.mark_paid(withdrawal_id=second.pk, by=by, remark=" another ")
    assert row_findings() == ()
    first.refresh_from_db()
    second.refresh_from_db()
    assert [first.bank_reference, second.bank_reference] == ["BECAUSE", "ANOTHER"]


@pytest.mark.extended
def test_a_reference_is_the_same_in_another_case_and_with_spaces():
    first, second, by = make_sent(), make_sent(), make_player(is_staff=True)
    paid = withdrawals.mark_paid(withdrawal_id=first.pk, by=by, remark="UTR 0012ab")
    before = books()

    for text in ("utr 0012AB ", "Utr0012\u00a0Ab"):
        with pytest.raises(ReferenceUsed, match=str(first.public_id)):
            withdrawals.mark_paid(withdrawal_id=second.pk, by=by, remark=text)
        withdrawals.mark_paid(withdrawal_id=first.pk, by=by, remark=text)

    assert books() == before
    assert (paid.bank_reference, paid.remark) == ("UTR0012AB", "UTR 0012ab")


@pytest.mark.extended
def test_a_remark_is_one_line_and_is_refused_before_anything_is_posted():
    open_region("IN-KA")
    asked, sent, by = make_withdrawal(), make_sent(), make_player(is_staff=True)
    deposit = make_deposit()
    tell(deposit, Sent(surplus_minor=1_00))
    task = StaffTask.objects.get(deposit=deposit)
    lucky = make_player(country="IN", region="KA")
    before = books()

    for text in ("UTR 1\n2", "UTR\x01", "\u202eUTR"):
        for act in (
            partial(withdrawals.reject, withdrawal_id=asked.pk, by=by, remark=text),
            partial(withdrawals.mark_paid, withdrawal_id=sent.pk, by=by, remark=text),
            partial(withdrawals.mark_failed, withdrawal_id=sent.pk, by=by, remark=text),
            partial(suspense.return_payment, task_id=task.pk, by=by, remark=text),
            partial(give, lucky, 50, reason=text),
        ):
            with pytest.raises(BadText):
                act()

    assert books() == before


@pytest.mark.parametrize("step_name", ["mark_paid", "mark_failed"])
@pytest.mark.parametrize(("limit", "is_refused"), [(69, True), (70, False)])
def test_large_withdrawal_needs_a_third_person_for_its_result(
    settings, step_name, limit, is_refused
):
    settings.THREE_PEOPLE_ABOVE = limit
    sent = make_sent()
    sender = sent.batch.made_by

    if is_refused:
        with pytest.raises(CheckerIsMaker, match="third person"):
            step(step_name, sent, by=sender)
        sent.refresh_from_db()
        assert sent.status == "approved"
        step(step_name, sent)
    else:
        step(step_name, sent, by=sender)

    sent.refresh_from_db()
    assert sent.status == {"mark_paid": "paid", "mark_failed": "failed"}[step_name]


@pytest.fixture
def known_to_the_database(owner, settings):
    """Require three people above an amount, as stored by a migration."""

    def set_limit(rupees):
        with owner(), connection.cursor() as cursor:
            cursor.execute("UPDATE wallet_installation SET three_people_above = %s", [rupees])

    yield set_limit
    set_limit(settings.THREE_PEOPLE_ABOVE)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("limit", "is_refused"), [(69, True), (70, False)])
def test_database_requires_a_third_person_too(known_to_the_database, limit, is_refused):
    """A different amount in the application's settings does not bypass it."""
    known_to_the_database(limit)
    for step_name in ("mark_paid", "mark_failed"):
        sent = make_sent()
        with pytest.raises(Error, match="behind transfer") if is_refused else nullcontext():
            step(step_name, sent, by=sent.batch.made_by)
        sent.refresh_from_db()
        assert (sent.status == "approved") is is_refused
