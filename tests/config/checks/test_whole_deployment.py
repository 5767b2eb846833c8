"""`manage.py check --deploy` in a process: a complete environment, then one without any setting.

`test_checks.py` tries each setting alone.
"""

import os
import re
import secrets
import subprocess
import sys

import pytest
from cryptography.fernet import Fernet

from core.db.binaries import CHECKOUT

pytestmark = pytest.mark.extended


def key():
    return Fernet.generate_key().decode()


COMPLETE = {
    "SECRET_KEY": secrets.token_urlsafe(64),
    "DEAL_KEYS": key(),
    "PAYEE_KEYS": key(),
    "IDENTITY_KEYS": key(),
    "HTTPS": "1",
    "STAFF_MFA_REQUIRED": "1",
    "EMAIL_URL": "smtp+tls://user:password@mail.example.com:587",
    "CONTACT_EMAIL": "help@example.com",
}


def checked(environment):
    """Return the exit code, the reported ids and all text of the check in a process of its own."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    done = subprocess.run(
        [sys.executable, "manage.py", "check", "--deploy", "--fail-level", "WARNING"],
        cwd=CHECKOUT,
        env=kept | {"RUMMY_EPHEMERAL": "1"} | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    text = done.stdout + done.stderr
    return done.returncode, set(re.findall(r"\((\w+\.[EW]\d{3})\)", text)), text


def test_complete_environment_passes():
    code, reported, text = checked(COMPLETE)

    assert (code, reported) == (0, set()), text


def test_environment_without_settings_is_refused_by_all_their_ids():
    wrong = {"SIMULATION_SEED": "7", "DEPOSIT_TERM_HOUR": "4"}

    code, reported, text = checked({"SECRET_KEY": COMPLETE["SECRET_KEY"]} | wrong)

    ours = {
        f"config.{name}"
        for name in ("E001", "E002", "E003", "E013", "E014", "E019", "E020", "W001")
    }
    of_https = {f"security.{name}" for name in ("W004", "W008", "W012", "W016")}
    assert (code, reported) == (1, ours | of_https), text


@pytest.mark.skipif((CHECKOUT / ".env").exists(), reason="this checkout has a .env of its own")
def test_missing_secret_key_stops_every_command():
    environment = {name: text for name, text in COMPLETE.items() if name != "SECRET_KEY"}

    code, _, text = checked(environment | {"RUMMY_EPHEMERAL": "0"})

    assert code == 1
    assert "SECRET_KEY" in text
