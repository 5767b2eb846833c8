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
def page(client):
    client.force_login(a_person(SUPERUSER))
    return lambda: client.get(reverse("setup"))


def item(page, title):
    """Return the item of this title on the page."""
    [found] = [one for _part, of in page().context["parts"] for one in of if one.title == title]
    return found


def states(page, *titles):
    return {title: item(page, title).tone for title in titles}


@pytest.mark.parametrize("role", [NO_ROLE, "Support", "Finance", "Operations"])
def test_only_a_superuser_sees_the_setup(client, role):
    client.force_login(a_person(role))

    assert client.get(reverse("setup")).status_code == 403


def test_settings_are_judged_by_the_deployment_checks(page, settings):
    settings.SIMULATION_SEED = "7"
    settings.EMAIL_CONFIG = {"EMAIL_BACKEND": "django.core.mail.backends.console.EmailBackend"}
    seed, mail = item(page, "Setting config.E001"), item(page, "E-mail")

    assert (seed.tone, seed.found) == ("bad", "SIMULATION_SEED is set: every deal is predictable.")
    assert mail.tone == "bad"
    assert mail.todo.startswith("Set it to a mail server")

    settings.SIMULATION_SEED = ""
    settings.EMAIL_CONFIG = {"EMAIL_BACKEND": "django.core.mail.backends.smtp.EmailBackend"}
    titles = {one.title for _part, of in page().context["parts"] for one in of}
    assert "Setting config.E001" not in titles
    assert item(page, "E-mail").tone == "good"


def test_settings_without_a_check_turn_green_when_they_are_set(page, settings):
    settings.CONTACT_EMAIL, settings.DEPOSIT_GATEWAY, settings.PUBLIC_URL = (
        "",
        "",
        "http://a.example",
    )
    titles = ("Contact address", "Payment gateway", "Public address")
    assert states(page, *titles) == dict(zip(titles, ("bad", "bad", "warn"), strict=True))

    settings.CONTACT_EMAIL, settings.DEPOSIT_GATEWAY = "help@a.example", "razorpay"
    settings.PUBLIC_URL = "https://a.example"
    assert states(page, *titles) == dict.fromkeys(titles, "good")


@pytest.mark.parametrize(("hours", "tone"), [(None, "bad"), (1, "good"), (27, "bad")])
def test_a_backup_must_be_of_the_last_day(page, monkeypatch, hours, tone):
    if hours is not None:
        AuditEntry.objects.create(
            service="backup", act="back_up", kind="database", row="rummy", name="a.backup"
        )
        later = timezone.now() + timedelta(hours=hours)
        assert setup._backup(later).tone == tone
    else:
        assert item(page, "Backup").tone == tone


def test_a_role_that_decides_in_pairs_needs_two_people(page):
    lay_roles()
    hire("Finance", handle="uma_1", email="uma@example.com")
    assert item(page, "Role Finance").found == "1 person"

    hire("Finance", handle="babu_2", email="babu@example.com")
    assert states(page, "Role Finance", "Role Support") == {
        "Role Finance": "good",
        "Role Support": "warn",
    }


def test_the_lobby_needs_an_offered_table(page):
    TableTemplate.objects.update(is_offered=False)
    assert item(page, "First tables").tone == "bad"

    make_template(is_offered=True)

    assert item(page, "First tables").tone == "good"


def test_processes_are_judged_by_readiness_lease_and_workers(page):
    assert states(page, *PROCESSES) == {
        "Database": "good",
        "Redis": "good",
        "Clock of the tables": "bad",
        "Periodic tasks": "bad",
        "Workers": "bad",
    }
    assert "clock" in item(page, "Clock of the tables").todo

    Heartbeat.objects.create(name=SWEEP, beat_at=timezone.now())
    Lease.objects.create(name="beat", renewed_at=timezone.now())

    started = ("Clock of the tables", "Periodic tasks")
    assert states(page, *started) == dict.fromkeys(started, "good")


def test_each_item_that_is_not_done_says_what_to_do(page):
    answer = page()

    open_items = [one for _part, of in answer.context["parts"] for one in of if not one.is_done]
    assert open_items
    # Some deployment checks say in their message what to do.
    silent = [str(one.title) for one in open_items if not one.todo]
    assert [title for title in silent if not title.startswith("Setting")] == []
