"""Webhooks: signing, retries, approval and allowed targets."""

from __future__ import annotations

import importlib.util
import json
import re
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from html import unescape

import pytest
from django.db import connection, transaction
from django.urls import reverse
from django.utils import timezone

from core.events import Event, record_event
from core.exceptions import CheckerIsMaker
from core.http import outgoing
from core.models import AuditEntry
from finance.closing.actions import close_day, close_days
from finance.exceptions import EndpointEnded, NotATarget
from finance.webhooks import actions, delivering
from finance.webhooks.delivering import secret_of, signed_headers
from finance.webhooks.models import WebhookDelivery, WebhookEndpoint
from tables.models.tables import Table
from tests.builders.books.full_books import a_day_passes, play_pool
from tests.builders.people.push_service import push_service
from tests.builders.processes.product import CHECKOUT
from tests.builders.staff.people import a_person
from tests.builders.staff.webhooks import ADDRESS, make_endpoint, make_event
from tests.builders.tables.making import make_game, make_player
from tests.builders.wallet.payout_desk import make_withdrawal

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def receiver(monkeypatch, tmp_path):
    """A receiver of webhooks at an address that is treated as public."""
    with push_service(tmp_path) as service:
        monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "fullchain.pem"))
        monkeypatch.setattr(outgoing, "is_public", lambda _address: True)
        monkeypatch.setattr(outgoing, "PORTS", frozenset({443, service.server_address[1]}))
        outgoing._tls.cache_clear()
        service.status = 204
        yield service
    outgoing._tls.cache_clear()


@pytest.fixture
def example():
    """The documentation's example that verifies a webhook."""
    path = CHECKOUT / "docs" / "examples" / "verify_webhook.py"
    spec = importlib.util.spec_from_file_location("verify_webhook", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def received(receiver):
    """Return the received bodies and headers."""
    return [
        (body, {name.lower(): value for name, value in headers.items()})
        for _path, headers, body in receiver.sent
    ]


def run(monkeypatch):
    """Run a sweep and the tasks that it queues."""
    sent = []
    monkeypatch.setattr(delivering, "enqueue", lambda _name, pk: sent.append(pk))
    delivering.sweep_webhooks()
    return [delivering.deliver_webhooks(endpoint_id=pk) for pk in sent]


def make_due(delivery):
    WebhookDelivery.objects.filter(pk=delivery.pk).update(due_at=timezone.now())


def test_event_is_sent_once_and_verified_by_the_documented_example(receiver, example, monkeypatch):
    endpoint = make_endpoint(receiver.endpoint("day"))
    event = make_event(day="2026-11-24", games=3)
    make_event(Event.Kind.GAME_FINISHED)  # No endpoint receives this kind.

    assert run(monkeypatch) == [1]
    assert run(monkeypatch) == []

    [(body, headers)] = received(receiver)
    inbox = example.Inbox(secret_of(endpoint))
    message = inbox.take(body, headers)
    assert message["id"] == headers["webhook-id"] == str(event.public_id)
    assert message["type"] == "day.closed"
    assert message["data"] == {"day": "2026-11-24", "games": 3}
    assert inbox.take(body, headers) is None
    delivery = WebhookDelivery.objects.get()
    assert (delivery.attempts, delivery.answer, delivery.due_at) == (1, "204", None)
    assert delivery.delivered_at is not None


def test_a_changed_body_a_foreign_secret_and_an_old_message_are_refused(example):
    endpoint, body = make_endpoint(), b'{"id": "1"}'
    now = timezone.now()
    headers = signed_headers(endpoint, message_id="1", body=body, now=now)
    old = signed_headers(endpoint, message_id="1", body=body, now=now - timedelta(minutes=6))
    secret = secret_of(endpoint)

    assert example.verified(body, headers, secret) == {"id": "1"}
    for forged in (
        (b'{"id": "2"}', headers, secret),
        (body, headers | {"webhook-id": "2"}, secret),
        (body, headers, secret_of(make_endpoint())),
        (body, old, secret),
        (body, {}, secret),
        (body, headers | {"webhook-timestamp": "now"}, secret),
    ):
        with pytest.raises(ValueError, match=r"signed|old|invalid literal"):
            example.verified(*forged)


def test_former_webhook_secret_is_valid_for_a_day(example):
    endpoint, by = make_endpoint(), make_player(is_staff=True)
    former = secret_of(endpoint)
    endpoint = actions.change_secret(endpoint_id=endpoint.pk, by=by)
    secrets = (former, secret_of(endpoint))
    assert former != secrets[1]
    headers = signed_headers(endpoint, message_id="1", body=b"{}", now=timezone.now())

    assert [example.verified(b"{}", headers, secret) for secret in secrets] == [{}, {}]
    endpoint.former_secret_until = timezone.now()
    headers = signed_headers(endpoint, message_id="1", body=b"{}", now=timezone.now())
    assert example.verified(b"{}", headers, secrets[1]) == {}
    with pytest.raises(ValueError, match="signed"):
        example.verified(b"{}", headers, former)


def test_a_new_key_of_the_installation_leaves_the_secret_valid_while_it_falls_back(
    example, settings
):
    endpoint = make_endpoint()
    before = secret_of(endpoint)
    settings.SECRET_KEY_FALLBACKS = [settings.SECRET_KEY]
    settings.SECRET_KEY = "a new key of the installation " * 3
    headers = signed_headers(endpoint, message_id="1", body=b"{}", now=timezone.now())

    assert secret_of(endpoint) != before
    assert example.verified(b"{}", headers, before) == {}
    assert example.verified(b"{}", headers, secret_of(endpoint)) == {}


def test_refused_delivery_is_retried_and_finally_given_up(receiver, monkeypatch):
    make_endpoint(receiver.endpoint("day"))
    make_event()
    receiver.status = 500

    assert run(monkeypatch) == [0]
    assert run(monkeypatch) == []  # It is not due yet.
    first = WebhookDelivery.objects.get()
    assert (first.attempts, first.answer) == (1, "500")
    pause = first.due_at - timezone.now()
    assert timedelta(0) < pause <= delivering.PAUSES[0]
    for _pause in delivering.PAUSES:
        make_due(first)
        run(monkeypatch)

    last = WebhookDelivery.objects.get()
    assert (last.attempts, last.due_at, last.delivered_at) == (10, None, None)
    assert len(receiver.sent) == 10
    assert {headers["webhook-id"] for _body, headers in received(receiver)} == {
        str(last.event.public_id)
    }


def test_unreachable_endpoint_does_not_delay_others(receiver, monkeypatch):
    gone, well = make_endpoint(receiver.endpoint("gone")), make_endpoint(receiver.endpoint("well"))
    for _ in range(3):
        make_event()
    post = outgoing.post

    def lost(url, *rest, **more):
        if url == gone.url:
            raise outgoing.NotSentError("hooks.example.com: TimeoutError")
        return post(url, *rest, **more)

    monkeypatch.setattr(outgoing, "post", lost)

    assert sorted(run(monkeypatch)) == [0, 3]
    attempts = WebhookDelivery.objects.order_by("event", "endpoint").values_list(
        "endpoint", "attempts"
    )
    assert list(attempts) == [(gone.pk, 1), (well.pk, 1)] + [(gone.pk, 0), (well.pk, 1)] * 2


def test_delivery_of_a_dead_worker_is_sent_again(receiver, monkeypatch):
    endpoint = make_endpoint(receiver.endpoint("day"))
    make_event()
    delivering.plan_deliveries()

    begun = delivering._begin_attempt(endpoint.pk)  # This worker dies.

    assert run(monkeypatch) == []
    make_due(begun)
    assert run(monkeypatch) == [1]
    # A later result of the first attempt is ignored.
    delivering._note(begun, is_taken=False, answer="late", now=timezone.now())
    assert WebhookDelivery.objects.get().answer == "204"


def test_two_workers_send_an_event_once(receiver):
    endpoint = make_endpoint(receiver.endpoint("day"))
    for _ in range(5):
        make_event()

    def work(_number):
        try:
            delivering.plan_deliveries()
            return delivering.deliver_webhooks(endpoint_id=endpoint.pk)
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as workers:
        list(workers.map(work, range(2)))
    delivering.deliver_webhooks(endpoint_id=endpoint.pk)

    ids = [headers["webhook-id"] for _body, headers in received(receiver)]
    assert len(ids) == len(set(ids)) == 5


PRIVATE = [
    "http://hooks.example.com/",
    "https://127.0.0.1/",
    "https://169.254.169.254/latest/meta-data/",
    "https://[::1]/",
    "https://hooks.example.com:8443/",
    "https://user:secret@hooks.example.com/",
    "https://intranet/",
    "ftp://hooks.example.com/",
    "",
]


def test_webhook_to_a_private_host_is_refused_unless_a_setting_allows_it(settings):
    by = make_player(is_staff=True)
    for url in PRIVATE:
        with pytest.raises(NotATarget):
            actions.request_endpoint(url=url, kinds=["day.closed"], by=by)

    settings.WEBHOOK_PRIVATE_TARGETS = True
    assert make_endpoint("http://10.0.0.8:9000/hook").status == "approved"


def test_webhook_host_that_resolves_to_a_private_address_receives_nothing(monkeypatch):
    make_endpoint("https://localhost.localdomain/hook")
    make_event()
    monkeypatch.setattr(
        "socket.getaddrinfo", lambda *_asked, **_more: [(2, 1, 6, "", ("127.0.0.1", 443))]
    )

    def refuse(*_arguments):
        raise AssertionError("connected")

    monkeypatch.setattr("socket.create_connection", refuse)

    assert run(monkeypatch) == [0]
    assert "is not a host of the public internet" in WebhookDelivery.objects.get().answer


def test_webhook_needs_two_people_and_records_their_actions():
    maker, checker = make_player(is_staff=True), make_player(is_staff=True)
    endpoint = actions.request_endpoint(url=ADDRESS, kinds=["day.closed"], by=maker)
    make_event()
    delivering.plan_deliveries()

    with pytest.raises(CheckerIsMaker):
        actions.approve_endpoint(endpoint_id=endpoint.pk, by=maker)
    with pytest.raises(EndpointEnded):
        actions.change_secret(endpoint_id=endpoint.pk, by=checker)
    assert not WebhookDelivery.objects.exists()
    actions.approve_endpoint(endpoint_id=endpoint.pk, by=checker)
    actions.change_secret(endpoint_id=endpoint.pk, by=checker)
    actions.end_endpoint(endpoint_id=endpoint.pk, by=checker)
    actions.end_endpoint(endpoint_id=endpoint.pk, by=maker)

    acts = AuditEntry.objects.order_by("pk").filter(kind="finance.webhookendpoint")
    assert list(acts.values_list("act", flat=True)) == ["ask", "approve", "change_secret", "end"]
    assert not any("whsec" in entry.after for entry in acts)
    make_event()
    delivering.plan_deliveries()
    assert not WebhookDelivery.objects.exists()


def test_webhook_is_set_up_in_the_admin_by_two_people(client, receiver, example, monkeypatch):
    operations, finance = a_person("Operations"), a_person("Finance")
    added = reverse("admin:finance_webhookendpoint_add")
    page = reverse("admin:finance_webhookendpoint_changelist")

    def choose(act, person):
        client.force_login(person)
        chosen = {"action": act, "_selected_action": WebhookEndpoint.objects.get().pk}
        return client.post(page, chosen, follow=True).content.decode()

    client.force_login(operations)
    sent = {"url": receiver.endpoint("day"), "kinds": ["day.closed"]}
    assert client.post(added, sent).status_code == 302
    choose("approve", operations)
    assert WebhookEndpoint.objects.get().status == "requested"
    choose("approve", finance)
    assert WebhookEndpoint.objects.get().status == "approved"
    assert "whsec_" not in choose("new_secret", operations)
    [secret] = re.findall(r"whsec_[\w+/]+=", unescape(choose("new_secret", finance)))
    event = make_event()
    run(monkeypatch)

    [(body, headers)] = received(receiver)
    assert example.verified(body, headers, secret)["id"] == str(event.public_id)
    assert secret not in unescape(client.get(page).text)
    delivery = WebhookDelivery.objects.get()
    shown = client.get(reverse("admin:finance_webhookdelivery_change", args=[delivery.pk]))
    assert "2026-11-24" in shown.text
    again = {"action": "send_again", "_selected_action": delivery.pk}
    listed = reverse("admin:finance_webhookdelivery_changelist")
    assert "Sent again" in client.post(listed, again, follow=True).text
    assert run(monkeypatch) == [1]
    first, second = received(receiver)
    assert first[1]["webhook-id"] == second[1]["webhook-id"]
    assert AuditEntry.objects.filter(act="send_again").count() == 1


def test_events_are_deleted_after_a_month_unless_pending():
    make_endpoint()
    old, now = timezone.now() - timedelta(days=31), timezone.now()
    with transaction.atomic():
        for key, moment in (("taken", old), ("on its way", old), ("new", now)):
            record_event(Event.Kind.DAY_CLOSED, key=key, data={}, now=moment)
    delivering.plan_deliveries()
    taken = WebhookDelivery.objects.exclude(event__key="on its way")
    taken.update(due_at=None, delivered_at=now)

    assert delivering.forget_events() == 1

    assert set(Event.objects.values_list("key", flat=True)) == {"on its way", "new"}
    assert WebhookDelivery.objects.count() == 2


def test_finished_game_is_recorded_as_one_event():
    make_game(players=2)
    assert not Event.objects.exists()

    play_pool()

    event = Event.objects.get(kind=Event.Kind.GAME_FINISHED)
    table = Table.objects.get(finished_at__isnull=False)
    body = json.loads(event.body)
    assert (body["table"], body["phase"]) == (str(table.public_id), "finished")
    assert (body["rules"], body["entry_minor"]) == (table.profile.name, table.entry_minor)
    handles = table.seats.values_list("player__handle", flat=True)
    assert not any(handle in event.body for handle in handles)


def test_closed_day_is_recorded_as_one_event():
    play_pool()
    a_day_passes()
    [close] = close_days()
    close_day(day=close.day)

    event = Event.objects.get(kind=Event.Kind.DAY_CLOSED)

    assert json.loads(event.body) == {
        "day": close.day.isoformat(),
        "transfers": close.transfers,
        "entries": close.entries,
        "games": close.games,
        "control_hash": close.control_hash,
    }
    with pytest.raises(RuntimeError):  # The rollback undoes the event too.
        record_event(Event.Kind.DAY_CLOSED, key="x", data={})


def test_withdrawal_event_has_amounts_and_no_personal_data():
    withdrawal = make_withdrawal(70)

    event = Event.objects.get(kind=Event.Kind.WITHDRAWAL_ASKED)

    assert json.loads(event.body) == {
        "withdrawal": str(withdrawal.public_id),
        "currency": "INR",
        "amount_minor": 70_00,
        "tax_minor": withdrawal.tax_minor,
    }
    assert event.key == str(withdrawal.public_id)
