"""A withdrawal that outlasts its promise is told to staff, once for each state (RB 11.2)."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone
from structlog.testing import capture_logs

from tests.wallet.builders import books, make_player
from tests.wallet.test_withdrawals import make_withdrawal, step
from tests.wallet.threads import at_once
from wallet.models import StaffTask
from wallet.services import overdue
from wallet.tasks import report_overdue


@pytest.fixture
def late(monkeypatch):
    def wait(**hours):
        late = timezone.now() + timedelta(**hours)
        monkeypatch.setattr(timezone, "now", lambda: late)

    return wait


@pytest.mark.django_db
def test_a_withdrawal_in_time_is_no_task(late):
    make_withdrawal()
    late(hours=23)

    assert overdue.report_overdue() == []
    assert not StaffTask.objects.exists()


@pytest.mark.django_db
def test_each_broken_promise_is_told_once(late):
    withdrawal = make_withdrawal()
    before = books()
    late(hours=25)

    with capture_logs() as logs:
        [undecided] = overdue.report_overdue()
        assert overdue.report_overdue() == []
    step("approve", withdrawal)
    late(hours=49)
    [unpaid] = overdue.report_overdue()

    assert (undecided.kind, unpaid.kind) == ("late_decision", "late_payment")
    assert undecided.transfer == unpaid.transfer == withdrawal.hold
    [told] = [entry for entry in logs if entry["event"] == "withdrawal_overdue"]
    assert (told["log_level"], told["withdrawal"]) == ("warning", withdrawal.pk)
    assert StaffTask.objects.undone().count() == 2
    assert books() == before


@pytest.mark.django_db(transaction=True)
def test_workers_at_once_tell_it_once(late):
    make_withdrawal()
    late(hours=25)

    assert at_once([report_overdue] * 4) == [None] * 4
    assert StaffTask.objects.count() == 1


@pytest.mark.django_db
def test_the_queue_and_the_menu_say_how_many_are_late(client, late):
    make_withdrawal()
    staff = make_player(is_staff=True, is_superuser=True)
    client.force_login(staff)
    queue = reverse("admin:wallet_withdrawal_changelist")
    assert b"1 late" not in client.get(queue).content
    late(hours=25)
    overdue.report_overdue()

    page = client.get(queue)

    assert page.status_code == 200
    assert b"1 late" in page.content
    assert b"1 to do" in page.content
