"""Notifications: each event once, on the player's channels, in their language."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import ClassVar

import pytest
from django.core import mail
from django.core.mail.backends.base import BaseEmailBackend
from django.db import connection, connections
from django.urls import reverse
from django.utils import timezone, translation

from players import tasks
from players.accounts.models import User
from players.eligibility.places.models import Offer
from players.notifications import actions as notifications
from players.notifications import steps
from players.notifications.actions import mail_due
from players.notifications.models import Notification
from players.notifications.place_changes import notify_of_recent_changes
from players.notifications.texts import path_of, text_of
from tests.builders.people.accounts import make_player
from tests.builders.people.region_changes import change_region
from tests.builders.people.regions import open_region
from tests.builders.wallet.cashier_desk import make_depositor

pytestmark = pytest.mark.django_db

Topic, Kind = Notification.Topic, Notification.Kind


def notify(*players, kind=Kind.GAME_CANCELLED, key="cancel:1", **more):
    fields = {"subject": "Evening table", "now": timezone.now()} | more
    recipients = [steps.Recipient(player, "₹70.00") for player in players]
    steps.notify(recipients, kind=kind, key=key, **fields)


class AwayBackend(BaseEmailBackend):
    def send_messages(self, messages):
        raise ConnectionRefusedError("no server")


def test_a_repetition_is_the_same_notification_and_is_mailed_once():
    asha = make_player()

    for _ in range(2):
        notify(asha)
        notifications.mail_due(now=timezone.now())

    assert Notification.objects.get().mail == Notification.Mail.SENT
    (message,) = mail.outbox
    assert message.to == ["asha@example.com"]
    assert "The game at Evening table was cancelled" in message.body


def test_bots_get_no_notifications_and_guests_no_mail():
    bot = User.objects.create_user(handle="bot_x", is_bot=True)
    guest = User.objects.create_user(handle="guest_x", is_guest=True)

    notify(bot, guest)

    notification = Notification.objects.get()
    assert (notification.player, notification.mail, notification.on_site) == (guest, "none", True)


@pytest.mark.parametrize(
    ("on_site", "by_mail", "kept"),
    [(True, False, [(True, "none")]), (False, True, [(False, "due")]), (False, False, [])],
)
def test_players_choose_by_topic_and_channel(on_site, by_mail, kept):
    asha = make_player()
    ways = {"on_site": on_site, "by_mail": by_mail}
    notifications.choose(player=asha, topic=Topic.TABLE, ways=ways)

    notify(asha)
    notify(asha, kind=Kind.WITHDRAWAL_PAID, key="withdrawal:1:paid")

    rows = Notification.objects.filter(player=asha).order_by("pk").values_list("on_site", "mail")
    assert list(rows) == [*kept, (True, "due")]


def test_unconfirmed_address_gets_no_mail():
    notify(make_player(confirmed=False))

    assert notifications.mail_due(now=timezone.now()) == 0
    assert (mail.outbox, Notification.objects.get().mail) == ([], Notification.Mail.NONE)


def test_mail_to_an_unavailable_server_is_retried_and_then_given_up(settings):
    notify(make_player(), now=(shown := timezone.now()))
    settings.EMAIL_BACKEND = f"{__name__}.AwayBackend"

    for nth, wait in enumerate(notifications.RETRY_DELAYS, 1):
        assert Notification.objects.get().mail == Notification.Mail.DUE
        for _again in range(2):  # Another notification is no reason to try this one again.
            assert notifications.mail_due(now=shown + wait) == 0
        assert Notification.objects.get().mail_tries == nth

    assert Notification.objects.get().mail == Notification.Mail.GIVEN_UP


def test_queued_mail_is_sent_when_the_server_is_back(settings):
    notify(make_player(), now=(shown := timezone.now()))
    backend = settings.EMAIL_BACKEND
    settings.EMAIL_BACKEND = f"{__name__}.AwayBackend"
    notifications.mail_due(now=shown)
    settings.EMAIL_BACKEND = backend

    assert notifications.mail_due(now=shown) == 0
    assert notifications.mail_due(now=shown + notifications.RETRY_DELAYS[1]) == 1
    assert Notification.objects.get().mail == Notification.Mail.SENT


class ReadMeanwhileBackend(BaseEmailBackend):
    """During sending, the player reads the notifications and another worker runs."""

    seen: ClassVar[list[tuple[int, int]]] = []

    def send_messages(self, messages):
        with ThreadPoolExecutor(1) as elsewhere:
            self.seen.append(elsewhere.submit(self._meanwhile).result())
        return len(messages)

    @staticmethod
    def _meanwhile():
        try:
            with connection.cursor() as cursor:
                cursor.execute("SET lock_timeout = '2s'")
            notification, now = Notification.objects.get(), timezone.now()
            sent = notifications.mail_due(now=now)
            return notifications.mark_read(
                player=notification.player, up_to=notification.pk, now=now
            ), sent
        finally:
            connections.close_all()


@pytest.mark.django_db(transaction=True)
def test_a_notification_is_read_while_it_is_being_mailed_and_is_mailed_once(settings):
    settings.EMAIL_BACKEND = f"{__name__}.ReadMeanwhileBackend"
    ReadMeanwhileBackend.seen.clear()
    notify(make_player())

    assert notifications.mail_due(now=timezone.now()) == 1

    assert ReadMeanwhileBackend.seen == [(1, 0)]
    notification = Notification.objects.get()
    assert (notification.mail, notification.mail_tries) == ("sent", 1)
    assert notification.read_at is not None


def test_one_bad_row_does_not_keep_the_others_from_being_sent(settings):
    first, second = make_player(), make_player("vikram")
    notify(first, second)
    User.objects.filter(pk=first.pk).update(is_active=False)

    assert notifications.mail_due(now=timezone.now()) == 1

    assert [message.to for message in mail.outbox] == [["vikram@example.com"]]


def test_times_are_the_players_own(settings):
    asha = make_player(time_zone="UTC")
    at = timezone.now().replace(year=2040, month=1, day=5, hour=18, minute=30)
    notify(asha, kind=Kind.TOURNAMENT_STARTS, key="start:1", subject="Evening Cup", happens_at=at)

    notifications.mail_due(now=timezone.now())

    assert "Evening Cup starts at 5 Jan 2040, 18:30" in mail.outbox[0].body


def test_a_name_that_the_product_gave_is_in_the_players_language(settings):
    asha, bela = make_player(language="hi"), make_player("bela", language="hi")
    notify(asha, subject="Practice VIP straight")
    notify(bela, key="cancel:2", subject="Bela's evening")

    notifications.mail_due(now=timezone.now())

    assert mail.outbox[0].subject.startswith("पूल रमी: ")
    given, typed = (message.body for message in mail.outbox)
    assert "प्रैक्टिस वीआईपी स्ट्रेट" in given
    assert "Practice" not in given
    assert "Bela's evening" in typed


def test_unread_count_is_reset_by_opening_the_page(client):
    asha, other = make_player(), make_player("vikram")
    assert client.get(reverse("notifications")).status_code == 302
    client.force_login(asha)
    notify(asha, other)
    notify(asha, kind=Kind.WITHDRAWAL_FAILED, key="w:1", remark="Account closed")

    assert b"2 new notifications" in client.get(reverse("lobby")).content
    page = client.get(reverse("notifications")).content.decode()
    assert "Your bank refused the withdrawal of ₹70.00" in page
    assert "Our remark: Account closed" in page
    assert page.count("is-new") == 2
    assert b"new notification" not in client.get(reverse("lobby")).content
    assert "is-new" not in client.get(reverse("notifications")).content.decode()
    assert Notification.objects.of_player(other).unread().count() == 1


def test_open_page_polls_the_unread_count_until_the_session_ends(client):
    asha = make_player()
    client.force_login(asha)
    asks = f'hx-get="{reverse("bell")}"'.encode()
    assert asks in client.get(reverse("lobby")).content

    notify(asha)

    bell = client.get(reverse("bell"), headers={"HX-Request": "true"}).content
    assert (b"1 new notification" in bell, asks in bell, bell.count(b"<")) == (True, True, 6)
    assert Notification.objects.of_player(asha).unread().count() == 1
    client.logout()
    assert client.get(reverse("bell")).content.strip() == b""


def test_the_page_of_choices_keeps_them(client):
    asha = make_player()
    client.force_login(asha)

    client.post(reverse("notification-choices"), {"prize-on_site": "on", "table-by_mail": "on"})

    chosen = {c.topic: (c.on_site, c.by_mail) for c in asha.notification_choices.all()}
    # The page has no choice for topics that are always sent, nor for push without a key.
    nothing = dict.fromkeys(set(Topic.values) - {"turn", "security"}, (False, False))
    assert chosen == nothing | {"prize": (True, False), "table": (False, True)}
    page = client.get(reverse("notification-choices")).content.decode()
    assert page.count("checked") == 2


def test_after_a_year_a_notification_is_forgotten_unless_it_waits_to_be_mailed():
    asha, now = make_player(), timezone.now()
    long_ago = now - timedelta(days=366)
    notify(asha, key="mailed", now=long_ago)
    notifications.mail_due(now=timezone.now())
    notify(asha, key="waits", now=long_ago)
    notify(asha, key="new", now=now)

    assert notifications.delete_old(now=now) == 1

    assert set(Notification.objects.values_list("key", flat=True)) == {"waits", "new"}


def test_a_long_list_comes_in_pages(client):
    asha = make_player()
    client.force_login(asha)
    for number in range(31):
        notify(asha, key=f"cancel:{number}", now=timezone.now() + timedelta(seconds=number))

    assert client.get(reverse("notifications")).content.count(b"is-new") == 30
    assert client.get(reverse("notifications"), {"page": 2}).content.count(b'<li class="panel') == 1


def change(offer, place="IN-KA"):
    return change_region(place, offer, begins_in=timedelta(days=30))


def notified():
    return set(Notification.objects.not_of_decisions().values_list("player", "kind"))


def test_players_of_a_region_are_notified_before_a_change_begins():
    open_region("IN-KA")
    asha = make_depositor()
    make_depositor(region="MH")
    make_depositor(is_active=False)
    User.objects.create_user(handle="bot_ka", country="IN", region="KA", is_bot=True)
    region = change(Offer.WIND_DOWN)

    for _ in range(2):
        tasks.notify_of_place_change(region.pk)
        tasks.notify_of_recent_place_changes()
        mail_due(now=timezone.now())

    assert notified() == {(asha.pk, "place_winds_down")}
    notification = Notification.objects.not_of_decisions().get()
    begins = timezone.localtime(region.begins_at)
    assert f"From {begins.day} {begins:%b %Y, %H:%M} deposits and play for money end" in text_of(
        notification
    )
    assert path_of(notification) == "/wallet/withdrawals/"
    (message,) = mail.outbox
    assert "withdrawals remain possible" in message.body
    with translation.override("hi"):
        assert "निकासी" in text_of(notification)


@pytest.mark.parametrize(
    ("offer", "kind"),
    [
        (Offer.POINTS, "place_points_only"),
        (Offer.PROHIBITED, "place_prohibited"),
        (Offer.WIND_DOWN, None),  # As before.
        (Offer.ALLOWED, None),
    ],
)
def test_each_smaller_offer_has_its_own_notification(offer, kind):
    open_region("IN-KA", Offer.WIND_DOWN)
    asha = make_depositor()

    tasks.notify_of_place_change(change(offer).pk)

    assert notified() == ({(asha.pk, kind)} if kind else set())


def test_a_country_s_change_is_not_of_regions_with_rows_of_their_own():
    open_region("IN")
    open_region("IN-KA")
    make_depositor()
    far = make_depositor(region="MH")

    tasks.notify_of_place_change(change(Offer.WIND_DOWN, place="IN").pk)

    assert notified() == {(far.pk, "place_winds_down")}


def test_old_region_change_sends_no_notification():
    open_region("IN-KA")
    region = change(Offer.WIND_DOWN)
    make_depositor()
    notify_of_recent_changes(now=region.added_at + timedelta(days=3))

    assert notified() == set()


def test_the_approval_sends_the_task(django_capture_on_commit_callbacks, monkeypatch):
    sent = []
    monkeypatch.setattr("core.tasks.enqueue", lambda name, *args: sent.append((name, args)))

    with django_capture_on_commit_callbacks(execute=True):
        region = change(Offer.WIND_DOWN)

    assert ("players.notify_of_place_change", (region.pk,)) in sent
