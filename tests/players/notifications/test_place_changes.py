"""Players are notified once when less is offered where they live."""

from datetime import timedelta

import pytest
from django.core import mail
from django.utils import timezone, translation

from players import tasks
from players.accounts.models import User
from players.eligibility.places.models import Offer
from players.notifications.actions import mail_due
from players.notifications.models import Notification
from players.notifications.place_changes import notify_of_recent_changes
from players.notifications.texts import path_of, text_of
from tests.builders.people.region_changes import change_region
from tests.builders.people.regions import open_region
from tests.builders.wallet.cashier_desk import make_depositor

pytestmark = pytest.mark.django_db


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
