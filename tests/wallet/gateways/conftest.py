"""An installation that takes deposits through Razorpay."""

import pytest

from config import providers
from tests.builders.wallet.razorpay_events import simulate_network


@pytest.fixture
def razorpay(settings, lawful, untaxed):
    settings.DEPOSIT_GATEWAY = "razorpay"
    settings.GATEWAY_KEYS = {"RAZORPAY_KEY_ID": "key", "RAZORPAY_KEY_SECRET": "secret"}
    settings.GATEWAY_WEBHOOK_SECRETS = {"razorpay": [providers.WebhookSecret("hook")]}


@pytest.fixture
def network(razorpay, monkeypatch):
    return simulate_network(monkeypatch)
