"""Time passes for the wallet when a test says so."""

from datetime import timedelta

import pytest
from django.utils import timezone


@pytest.fixture
def later(monkeypatch):
    """Let time pass for everything that asks Django for it."""
    plain, passed = timezone.now, [timedelta()]

    def wait(**time):
        passed[0] += timedelta(**time)

    monkeypatch.setattr(timezone, "now", lambda: plain() + passed[0])
    return wait
