"""The queue of cases: open rows of all kinds, for permitted staff."""

import csv
import io
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from players.cases import actions, help_requests
from players.cases.data_requests import answer_request, ask_about_data
from players.cases.help_requests import write_to_support
from players.cases.models import Case, DataRequest
from staff.cases.kinds import (
    DATA_REQUESTS,
    DISPUTES,
    FINDINGS,
    FLAGS,
    HELP_REQUESTS,
    KINDS,
    REPORTS,
    TASKS,
    WITHDRAWALS,
)
from staff.cases.queue import MINE, UNASSIGNED, Filters, queue, waiting
from tables.integrity.moderation import disputes
from tables.manners.actions import decide_report
from tables.seats.models import ReviewFlag
from tests.builders.staff.people import a_person, clerk, promote
from tests.builders.tables.disputes import complain, played_deal, send_report
from tests.builders.tables.findings import make_finding
from tests.builders.wallet.payout_desk import make_withdrawal, step
from tests.builders.wallet.players import acts, make_player
from wallet.deposits.deposits import finish_task
from wallet.deposits.models import StaffTask

pytestmark = pytest.mark.django_db
ALL = Filters()


def late_withdrawal(settings):
    """A withdrawal due at the time of its request."""
    settings.WITHDRAWAL_WAIT_HOURS = {"requested": 0, "approved": 48}
    return make_withdrawal()


def flag_of(dispute):
    seat = dispute.seat
    other = seat.table.seats.exclude(pk=seat.pk).first()
    return ReviewFlag.objects.create(table=seat.table, kind="network", seat=seat, other=other)


def names(viewer, filters=ALL):
    return [line.kind.name for line in waiting(viewer, list(queue(viewer, filters)))]


def case_of(kind, row):
    return kind.subject(kind.rows(clerk(is_superuser=True)).get(pk=row.pk))


@pytest.fixture
def things(settings):
    """One open row of each kind."""
    dispute = complain(played_deal())
    return {
        DISPUTES: dispute,
        REPORTS: send_report(dispute.deal),
        FLAGS: flag_of(dispute),
        FINDINGS: make_finding(make_player(), make_player()),
        WITHDRAWALS: late_withdrawal(settings),
        DATA_REQUESTS: ask_about_data(
            player=make_player(), about=DataRequest.About.PLACE, text="I have moved."
        ),
        HELP_REQUESTS: write_to_support(
            player=make_player(), email="", language="en", subject="Bonus", text="Where is it?"
        ),
        TASKS: StaffTask.objects.create(kind="session_ended", details="Look at this"),
    }


@pytest.mark.extended
def test_queue_has_every_kind_while_its_row_is_open(things):
    viewer, by = clerk(is_superuser=True), clerk()

    assert sorted(names(viewer)) == sorted(kind.name for kind in KINDS)
    disputes.answer_dispute(dispute_id=things[DISPUTES].pk, by=by, answer="It ran as it should.")
    decide_report(report_id=things[REPORTS].pk, by=by, outcome="warned", note="It is so.")
    finish_task(task_id=things[TASKS].pk, by=by)
    step("approve", things[WITHDRAWALS])
    # Messages to support open their case themselves.
    assert [case.kind for case in Case.objects.all()] == [HELP_REQUESTS.name]
    help_requests.answer_request(request_id=things[HELP_REQUESTS].pk, by=by, answer="Soon.")
    answer_request(request_id=things[DATA_REQUESTS].pk, by=by, answer="Corrected.")

    assert sorted(names(viewer)) == ["tables.finding", "tables.reviewflag"]


@pytest.mark.extended
def test_each_role_sees_the_kinds_its_lists_show(things):
    seen = {role: {*names(a_person(role))} for role in ("Support", "Finance", "Operations")}

    assert seen == {
        "Support": {
            "players.datarequest",
            "players.helprequest",
            "tables.dispute",
            "tables.playerreport",
            "tables.reviewflag",
            "wallet.withdrawal",
            "wallet.stafftask",
        },
        "Finance": {"tables.finding", "wallet.withdrawal", "wallet.stafftask"},
        "Operations": {
            "tables.dispute",
            "tables.playerreport",
            "tables.reviewflag",
            "tables.finding",
        },
    }
    assert names(clerk()) == []


@pytest.mark.extended
def test_cases_are_ordered_by_priority_and_due_time(things):
    viewer, by = clerk(is_superuser=True), clerk()

    assert names(viewer)[0] == "wallet.withdrawal"  # It is late already.
    actions.rank_case(
        subject=case_of(TASKS, things[TASKS]), priority=Case.Priority.URGENT, due_at=None, by=by
    )
    early = timezone.now() - timedelta(days=1)
    actions.rank_case(
        subject=case_of(FLAGS, things[FLAGS]), priority=Case.Priority.NORMAL, due_at=early, by=by
    )

    assert names(viewer)[:3] == ["wallet.stafftask", "tables.reviewflag", "wallet.withdrawal"]
    assert {*names(viewer, Filters(only_late=True))} == {"tables.reviewflag", "wallet.withdrawal"}


@pytest.mark.extended
def test_case_queue_is_filtered_by_owner(things):
    viewer, by = clerk(is_superuser=True), clerk()
    actions.give_case(subject=case_of(TASKS, things[TASKS]), owner=viewer, by=by)
    actions.give_case(subject=case_of(FLAGS, things[FLAGS]), owner=by, by=by)

    assert names(viewer, Filters(owner=MINE)) == ["wallet.stafftask"]
    assert len(names(viewer, Filters(owner=UNASSIGNED))) == len(KINDS) - 2
    assert names(viewer, Filters(kind="tables.dispute")) == ["tables.dispute"]
    assert names(viewer, Filters(kind="no.such")) == []


def test_closed_case_is_pending_again_after_an_answer_of_the_player():
    dispute, by = complain(played_deal()), clerk()
    subject = case_of(DISPUTES, dispute)
    actions.write_to_player(subject=subject, text="Which deal?", by=by)
    disputes.answer_dispute(dispute_id=dispute.pk, by=by, answer="It ran as it should.")
    viewer = clerk(is_superuser=True)
    assert names(viewer) == []

    actions.answer_staff(
        player=dispute.seat.player, case_id=Case.objects.get().public_id, text="The second."
    )
    [line] = waiting(viewer, list(queue(viewer, ALL)))
    actions.note_on_case(subject=subject, text="Seen.", by=by)

    assert line.has_reply
    assert names(viewer) == []


def test_staff_do_not_see_findings_about_themselves(things):
    finding = things[FINDINGS]
    one = finding.one
    promote(one)

    assert "tables.finding" not in names(one)


@pytest.mark.extended
def test_queue_exports_its_page_as_csv_with_an_audit_entry(client, things):
    boss = clerk(is_superuser=True)
    client.force_login(boss)
    actions.give_case(subject=case_of(DISPUTES, things[DISPUTES]), owner=boss, by=boss)

    answer = client.get(reverse("cases"), {"format": "csv", "owner": "me"})

    [row] = csv.DictReader(io.StringIO(b"".join(answer.streaming_content).decode()))
    dispute = things[DISPUTES]
    assert answer["Content-Disposition"] == 'attachment; filename="cases.csv"'
    assert (row["Case"], row["Owner"]) == (DISPUTES.sentence(dispute), str(boss))
    assert (row["Player"], row["Status"]) == (str(dispute.seat.player), "")
    entry = acts().get(act="export")
    assert (entry.by, "list=players.case" in entry.after) == (boss, True)
    assert "owner=me" in entry.after


@pytest.mark.extended
@pytest.mark.soak
def test_more_rows_cost_no_more_queries(client):
    client.force_login(clerk(is_superuser=True))

    def queries():
        with CaptureQueriesContext(connection) as asked:
            assert client.get(reverse("cases")).status_code == 200
        return len(asked)

    complain(played_deal())
    queries()  # Content types are read once.
    few = queries()
    for _ in range(3):
        complain(played_deal())

    assert queries() == few
