"""One of several beats sends tasks; if it fails, another takes over within five seconds."""

from datetime import timedelta

import pytest
from celery import Celery
from celery.schedules import crontab
from django.utils import timezone

from config.serving.beat import LEASE_SECONDS, BeatLease, LeasedScheduler
from core.models import Lease

pytestmark = pytest.mark.django_db

# Not the current one: tasks of other tests would go to its broker.
APP = Celery("beats", broker="memory://", set_as_current=False)


class Sender(LeasedScheduler):
    """A beat whose messages stay here."""

    def apply_async(self, entry, **_options):
        self.sent.append(entry.name)


@pytest.fixture
def make_beat(tmp_path):
    """Return a function that starts a beat with a file of its own."""

    def make(name, schedule):
        APP.conf.beat_schedule = schedule
        beat = Sender(APP, schedule_filename=str(tmp_path / name))
        beat.sent = []
        return beat

    return make


def grow_old(seconds):
    held = Lease.objects.get(name="beat")
    Lease.objects.filter(pk=held.pk).update(renewed_at=held.renewed_at - timedelta(seconds=seconds))


def test_beat_lease_is_held_by_one_process():
    first, second = BeatLease(), BeatLease()

    assert first.take()[0]
    assert not second.take()[0]
    assert first.take()[0]
    assert not second.take()[0]


def test_expired_lease_is_taken_over():
    dead, next_one = BeatLease(), BeatLease()
    dead.take()
    grow_old(LEASE_SECONDS - 1)
    assert not next_one.take()[0]

    grow_old(2)

    assert next_one.take()[0]
    assert not dead.take()[0]  # It hung and wakes up.
    assert dead.mine is None


def test_released_lease_is_taken_at_once():
    stopped, next_one = BeatLease(), BeatLease()
    stopped.take()

    stopped.give_back()

    assert next_one.take()[0]


def test_only_the_holder_of_the_lease_sends_tasks(make_beat):
    schedule = {"often": {"task": "often", "schedule": timedelta(seconds=0)}}
    first, second = make_beat("first", schedule), make_beat("second", schedule)

    first.tick()
    second.tick()

    assert first.sent == ["often"]
    assert second.sent == []


def test_new_holder_sends_at_once_but_repeats_no_nightly_task(make_beat):
    now = timezone.now()
    an_hour_ago = crontab(hour=str((now.hour - 1) % 24), minute="0")
    schedule = {
        "nightly": {"task": "nightly", "schedule": an_hour_ago},
        "often": {"task": "often", "schedule": timedelta(seconds=0)},
    }
    first, second = make_beat("first", schedule), make_beat("second", schedule)
    for beat in (first, second):
        for entry in beat.schedule.values():
            entry.last_run_at = now - timedelta(hours=30)
        beat.tick()
        beat.tick()
    assert set(first.sent) == {"nightly", "often"}
    assert second.sent == []

    first.close()
    second.asked_at = float("-inf")
    for _ in range(3):
        second.tick()

    assert set(second.sent) == {"often"}
