"""Push subscriptions: off by default, and deleted when the device is signed out."""

from datetime import timedelta

import pytest
from allauth.usersessions.models import UserSession
from django.contrib.sessions.models import Session
from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from players.notifications import actions as notifications
from players.notifications import pushing, steps
from players.notifications.models import Notification
from players.sign_in.devices import actions as devices
from players.sign_in.devices.models import PushSubscription
from players.tasks import push_test
from tables.accounts.closure import close_account
from tables.accounts.own_data import own_data
from tests.builders.people.accounts import make_player
from tests.builders.people.push_service import ABrowser

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("push_key")]
Kind = Notification.Kind


def turn_on(client, browser):
    return client.post(reverse("push-device"), {"endpoint": browser.endpoint, **browser.keys})


@pytest.fixture
def asha(client):
    player = make_player(language="hi")
    client.force_login(player)
    return player


@pytest.fixture
def browser():
    return ABrowser("https://push.example.com/one")


def subscribe(player, name, *, session, now=None):
    return devices.subscribe(
        player=player,
        endpoint=f"https://push.example.com/{name}",
        **ABrowser("").keys,
        session_key=session,
        now=now or timezone.now(),
    )


def notify(*players, kind=Kind.YOUR_TURN, key="turn:1", now=None, **more):
    now = now or timezone.now()
    recipients = [steps.Recipient(player, "₹70.00") for player in players]
    with transaction.atomic():
        steps.notify(recipients, kind=kind, key=key, subject="Evening table", now=now, **more)


def test_a_device_is_turned_on_twice_and_is_one(client, asha, browser):
    assert [turn_on(client, browser).status_code for _ in range(2)] == [204, 204]

    row = PushSubscription.objects.get()
    assert (row.player, row.endpoint) == (asha, browser.endpoint)
    page = client.get(reverse("notification-choices")).content.decode()
    assert f'data-endpoint="{browser.endpoint}"' in page
    assert page.count("by_push") >= 3


def test_invalid_subscription_is_refused_with_a_code(client, asha, browser):
    browser.endpoint = "https://192.168.1.1/"

    answer = turn_on(client, browser)

    assert (answer.status_code, answer.json()["code"]) == (400, "bad_subscription")
    assert not PushSubscription.objects.exists()


def test_push_without_a_key_is_unavailable(client, asha, browser, settings):
    settings.PUSH_PRIVATE_KEY = ""

    page = client.get(reverse("notification-choices"), headers={"Accept-Language": "en"})
    answer = turn_on(client, browser)

    assert b"device-switch" not in page.content
    assert b"by_push" not in page.content
    assert (answer.status_code, answer.json()["code"]) == (409, "push_unavailable")
    notify(asha)
    assert not Notification.objects.exists()


def test_anonymous_visitors_cannot_subscribe_to_push(client, browser):
    assert turn_on(client, browser).status_code == 302
    assert not PushSubscription.objects.exists()


def test_signing_out_deletes_the_push_subscription_of_that_device(client, asha, browser):
    turn_on(client, browser)
    subscribe(asha, "two", session="another")

    client.post(reverse("account_logout"))

    assert PushSubscription.objects.get().session_key == "another"


def test_push_subscription_ends_with_its_session(client, asha, browser):
    turn_on(client, browser)
    now = timezone.now()
    assert PushSubscription.objects.signed_in(now).exists()
    assert devices.delete_signed_out(now=now) == 0

    Session.objects.filter(session_key=client.session.session_key).delete()

    assert not PushSubscription.objects.signed_in(now).exists()
    assert devices.delete_signed_out(now=now) == 1


def test_browser_with_a_new_player_is_subscribed_only_for_them(client, asha, browser):
    turn_on(client, browser)
    other = make_player("vikram")
    client.force_login(other)

    turn_on(client, browser)

    assert PushSubscription.objects.get().player == other


def test_eleventh_device_replaces_the_oldest(asha):
    now = timezone.now()
    for number in range(devices.DEVICES_MAX + 2):
        subscribe(asha, number, session=f"s{number}", now=now + timedelta(seconds=number))

    kept = set(PushSubscription.objects.values_list("endpoint", flat=True))
    assert len(kept) == devices.DEVICES_MAX
    assert "https://push.example.com/1" not in kept


def test_a_closed_account_has_no_devices_and_the_export_names_those_there_are(
    client, asha, browser
):
    turn_on(client, browser)
    assert [device["endpoint"] for device in own_data(asha)["devices"]] == [browser.endpoint]
    UserSession.objects.filter(user=asha).delete()

    with transaction.atomic():  # The action's own; the test's is not the outermost.
        close_account.__wrapped__(player_id=asha.pk)

    assert not PushSubscription.objects.exists()


def test_turn_is_only_pushed_in_the_players_language(client, asha, service):
    browser = ABrowser(service.endpoint("one"))
    turn_on(client, browser)

    for _again in range(2):
        notify(asha)
        assert pushing.push_due(now=timezone.now()) == (0 if _again else 1)

    [(_path, headers, body)] = service.sent
    assert 0 < int(headers["TTL"]) <= 60
    assert browser.read(body) == {
        "title": "पूल रमी",
        "body": "Evening table पर आपकी बारी है।",
        "path": reverse("lobby"),
        "tag": headers["Topic"],
        "lang": "hi",
    }
    row = Notification.objects.get()
    assert (row.on_site, row.mail, row.is_push_due) == (False, "none", False)


def test_player_tests_the_notifications_of_their_own_device(client, asha, service):
    address = reverse("push-device-test")
    assert client.post(address).status_code == 404
    browser = ABrowser(service.endpoint("one"))
    turn_on(client, browser)

    assert client.post(address).status_code == 204
    push_test(PushSubscription.objects.get().pk)

    [(_path, _headers, body)] = service.sent
    message = browser.read(body)
    assert (message["path"], message["lang"]) == (reverse("notification-choices"), "hi")
    client.logout()
    push_test(0)  # The device was signed out meanwhile.
    assert len(service.sent) == 1


def test_site_notifications_are_pushed_unless_opted_out(client, asha, service):
    turn_on(client, ABrowser(service.endpoint("one")))

    notify(asha, kind=Kind.WITHDRAWAL_PAID, key="w:1")
    notify(asha, kind=Kind.WITHDRAWAL_APPROVED, key="w:2")
    notifications.choose(player=asha, topic=Notification.Topic.WITHDRAWAL, ways={"by_push": False})
    notify(asha, kind=Kind.WITHDRAWAL_PAID, key="w:3")
    due = list(Notification.objects.to_be_pushed().values_list("key", flat=True))
    pushing.push_due(now=timezone.now())

    assert due == ["w:1"]
    assert len(service.sent) == 1
    assert Notification.objects.of_player(asha).count() == 3


def test_notification_is_not_pushed_without_a_device(client, asha):
    notify(asha, kind=Kind.WITHDRAWAL_PAID, key="w:1")
    notify(asha)

    assert list(Notification.objects.values_list("key", "is_push_due")) == [("w:1", False)]


def test_outdated_push_notifications_are_not_sent(client, asha, service):
    turn_on(client, ABrowser(service.endpoint("one")))
    now = timezone.now()
    notify(asha, now=now - timedelta(seconds=61))

    assert pushing.push_due(now=now) == 0

    assert service.sent == []
    assert not Notification.objects.to_be_pushed().exists()


@pytest.mark.parametrize(("status", "kept"), [(410, False), (404, False), (500, True)])
def test_subscription_unknown_to_its_push_service_is_deleted(client, asha, service, status, kept):
    turn_on(client, ABrowser(service.endpoint("one")))
    service.status = status
    notify(asha)

    assert pushing.push_due(now=timezone.now()) == 0

    assert PushSubscription.objects.exists() is kept
    assert len(service.sent) == 1


def test_the_page_of_choices_keeps_what_goes_to_devices(client, asha):
    client.post(reverse("notification-choices"), {"turn-by_push": "on", "prize-on_site": "on"})

    chosen = {row.topic: row.by_push for row in asha.notification_choices.all()}
    assert (chosen["turn"], chosen["withdrawal"], chosen["prize"]) == (True, False, True)
