"""The audit verifies gateway events: a forged row has no valid signature."""

from datetime import timedelta

import pytest
from django.db import IntegrityError
from django.utils import timezone

from config.providers import WebhookSecret
from core.clock import database_now
from finance.matching.gateways.returns import approve_settlement
from tests.builders.books.audit_starts import start_at
from tests.builders.books.forgeries import (
    ask_what_commit_asks,
    credit,
    make_scene,
    order_of,
    pay,
    payment_for,
    receive,
)
from tests.builders.books.settlements import ask_for, settled_line, settlement_file
from tests.builders.wallet.cashier_desk import make_deposit, order, send, tell
from tests.builders.wallet.payment_returns import LOST, OPEN, paid
from tests.builders.wallet.players import make_player
from tests.builders.wallet.razorpay_events import event as razorpay_event
from tests.builders.wallet.razorpay_events import knock
from tests.builders.wallet.tax_office import undone, unguarded
from wallet.audit import gateway_events, seals
from wallet.audit.audit import audit, row_findings
from wallet.audit.freezes import check_books, check_new_rows
from wallet.audit.starts import BEGINNING
from wallet.deposits.models import GatewayEvent
from wallet.gateways.sandbox import SIGNATURE_HEADER, sign
from wallet.gateways.sandbox_page import Sent, event_bodies

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("lawful", "untaxed")]


def found(start=BEGINNING):
    """Return the differences as (check, detail), and the note of the last line."""
    *differences, note = gateway_events.findings(start)
    return [(each.check, each.detail) for each in differences], str(note)


def forge(**altered):
    """Copy the newest event under another reference, as a login of the database could."""
    event = GatewayEvent.objects.first()
    event.pk, event.event_reference = None, "evt_forged"
    for name, value in altered.items():
        setattr(event, name, value)
    event.save(force_insert=True)
    return event


def test_event_keeps_the_bytes_and_the_signature_it_was_received_with():
    deposit = make_deposit()
    [body] = event_bodies(order(deposit), [Sent()])
    body += b" \r\n"
    header = sign(body)

    before = database_now()
    send(body, header=header)

    event = GatewayEvent.objects.get()
    assert (bytes(event.body), event.headers) == (body, {SIGNATURE_HEADER: header})
    assert before <= event.received_at <= database_now()
    assert event.source == "signed"


def test_events_of_the_gateway_are_verified():
    tell(paid(), OPEN, LOST)

    assert found() == (
        [],
        "3 signed gateway events verified; unsigned: 0 from settlement files, 0 by staff",
    )
    assert audit().findings == ()
    assert any("3 signed gateway events" in note for note in audit().notes)


FORGED = {
    "body": ({"body": b"{}"}, "event_not_verified", "bad_signature"),
    "no signature": ({"headers": {}}, "event_not_verified", "bad_signature"),
    "other signature": (
        {"headers": {SIGNATURE_HEADER: "t=1,v1=00"}},
        "event_not_verified",
        "bad_signature",
    ),
    "no headers": ({"headers": []}, "event_not_verified", "AttributeError"),
    "no gateway": ({"provider": "nowhere"}, "event_not_verified", "gateway_unknown"),
    "replayed": ({}, "event_differs", ""),
}
DIFFERING = {
    "event_reference": "evt_other",
    "kind": "failed",
    "order_reference": "order_other",
    "payment_reference": "pay_other",
    "case_reference": "case_other",
    "currency": "USD",
    "amount_minor": 1,
}


def test_forged_event_or_altered_column_is_reported(subtests):
    paid()

    for name, (altered, expected, said) in FORGED.items():
        with undone(), subtests.test(name):
            forge(**altered)
            [(check, detail)], _note = found()
            assert (check, said in detail) == (expected, True)
    for name, value in DIFFERING.items():
        with undone(), unguarded(), subtests.test(name):
            GatewayEvent.objects.update(**{name: value})
            [(check, detail)], _note = found()
            assert (check, str(value) in detail) == ("event_differs", True)


def test_event_signed_with_an_old_secret_key_is_verified_while_it_is_a_fallback(settings):
    paid()
    old, settings.SECRET_KEY = settings.SECRET_KEY, "another"
    assert [check for check, _ in found()[0]] == ["event_not_verified"]

    settings.SECRET_KEY_FALLBACKS = [old]

    assert found()[0] == []


def test_event_of_a_retired_webhook_secret_is_verified_while_the_secret_is_listed(
    settings, client, later
):
    settings.DEPOSIT_GATEWAY = "razorpay"
    end = timezone.now() + timedelta(hours=1)
    old, new = WebhookSecret("hook", end), WebhookSecret("new")
    settings.GATEWAY_WEBHOOK_SECRETS = {"razorpay": [new, old]}
    assert knock(client, razorpay_event()) == (200, "suspense")
    later(hours=2)
    assert knock(client, razorpay_event(payment="pay_2"), number="e2") == (400, "bad_signature")

    def checks():
        return [check for check, _ in found()[0]]

    assert checks() == []
    with undone():  # Nor does it sign an event received after its end.
        forge(received_at=database_now())
        assert checks() == ["event_not_verified"]
    for secrets in ([new], []):
        settings.GATEWAY_WEBHOOK_SECRETS = {"razorpay": secrets}
        assert checks() == ["event_not_verified"]


@pytest.mark.parametrize(
    ("altered", "constraint"),
    [
        *(
            ({"received_at": timedelta(days=days)}, "an event is kept when it is received")
            for days in (-8, 1)
        ),
        *(
            ({"source": source, "kind": kind}, "wallet_gatewayevent_credits_are_signed")
            for source, kind in (
                *(("file", "paid"), ("staff", "paid")),
                *(("staff", "dispute_lost"), ("asked", "paid")),
            )
        ),
    ],
)
def test_event_of_another_time_or_without_a_signature_is_not_stored(altered, constraint):
    paid()
    if "received_at" in altered:
        altered = {"received_at": database_now() + altered["received_at"]}

    with pytest.raises(IntegrityError, match=constraint):
        forge(**altered)


@pytest.mark.django_db(transaction=True)
def test_short_audit_verifies_new_events_alone():
    paid()
    seals.seal_ledger()
    check_books()
    assert check_new_rows().notes[0].startswith("0 signed gateway events")
    paid()
    forge(body=b"{}")

    report = check_new_rows()

    assert [finding.check for finding in report.findings] == ["event_not_verified"]
    assert report.notes[0].startswith("2 signed gateway events")


def test_events_are_read_in_batches(monkeypatch):
    monkeypatch.setattr(gateway_events, "BATCH", 2)
    tell(paid(), OPEN, LOST)
    tell(paid(), OPEN)

    assert found()[1].startswith("5 signed")
    assert found(start_at(None))[1].startswith("5 signed")


def test_payments_and_returns_without_an_event_are_reported():
    tell(paid(), OPEN)
    with undone(), unguarded() as cursor:
        cursor.execute("DELETE FROM wallet_gatewayevent")
        checks = {finding.check for finding in row_findings()}

    assert {"payment_without_event", "return_without_event"} <= checks


@pytest.mark.django_db(transaction=True)
def test_events_of_a_settlement_file_are_counted_and_follow_from_its_lines():
    deposit = paid()
    name = order(deposit)["order"].removeprefix("order_")
    payment, case = f"pay_{name}_1", f"case_{name}_r1"
    lines = (
        settled_line(payment, 100_00, fee=2_00, tax=36),
        settled_line(case, 40_00, kind="refund", payment=payment, fee=1_00, tax=18),
    )
    maker, checker = make_player(is_staff=True), make_player(is_staff=True)
    [asked] = ask_for(settlement_file(*lines), by=maker)

    approve_settlement(settlement_id=asked.pk, by=checker)

    event = GatewayEvent.objects.get(source="file")
    assert found()[1].endswith("1 from settlement files, 0 by staff")
    assert row_findings() == ()
    with undone(), unguarded():
        GatewayEvent.objects.filter(pk=event.pk).update(amount_minor=50_00)
        checks = {(each.check, each.subject) for each in row_findings()}
        assert ("event_without_a_line", f"gateway event {event.pk}") in checks


def test_whole_invented_chain_with_a_matching_event_is_reported(strict):
    """Order, payment, event and transfer agree with each other, as one login could write them."""
    scene = make_scene()
    strict()
    assert [each for each in audit().findings if each.check.startswith("event")] == []

    invented = order_of(scene.player)
    transfer = credit(scene, invented)
    pay(invented, transfer)
    receive(payment_for(invented, transfer), GatewayEvent.Outcome.CREDITED)
    ask_what_commit_asks()

    event = GatewayEvent.objects.first()
    found_now = {(each.check, each.subject) for each in audit().findings}
    assert ("event_not_verified", f"gateway event {event.pk}") in found_now
