"""Withdrawal pages: the player's own, and the staff's queue."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from core.admin.previews import SHOWN
from tests.builders.staff.people import a_person, clerk_who_may
from tests.builders.wallet.payout_desk import make_sent, make_withdrawal, signed_in_payee, step
from tests.builders.wallet.players import fund, make_player
from wallet.audit.audit import row_findings
from wallet.cashier.models import IdempotentRequest
from wallet.withdrawals import withdrawals
from wallet.withdrawals.models import PayoutBatch, Withdrawal

pytestmark = pytest.mark.django_db


def said(client, **overrides):
    payee = signed_in_payee(client)
    form = client.get(reverse("start-withdrawal")).context["form"]
    key = str(form["key"].value())
    return {"amount": "70.00", "key": key, "payee": payee} | overrides


@pytest.fixture
def me(client):
    player = make_player()
    fund(player, bonus=10_00, deposit=50_00, winnings=50_00)
    client.force_login(player)
    return player


def test_a_page_sent_twice_is_one_withdrawal_with_its_due_time(client, me):
    fields = said(client)

    client.post(reverse("start-withdrawal"), fields)
    page = client.post(reverse("start-withdrawal"), fields, follow=True).content.decode()

    withdrawal = Withdrawal.objects.get()
    assert "Waiting for approval" in page
    assert "Withdrawal requested. It waits for approval." in page
    receipt = client.get(reverse("wallet-receipt", args=[withdrawal.hold.public_id])).text
    assert "Withdrawal: waiting for approval." in receipt
    assert withdrawal.due_at.astimezone().isoformat()[:13] in page
    assert "ending in 7890" in page
    assert "001234567890" not in page


def test_withdrawal_page_shows_the_term_and_refusals(client, me):
    form = client.get(reverse("start-withdrawal")).content.decode()
    page = client.post(reverse("start-withdrawal"), said(client, amount="500")).content.decode()

    assert "within 24 hours" in form
    assert "within 48 hours" in form
    assert "exceeds your deposit and winnings" in page
    assert not Withdrawal.objects.exists()


@pytest.mark.parametrize(
    ("field", "values"),
    [
        ("tax_minor", ["1_0", "१२", "１２", "+5", "1e1", 0.5, "0.005", "-1", "", None, 2**63]),
        ("amount_minor", ["1_0", "१२", "１२", "\x00", "5\n", 0.5, True, 2**63, 10**400, None]),
        ("payee", ["1", "", None, "x" * 36]),
        ("currency", [1, "inr", "IN", "XQX", None]),
    ],
)
def test_the_api_takes_plain_texts_and_figures_only(client, me, field, values):
    body = {"amount_minor": 70_00, "currency": "INR", "payee": signed_in_payee(client)}

    for value in values:
        answer = client.post(
            reverse("api-withdrawals"),
            body | {field: value},
            content_type="application/json",
            headers={"Idempotency-Key": "k"},
        )
        assert (answer.status_code, answer.json()["code"]) == (400, "invalid"), value
        assert list(answer.json()["errors"]) == [field]

    assert not Withdrawal.objects.exists()
    assert not IdempotentRequest.objects.exists()


def test_player_sees_only_their_own_withdrawals(client, me):
    make_withdrawal(33)

    page = client.get(reverse("withdrawals")).content.decode()
    listed = client.get(reverse("api-withdrawals")).json()["results"]

    assert "33.00" not in page
    assert listed == []


@pytest.fixture
def desk(client):
    clerk = make_player(is_staff=True, is_superuser=True)
    client.force_login(clerk)

    def act(action, *chosen, remark=""):
        return client.post(
            reverse("admin:wallet_withdrawal_changelist"),
            {"action": action, "_selected_action": [row.pk for row in chosen], "remark": remark},
            follow=True,
        ).content.decode()

    return act


@pytest.mark.extended
def test_staff_take_a_withdrawal_from_the_queue_to_the_bank(client, desk):
    withdrawal = make_withdrawal()

    approved = desk("approve", withdrawal)
    alone = desk("send_to_bank", withdrawal)
    client.force_login(make_player(is_staff=True, is_superuser=True))
    desk("send_to_bank", withdrawal)
    batch = PayoutBatch.objects.get()
    file = client.get(reverse("admin:payout-file", args=[batch.pk]))
    lines = b"".join(file.streaming_content).decode().splitlines()
    paid = desk("mark_paid", withdrawal, remark="UTR123")

    assert "nothing_to_send" in alone
    assert f"Approved: {withdrawal}" in approved.replace("&nbsp;", "\xa0")
    assert f"Recorded as paid: {withdrawal}" in paid.replace("&nbsp;", "\xa0")
    assert lines == [
        "reference,payee_name,bank_account,ifsc,amount,currency",
        f"{withdrawal.public_id},Asha Rao,001234567890,HDFC0001234,70.00,INR",
    ]
    withdrawal.refresh_from_db()
    assert (withdrawal.status, withdrawal.remark) == ("paid", "UTR123")


def test_row_has_its_decision_and_its_details_for_those_who_may_decide(client):
    asked, approved = make_withdrawal(), make_withdrawal()
    step("approve", approved)
    listed = reverse("admin:wallet_withdrawal_changelist")

    client.force_login(a_person("Finance"))
    page = client.get(listed).text
    client.force_login(clerk_who_may("view_withdrawal"))
    reads = client.get(listed).text

    assert f'<form id="decide-{asked.pk}" method="post">' in page
    assert page.count(f'form="decide-{asked.pk}"') == 3  # Approve, the reason, Reject.
    assert f"decide-{approved.pk}" not in page
    assert "Asha Rao …7890" in page
    assert "decide-" not in reads
    assert reverse("admin:wallet_withdrawal_change", args=[asked.pk]) in reads


def test_several_are_approved_after_a_summary_of_what_still_holds(client, desk):
    first, second = make_withdrawal(), make_withdrawal(30)
    listed = reverse("admin:wallet_withdrawal_changelist")
    sent = {"action": "approve", "_selected_action": [first.pk, second.pk]}

    shown = client.post(listed, sent)
    again = dict(shown.context["again"])
    step("approve", first)
    changed = client.post(listed, sent | {SHOWN: again[SHOWN]})

    assert "Nothing is approved yet" in shown.text
    assert "The withdrawals have changed." in changed.text
    second.refresh_from_db()
    assert second.status == "requested"


def answer_of(*lines):
    text = "\n".join(["reference,amount,outcome,remark", *lines])
    return {"file": SimpleUploadedFile("answer.csv", text.encode(), "text/csv")}


def test_approver_gets_no_payout_file_and_records_no_bank_result(client, desk):
    withdrawal, other = make_withdrawal(), make_withdrawal()
    desk("approve", withdrawal)
    step("approve", other)
    batch = withdrawals.send_to_bank(by=make_player(is_staff=True))

    file = client.get(reverse("admin:payout-file", args=[batch.pk]), follow=True)
    lines = (f"{row.public_id},70.00,paid,UTR {row.pk}" for row in (withdrawal, other))
    answer = reverse("admin:payout-answer", args=[batch.pk])
    shown = client.post(answer, answer_of(*lines), follow=True).content.decode()

    assert "checker_is_maker" in file.content.decode()
    assert "Recorded: 1 paid, 0 refused." in shown
    assert "Line 2: " in shown
    withdrawal.refresh_from_db()
    assert withdrawal.status == "approved"


@pytest.mark.extended
def test_staff_record_the_banks_answer_to_a_file_and_may_repeat_it(client, desk):
    paid, failed, waits = (make_withdrawal() for _ in range(3))
    for withdrawal in (paid, failed, waits):
        step("approve", withdrawal)
    desk("send_to_bank", paid)
    page = reverse("admin:payout-answer", args=[PayoutBatch.objects.get().pk])
    lines = (f"{paid.public_id},70.00,paid,UTR 1", f"{failed.public_id},70.00,failed,No account")

    assert "3 of 3 not yet answered by the bank" in client.get(page).content.decode()
    for _ in range(2):
        shown = client.post(page, answer_of(*lines), follow=True).content.decode()
        assert "Recorded: 1 paid, 1 refused." in shown
        assert "1 of 3 not yet answered by the bank" in shown

    found = Withdrawal.objects.order_by("pk").values_list("status", "remark")
    assert list(found) == [("paid", "UTR 1"), ("failed", "No account"), ("approved", "")]
    again = answer_of(f"{paid.public_id},70.00,failed,No", f"{waits.public_id},70.00,paid,UTR 1")
    shown = client.post(page, again, follow=True).content.decode()
    assert "Line 2: " in shown
    assert "Line 3: " in shown
    assert "reference_used" in shown
    assert row_findings() == ()


@pytest.mark.extended
def test_unreadable_bank_answer_records_nothing(client, desk):
    sent, other = make_sent(), make_sent()
    page, good = reverse("admin:payout-answer", args=[sent.batch_id]), f"{sent.public_id},70,paid,1"

    for wrong in (
        [good, "x,70,paid,2"],
        [good, f"{other.public_id},70,paid,2"],
        [good, good],
        [f"{sent.public_id},70,perhaps,1"],
        [f"{sent.public_id},70,paid, "],
        [f"{sent.public_id},70,paid,{'9' * 201}"],
        [f"{sent.public_id}"],
        ['"'],
        [],
    ):
        shown = client.post(page, answer_of(*wrong), follow=True).content.decode()
        assert "bank_answer_unreadable" in shown, wrong
    assert client.post(page, {}).status_code == 200
    client.force_login(make_player(is_staff=True))
    assert client.post(page, answer_of(good)).status_code == 403

    assert not Withdrawal.objects.filter(status="paid").exists()
