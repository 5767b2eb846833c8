"""Accounting checklists of a day and a month: the state of each step, and who did it."""

from datetime import date, timedelta

import pytest
from django.utils import timezone

from finance.matching.actions import keep_file
from finance.reports.exports.models import ExportJob
from finance.reports.frame.models import DailyClose
from finance.tasks import close_days
from finance.tokens.actions import create_token
from staff.dashboard.checklists import REGISTERS, checklists
from tests.builders.books.full_books import SANDBOX_COLUMNS, Desk, a_day_passes
from tests.builders.books.gateway_files import line, pay
from tests.builders.staff.people import a_person
from tests.builders.wallet.payout_desk import make_withdrawal, step
from tests.builders.wallet.players import fund, make_player
from wallet.audit import freezes, seals
from wallet.audit.models import AuditRun, Seal
from wallet.deposits.deposits import finish_task
from wallet.deposits.models import StaffTask

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("lawful")]


def steps_of(day, *, month=False):
    """Return the steps of a day, or of its month, by label."""
    found = checklists(day, day + timedelta(days=1))[month]
    return {each.label: each for each in found.steps}


def states(day, *, month=False):
    return {label: each.tone for label, each in steps_of(day, month=month).items()}


def test_an_open_day_waits_for_everything():
    fund(make_player(), deposit=100)

    assert states(timezone.localdate()) == {
        "Day ended": "warn",
        "Sealed": "warn",
        "Audited": "warn",
        "Gateway files": "good",
        "Withdrawals requested": "good",
        "Tasks about money": "good",
        "Closed": "warn",
    }


def test_checklist_steps_of_a_day_show_who_did_them():
    reference, minor = pay()
    day = a_day_passes()
    assert steps_of(day)["Gateway files"].found == f"missing for 1 day: {day}"

    close_days()
    noon = timezone.now() - timedelta(days=1)
    by = a_person("Finance")
    body = SANDBOX_COLUMNS + line(reference, minor, at=noon)
    keep_file(provider="sandbox", name="day.csv", body=body.encode(), uploaded_by=by)
    AuditRun.objects.create(differences=0, transfers=1, entries=2, seconds=0.1)

    found = steps_of(day)
    # Transfers that a test has moved to another day are not sealed.
    expected = dict.fromkeys(found, "good") | {"Sealed": "warn"}
    assert {label: each.tone for label, each in found.items()} == expected
    assert found["Gateway files"].by == str(by)
    assert found["Closed"].at == DailyClose.objects.get().closed_at
    assert found["Audited"].at == AuditRun.objects.get().ran_at


def test_seals_are_done_once_every_transfer_of_the_day_has_one():
    fund(make_player(), deposit=100)
    today = timezone.localdate()

    before = steps_of(today)["Sealed"]
    seals.seal_ledger()
    after = steps_of(today)["Sealed"]

    assert (before.tone, after.tone) == ("warn", "good")
    assert "not sealed" in before.found
    assert after.at == Seal.objects.latest("number").sealed_at


def test_checklist_distinguishes_errors_from_pending_steps():
    fund(make_player(), deposit=100)
    day = a_day_passes()
    AuditRun.objects.create(differences=2, transfers=1, entries=2, seconds=0.1)

    audited = steps_of(day)["Audited"]

    assert (audited.tone, audited.found) == ("bad", "2 differences")
    freezes.check_books()
    assert AuditRun.objects.count() == 2  # The latest one counts.


def test_withdrawals_and_tasks_show_the_deciding_person(settings):
    today, by = timezone.localdate(), a_person("Finance")
    decided, _ = make_withdrawal(), make_withdrawal()
    step("reject", decided, by)
    task = StaffTask.objects.create(kind="session_ended", details="Look at this")

    before = steps_of(today)
    finish_task(task_id=task.pk, by=by)
    after = steps_of(today)

    assert (before["Withdrawals requested"].tone, before["Withdrawals requested"].by) == (
        "warn",
        by.handle,
    )
    assert before["Withdrawals requested"].found == "1 waiting, 0 late"
    assert (before["Tasks about money"].tone, after["Tasks about money"].tone) == ("warn", "good")
    assert after["Tasks about money"].by == by.handle


def test_a_late_withdrawal_is_wrong(settings):
    settings.WITHDRAWAL_WAIT_HOURS = {"requested": 0, "approved": 48}
    make_withdrawal()

    late = steps_of(timezone.localdate())["Withdrawals requested"]

    assert (late.tone, late.found) == ("bad", "1 waiting, 1 late")


def test_a_month_counts_its_closed_days_and_its_registers():
    fund(make_player(), deposit=100)
    day = a_day_passes()
    close_days()
    first = day.replace(day=1)
    last = (first + timedelta(days=31)).replace(day=1) - timedelta(days=1)
    token, _ = create_token(name="returns", scopes=["gst-invoices"], created_by=None)

    found = steps_of(day, month=True)
    assert found["Days closed"].found == f"1 of {(last - day).days + 1}"
    assert [found[f"Register: {one.title}"].tone for one in REGISTERS] == ["warn"] * 3
    for register in REGISTERS:
        ExportJob.objects.create(
            token=token,
            report=register.name,
            format="csv",
            first_day=first,
            last_day=last,
            tz="Asia/Kolkata",
            horizon=1,
            generated_at=timezone.now(),
            status="done",
            finished_at=timezone.now(),
            expires_at=timezone.now(),
            sha256="0" * 64,
            size_bytes=1,
            file="x",
        )

    found = steps_of(day, month=True)
    assert [found[f"Register: {one.title}"].by for one in REGISTERS] == ["returns"] * 3
    assert {found[f"Register: {one.title}"].tone for one in REGISTERS} == {"good"}


def test_registers_of_a_month_that_a_program_downloads_are_written(client):
    fund(make_player(), deposit=100)
    day = a_day_passes()
    first = day.replace(day=1)
    last = (first + timedelta(days=31)).replace(day=1) - timedelta(days=1)
    desk, month = Desk(client), {"from": first, "to": last}
    label = f"Register: {REGISTERS[0].title}"

    desk.page(REGISTERS[0].name, **month)
    desk.file(REGISTERS[0].name, format="csv", **month | {"to": first})
    assert steps_of(day, month=True)[label].tone == "warn"
    desk.file(REGISTERS[0].name, format="csv", **month)

    found = steps_of(day, month=True)[label]
    assert (found.tone, found.found, found.by) == ("good", "csv", "desk")
    assert "finance/export/" in found.url


def test_before_the_first_transfer_there_is_nothing_to_do():
    fund(make_player(), deposit=100)
    today = timezone.localdate()

    before = checklists(None, today)

    assert [one.number_left for one in before] == [0, 0]
    assert [step.found for one in before for step in one.steps] == ["no transfers until then"] * 2
    assert len(steps_of(today)) == 7


def test_yesterday_and_the_last_month_are_shown_unless_another_day_is_asked_for():
    today = date(2026, 3, 1)

    assert [one.title for one in checklists(None, today)] == [
        "Day 28 Feb 2026",
        "Month February 2026",
    ]
    assert [one.title for one in checklists(date(2026, 1, 5), today)] == [
        "Day 5 Jan 2026",
        "Month January 2026",
    ]
