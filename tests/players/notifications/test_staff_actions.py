"""People named by a staff decision are notified, however the decision was written."""

import pytest
from django.core import mail
from django.db import DatabaseError, IntegrityError, connection, transaction
from django.urls import reverse
from django.utils import translation

from core import audit_log
from core.clock import database_now
from core.models import AuditEntry
from players.eligibility.hold_models import Hold
from players.eligibility.holds import set_hold
from players.notifications import actions as notifications
from players.notifications.mail import TOGETHER
from players.notifications.models import Notification
from players.notifications.texts import text_of
from tables.accounts.closure import close_account
from tests.builders.people.accounts import make_player
from tests.builders.processes.clocks import later
from tests.builders.wallet.adjustments import make_request
from tests.builders.wallet.tax_office import undone, unguarded
from wallet.audit.audit import row_findings
from wallet.corrections import adjustments

pytestmark = pytest.mark.django_db
FORGED = """
    INSERT INTO core_auditentry (by_id, service, at, act, kind, row, name, reason, before, after)
    VALUES (%s, '', ledger_now(), %s, 'wallet.adjustment', '7', 'Adjustment 7', '', '', '')
"""
# Routine actions, which are no decisions about money, permissions or people.
ROUTINE = [
    ("players.case", "give"),
    ("players.remark", "note"),
    ("finance.exportjob", "cancel"),
    ("finance.webhookdelivery", "send_again"),
    ("players.identitydocument", "look"),
    ("players.user", "export"),
    ("players.user", "note"),
    ("tables.dispute", "take"),
    ("finance.bankstatement", "upload"),
]


@pytest.fixture
def boss():
    return make_player("boss", is_staff=True)


@pytest.fixture
def clerk():
    return make_player("clerk", is_staff=True)


def messages_of(person):
    rows = Notification.objects.filter(player=person).order_by("pk")
    return [(row.kind, row.subject) for row in rows]


def checks():
    return {(each.check, each.subject) for each in row_findings()}


def test_decision_of_two_people_is_reported_to_both(boss, clerk):
    asked = make_request(by=clerk)
    assert messages_of(clerk) == [("staff_action", f"ask: {asked}"[:120])]

    adjustments.approve_adjustment(adjustment=asked, by=boss)

    [decided] = messages_of(boss)
    assert decided == ("staff_action", f"approve: {asked}"[:120])
    assert messages_of(clerk)[1:] == [("staff_decided", f"approve: {asked}"[:120])]


def test_message_names_the_act_the_row_and_the_time_in_both_languages(boss):
    player = make_player("asha")
    set_hold(player_id=player.pk, kind=Hold.Kind.WITHDRAW, reason="Because", by=boss)

    row = Notification.objects.get(player=boss)
    with translation.override("en"):
        text = text_of(row)
    with translation.override("hi"):
        hindi = text_of(row)

    assert "Recorded in your name on" in text
    assert "hold:" in text
    assert "change your password" in text
    assert "आपके नाम" in hindi
    assert row.happens_at == AuditEntry.objects.get().at
    assert row.on_site


@pytest.mark.parametrize(("kind", "act"), ROUTINE)
def test_routine_acts_send_no_message(boss, kind, act):
    AuditEntry.objects.create(by=boss, act=act, kind=kind, row="1", name="x")

    assert messages_of(boss) == []
    assert "decision_without_a_message" not in {check for check, _ in checks()}


def test_act_of_a_service_sends_no_message():
    AuditEntry.objects.create(service="sumsub", act="answer", kind="players.x", row="1", name="x")

    assert Notification.objects.count() == 0


def test_decision_inserted_by_a_statement_sends_its_messages(boss, clerk):
    with connection.cursor() as cursor:
        cursor.execute(FORGED, [clerk.pk, "ask"])
        cursor.execute(FORGED, [boss.pk, "approve"])

    assert messages_of(boss) == [("staff_action", "approve: Adjustment 7")]
    assert messages_of(clerk) == [
        ("staff_action", "ask: Adjustment 7"),
        ("staff_decided", "approve: Adjustment 7"),
    ]


@pytest.mark.parametrize("moment", ["- interval '2 hours'", "+ interval '2 hours'"])
def test_decision_cannot_be_inserted_at_another_time(boss, moment):
    forged = FORGED.replace("ledger_now()", f"ledger_now() {moment}")

    with (
        pytest.raises(DatabaseError, match="an action must be recorded when it is done"),
        connection.cursor() as cursor,
    ):
        cursor.execute(forged, [boss.pk, "approve"])


@pytest.mark.parametrize(
    "change",
    [
        {"subject": "nothing"},
        {"on_site": False},
        {"remark": "All right"},
        {"kind": "staff_message"},
        {"mail": "none"},
        {"mail": "sent"},
    ],
)
def test_message_cannot_be_changed_or_withheld(boss, change):
    audit_log.record(by=boss, act="approve", row=boss)

    with pytest.raises(DatabaseError), transaction.atomic():
        Notification.objects.filter(player=boss).update(**change)


def test_message_cannot_be_deleted_within_a_year(boss):
    audit_log.record(by=boss, act="approve", row=boss)

    with pytest.raises(IntegrityError, match="kept for a year"), transaction.atomic():
        Notification.objects.filter(player=boss).delete()

    notifications.mail_due(now=database_now())
    with later(days=366):
        assert notifications.delete_old(now=database_now()) == 1


def test_message_can_be_read_and_mailed_without_an_address():
    staff = make_player("nomail", confirmed=False, is_staff=True)
    audit_log.record(by=staff, act="approve", row=staff)

    notifications.mark_read(player=staff, up_to=10**9, now=database_now())
    notifications.mail_due(now=database_now())

    row = Notification.objects.get()
    assert (row.mail, row.read_at is None) == ("none", False)


@pytest.mark.parametrize("what", ["deleted", "other text", "other person", "hidden"])
def test_audit_names_a_decision_without_its_message(boss, clerk, what):
    audit_log.record(by=boss, act="approve", row=boss)
    entry = AuditEntry.objects.get()
    assert "decision_without_a_message" not in {check for check, _ in checks()}

    with undone(), unguarded():
        rows = Notification.objects.filter(player=boss)
        if what == "deleted":
            rows.delete()
        else:
            changes = {
                "other text": {"subject": "nothing"},
                "other person": {"player": clerk},
                "hidden": {"on_site": False},
            }
            rows.update(**changes[what])
        assert ("decision_without_a_message", f"core_auditentry {entry.pk}") in checks()


def test_staff_cannot_turn_off_messages_about_decisions(boss, client):
    client.force_login(boss)
    page = client.get(reverse("notification-choices"))
    assert b'name="security-' not in page.content

    audit_log.record(by=boss, act="approve", row=boss)

    assert messages_of(boss) == [("staff_action", f"approve: {boss}")]


def test_many_decisions_are_mailed_together_after_the_first(boss):
    audit_log.record(by=boss, act="approve", row=boss)
    assert notifications.mail_due(now=database_now()) == 1
    for _ in range(200):
        audit_log.record(by=boss, act="reject", row=boss)

    assert notifications.mail_due(now=database_now()) == 0
    with later(seconds=TOGETHER.total_seconds() + 1):
        assert notifications.mail_due(now=database_now()) == 200
        assert notifications.mail_due(now=database_now()) == 0

    first, rest = mail.outbox
    assert first.to == rest.to == ["boss@example.com"]
    assert first.body.count("approve:") == 1
    assert rest.body.count("reject:") == 200
    assert "change your password" in rest.body
    assert set(Notification.objects.values_list("mail", flat=True)) == {"sent"}


def test_bell_counts_all_decisions_as_one(boss, client):
    for _ in range(3):
        audit_log.record(by=boss, act="approve", row=boss)
    client.force_login(boss)

    assert client.get(reverse("bell")).content.count(b">1</b>") == 1


@pytest.mark.django_db(transaction=True)
def test_messages_about_decisions_are_kept_after_the_account_is_closed(boss):
    audit_log_record(boss)
    Notification.objects.create(
        player=boss, key="other", kind="deal_void", subject="x", created_at=database_now()
    )

    close_account(player_id=boss.pk)

    assert messages_of(boss) == [("staff_action", "approve: boss")]
    assert "decision_without_a_message" not in {check for check, _ in checks()}


@transaction.atomic
def audit_log_record(person):
    audit_log.record(by=person, act="approve", row=person)
