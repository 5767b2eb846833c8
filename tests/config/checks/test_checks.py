"""What a deployment is refused for."""

import pytest
from django.core.checks import run_checks


@pytest.fixture(autouse=True)
def _as_deployed(settings):
    settings.STAFF_MFA_REQUIRED = True
    backend = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_CONFIG = settings.EMAIL_CONFIG | {"EMAIL_BACKEND": backend}


def refusals():
    found = run_checks(tags=["security"], include_deployment_checks=True)
    return {message.id for message in found if message.id.startswith("config.")}


def test_a_simulations_seed_is_refused_in_a_deployment(settings):
    settings.SIMULATION_SEED = "7"

    assert refusals() == {"config.E001"}


def test_a_deployment_needs_a_key_for_its_deals(settings):
    settings.DEAL_KEYS = []

    assert refusals() == {"config.E002"}


def test_a_deployment_needs_a_key_for_bank_accounts(settings):
    settings.PAYEE_KEYS = []

    assert refusals() == {"config.E003"}


def test_staff_without_a_second_factor_are_warned_of(settings):
    settings.STAFF_MFA_REQUIRED = False

    assert refusals() == {"config.W001"}


def test_a_sound_deployment_is_not_refused(settings):
    settings.SIMULATION_SEED = ""

    assert refusals() == set()
