"""Time passes for the wallet when a test says so."""

from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from tests.builders.processes.threads import kept_threads
from tests.cluster import TRIAL_POLICIES


@pytest.fixture(scope="package", autouse=True)
def _threads(django_db_setup):
    with kept_threads():
        yield


@pytest.fixture
def later(monkeypatch):
    """Let time pass for everything that asks Django for it."""
    plain, passed = timezone.now, [timedelta()]

    def wait(**time):
        passed[0] += timedelta(**time)

    monkeypatch.setattr(timezone, "now", lambda: plain() + passed[0])
    return wait


@pytest.fixture
def strict(owner):
    """As in production: nothing is posted without a document."""

    def change(sql):
        with owner(), connection.cursor() as cursor:
            cursor.execute(sql)

    yield lambda: change("DELETE FROM wallet_policy WHERE document = ''")
    change(TRIAL_POLICIES)
