"""Webhooks: each fact once, signed, sent until it is taken, and nowhere it must not go."""

from __future__ import annotations

import importlib.util
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
from finance.exceptions import EndpointEnded, NotATarget
from finance.webhooks import actions, delivering
from finance.webhooks.models import WebhookDelivery, WebhookEndpoint
from finance.webhooks.signing import secret_of, signed_headers
from tests.builders.people.push_service import push_service
from tests.builders.processes.product import CHECKOUT
from tests.builders.staff.people import a_person
from tests.builders.staff.webhooks import ADDRESS, make_endpoint, make_event
from tests.builders.tables.making import make_player

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def receiver(monkeypatch, tmp_path):
    """The outside world: a program of the operator's, at an address that counts as public."""
    with push_service(tmp_path) as service:
        monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "cert.pem"))
        monkeypatch.setattr(outgoing, "is_public", lambda _address: True)
        monkeypatch.setattr(outgoing, "PORTS", frozenset({443, service.server_address[1]}))
        outgoing._tls.cache_clear()
        service.status = 204
        yield service
    outgoing._tls.cache_clear()


@pytest.fixture
def example():
    """The verifying code of the documentation."""
    path = CHECKOUT / "docs" / "examples" / "verify_webhook.py"
    spec = importlib.util.spec_from_file_location("verify_webhook", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def received(receiver):
    """Return the bodies and headers that came, as a program reads them."""
    return [
        (body, {name.lower(): value for name, value in headers.items()})
        for _path, headers, body in receiver.sent
    ]


def run(monkeypatch):
    """Do what a sweep does, and at once what it enqueues."""
    sent = []
    monkeypatch.setattr(delivering, "enqueue", lambda _name, pk: sent.append(pk))
    delivering.sweep_webhooks()
    return [delivering.deliver_webhooks(endpoint_id=pk) for pk in sent]


def make_due(delivery):
    WebhookDelivery.objects.filter(pk=delivery.pk).update(due_at=timezone.now())


def test_an_event_is_sent_once_and_the_example_of_the_documentation_takes_it(
    receiver, example, monkeypatch
):
    endpoint = make_endpoint(receiver.endpoint("day"))
    event = make_event(day="2026-11-24", games=3)
    make_event(Event.Kind.GAME_FINISHED)  # Nobody wants to know.

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


def test_while_a_secret_is_replaced_both_are_believed_and_then_the_new_one_alone(example):
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


def test_what_is_not_taken_is_sent_again_later_and_given_up_in_the_end(receiver, monkeypatch):
    make_endpoint(receiver.endpoint("day"))
    make_event()
    receiver.status = 500

    assert run(monkeypatch) == [0]
    assert run(monkeypatch) == []  # Its time has not come.
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


def test_an_address_that_is_away_is_waited_for_once_and_holds_up_no_other(receiver, monkeypatch):
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


def test_a_worker_that_dies_in_the_middle_leaves_what_it_sent_to_be_sent_again(
    receiver, monkeypatch
):
    endpoint = make_endpoint(receiver.endpoint("day"))
    make_event()
    delivering.plan_deliveries()

    begun = delivering._begin_attempt(endpoint.pk)  # And nothing is heard of it any more.

    assert run(monkeypatch) == []
    make_due(begun)
    assert run(monkeypatch) == [1]
    # What the first one says afterwards changes nothing.
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


@pytest.mark.parametrize(
    "url",
    [
        "http://hooks.example.com/",
        "https://127.0.0.1/",
        "https://169.254.169.254/latest/meta-data/",
        "https://[::1]/",
        "https://hooks.example.com:8443/",
        "https://user:secret@hooks.example.com/",
        "https://intranet/",
        "ftp://hooks.example.com/",
        "",
    ],
)
def test_only_public_hosts_are_sent_to_unless_a_setting_says_so(url):
    with pytest.raises(NotATarget):
        actions.request_endpoint(url=url, kinds=["day.closed"], by=make_player(is_staff=True))


def test_a_public_name_that_leads_into_the_house_is_sent_nothing(monkeypatch):
    make_endpoint("https://localhost.localdomain/hook")
    make_event()
    monkeypatch.setattr(
        "socket.getaddrinfo", lambda *_asked, **_more: [(2, 1, 6, "", ("127.0.0.1", 443))]
    )

    def refuse(*_arguments):
        raise AssertionError("connected")

    monkeypatch.setattr("socket.create_connection", refuse)

    assert run(monkeypatch) == [0]
    assert "no host of the public internet" in WebhookDelivery.objects.get().answer


def test_an_installation_may_send_within_its_own_network(settings, monkeypatch):
    settings.WEBHOOK_PRIVATE_TARGETS = True

    endpoint = make_endpoint("http://10.0.0.8:9000/hook")

    assert endpoint.status == "approved"


def test_one_person_asks_another_approves_and_each_act_is_on_record():
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


def test_a_delivery_is_sent_again_by_hand(receiver, monkeypatch):
    make_endpoint(receiver.endpoint("day"))
    make_event()
    run(monkeypatch)

    actions.send_again(delivery_id=WebhookDelivery.objects.get().pk, by=make_player(is_staff=True))

    assert run(monkeypatch) == [1]
    first, second = received(receiver)
    assert first[1]["webhook-id"] == second[1]["webhook-id"]
    assert AuditEntry.objects.filter(act="send_again").count() == 1


def test_two_people_set_one_up_on_the_admins_pages_as_the_documentation_says(
    client, receiver, example, monkeypatch
):
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


def test_the_admin_shows_the_secret_once_and_sends_again(client):
    client.force_login(make_player(is_staff=True, is_superuser=True))
    endpoint = make_endpoint()
    page = reverse("admin:finance_webhookendpoint_changelist")

    chosen = {"action": "new_secret", "_selected_action": endpoint.pk}
    answer = client.post(page, chosen, follow=True)

    endpoint.refresh_from_db()
    assert secret_of(endpoint) in unescape(answer.content.decode())
    assert secret_of(endpoint) not in unescape(client.get(page).content.decode())
    make_event()
    delivering.plan_deliveries()
    deliveries = reverse("admin:finance_webhookdelivery_changelist")
    assert (
        "2026-11-24"
        in client.get(
            reverse("admin:finance_webhookdelivery_change", args=[WebhookDelivery.objects.get().pk])
        ).content.decode()
    )
    again = {"action": "send_again", "_selected_action": WebhookDelivery.objects.get().pk}
    assert "Sent again" in client.post(deliveries, again, follow=True).content.decode()


def test_events_are_forgotten_after_a_month_unless_they_are_on_their_way():
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
