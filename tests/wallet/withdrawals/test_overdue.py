"""A withdrawal past its deadline becomes a staff task, once per state (RB 11.2)."""

import re
from functools import partial

import pytest
from django.urls import reverse
from structlog.testing import capture_logs

from tests.builders.processes.threads import at_once
from tests.builders.wallet.payout_desk import make_sent, make_withdrawal, step
from tests.builders.wallet.players import books, make_player
from wallet.deposits.models import StaffTask
from wallet.tasks import report_overdue
from wallet.withdrawals import overdue

pytestmark = pytest.mark.django_db


def test_each_missed_deadline_makes_one_task(later):
    withdrawal = make_withdrawal()
    before = books()
    later(hours=23)
    assert overdue.report_overdue() == []
    later(hours=2)

    with capture_logs() as logs:
        [undecided] = overdue.report_overdue()
        assert overdue.report_overdue() == []
    approver = make_player(is_staff=True)
    step("approve", withdrawal, approver)
    later(hours=49)
    [unpaid] = overdue.report_overdue()

    assert (undecided.kind, unpaid.kind) == ("late_decision", "late_payment")
    assert undecided.transfer == unpaid.transfer == withdrawal.hold
    [shown] = [entry for entry in logs if entry["event"] == "withdrawal_overdue"]
    assert (shown["log_level"], shown["withdrawal"]) == ("warning", withdrawal.pk)
    assert list(StaffTask.objects.undone()) == [unpaid]
    undecided.refresh_from_db()
    assert undecided.done_by == approver
    assert books() == before


@pytest.mark.extended
@pytest.mark.parametrize("way_out", ["mark_paid", "mark_failed"])
def test_a_late_payment_is_done_when_the_bank_has_answered(later, way_out):
    withdrawal = make_sent()
    other = make_withdrawal()
    later(hours=49)
    overdue.report_overdue()
    teller = make_player(is_staff=True)

    step(way_out, withdrawal, teller)

    [left] = StaffTask.objects.undone()
    assert left.transfer == other.hold
    assert StaffTask.objects.get(transfer=withdrawal.hold).done_by == teller


@pytest.mark.django_db(transaction=True)
def test_a_decision_made_while_workers_look_leaves_no_task_open(later):
    withdrawals = [make_withdrawal() for _ in range(2)]
    later(hours=25)

    outcomes = at_once(
        [*[partial(step, "reject", one) for one in withdrawals], report_overdue, report_overdue]
    )

    assert not [outcome for outcome in outcomes if isinstance(outcome, Exception)]
    assert not StaffTask.objects.undone().exists()


def test_queue_and_menu_show_the_number_of_overdue_withdrawals(client, later):
    make_withdrawal()
    staff = make_player(is_staff=True, is_superuser=True)
    client.force_login(staff)
    queue = reverse("admin:wallet_withdrawal_changelist")
    assert b"1 late" not in client.get(queue).content
    later(hours=25)
    overdue.report_overdue()
    client.force_login(staff)  # Sessions of staff have ended by then.

    page = client.get(queue)

    assert page.status_code == 200
    assert b"1 late" in page.content
    # The withdrawal, the task that it made, and the case of both.
    badges = re.findall(r"uppercase[^>]*>\s*(1(?:, 1 late)?)\s*</span>", page.text)
    assert sorted(badges) == ["1", "1", "1, 1 late"]
