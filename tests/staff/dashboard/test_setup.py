"""The setup page: which items are missing, what to do, and that it uses the existing checks."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from core.models import AuditEntry, Lease
from staff.dashboard import setup
from tables.models.tables import Heartbeat
from tables.models.templates import TableTemplate
from tables.state.deadlines import SWEEP
from tests.builders.staff.people import NO_ROLE, SUPERUSER, a_person, hire, lay_roles
from tests.builders.tables.offers import make_template

pytestmark = pytest.mark.django_db
PROCESSES = ("Database", "Redis", "Clock of the tables", "Periodic tasks", "Workers")


@pytest.fixture(autouse=True)
def _no_wait(monkeypatch):
    monkeypatch.setattr(setup, "INSPECT_SECONDS", 0.05)


@pytest.fixture
def found(client):
    """Return a function that opens the page and returns its items by title."""
    client.force_login(a_person(SUPERUSER))

    def read():
        parts = client.get(reverse("setup")).context["parts"]
        return {str(one.title): one for _part, of in parts for one in of}

    return read


def states(found, *titles):
    items = found()
    return {title: items[title].tone for title in titles}


@pytest.mark.parametrize("role", [NO_ROLE, "Support", "Finance", "Operations"])
def test_only_a_superuser_sees_the_setup(client, role):
    client.force_login(a_person(role))

    assert client.get(reverse("setup")).status_code == 403


def test_settings_are_judged_by_the_deployment_checks(found, settings):
    settings.SIMULATION_SEED = "7"
    settings.EMAIL_CONFIG = {"EMAIL_BACKEND": "django.core.mail.backends.console.EmailBackend"}
    items = found()
    seed, mail = items["Setting config.E001"], items["E-mail"]

    assert (seed.tone, seed.found) == ("bad", "SIMULATION_SEED is set: every deal is predictable.")
    assert mail.tone == "bad"
    assert mail.todo.startswith("Set it to a mail server")

    settings.SIMULATION_SEED = ""
    settings.EMAIL_CONFIG = {"EMAIL_BACKEND": "django.core.mail.backends.smtp.EmailBackend"}
    items = found()
    assert "Setting config.E001" not in items
    assert items["E-mail"].tone == "good"


def test_settings_without_a_check_turn_green_when_they_are_set(found, settings):
    settings.CONTACT_EMAIL = settings.DEPOSIT_GATEWAY = ""
    settings.PUBLIC_URL = "http://a.example"
    titles = ("Contact address", "Payment gateway", "Public address")
    assert states(found, *titles) == dict(zip(titles, ("bad", "bad", "warn"), strict=True))

    settings.CONTACT_EMAIL, settings.DEPOSIT_GATEWAY = "help@a.example", "razorpay"
    settings.PUBLIC_URL = "https://a.example"
    assert states(found, *titles) == dict.fromkeys(titles, "good")


@pytest.mark.parametrize(("hours", "tone"), [(None, "bad"), (1, "good"), (27, "bad")])
def test_a_backup_must_be_of_the_last_day(found, hours, tone):
    if hours is not None:
        AuditEntry.objects.create(
            service="backup", act="back_up", kind="database", row="rummy", name="a.backup"
        )
        later = timezone.now() + timedelta(hours=hours)
        assert setup._backup(later).tone == tone
    else:
        assert found()["Backup"].tone == tone


def test_a_role_that_decides_in_pairs_needs_two_people(found):
    lay_roles()
    hire("Finance", handle="uma_1", email="uma@example.com")
    assert found()["Role Finance"].found == "1 person"

    hire("Finance", handle="babu_2", email="babu@example.com")
    assert states(found, "Role Finance", "Role Support") == {
        "Role Finance": "good",
        "Role Support": "warn",
    }


def test_the_lobby_needs_an_offered_table(found):
    TableTemplate.objects.update(is_offered=False)
    assert found()["First tables"].tone == "bad"

    make_template(is_offered=True)

    assert found()["First tables"].tone == "good"


def test_processes_are_judged_by_readiness_lease_and_workers(found):
    items = found()
    assert {title: items[title].tone for title in PROCESSES} == {
        "Database": "good",
        "Redis": "good",
        "Clock of the tables": "bad",
        "Periodic tasks": "bad",
        "Workers": "bad",
    }
    assert "clock" in items["Clock of the tables"].todo

    Heartbeat.objects.create(name=SWEEP, beat_at=timezone.now())
    Lease.objects.create(name="beat", renewed_at=timezone.now())

    started = ("Clock of the tables", "Periodic tasks")
    assert states(found, *started) == dict.fromkeys(started, "good")


def test_each_item_that_is_not_done_says_what_to_do(found):
    open_items = [one for one in found().values() if not one.is_done]

    assert open_items
    # Some deployment checks say in their message what to do.
    silent = [str(one.title) for one in open_items if not one.todo]
    assert [title for title in silent if not title.startswith("Setting")] == []
