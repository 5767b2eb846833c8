"""`manage.py check --deploy` in a process: a complete environment, then without each setting."""

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
}
# Per setting: what stands in its place (None: it is unset), and what the check then reports.
INCOMPLETE = [
    ("DEAL_KEYS", None, {"config.E002"}),
    ("PAYEE_KEYS", None, {"config.E003"}),
    ("IDENTITY_KEYS", None, {"config.E014"}),
    ("STAFF_MFA_REQUIRED", None, {"config.W001"}),
    ("HTTPS", None, {"security.W004", "security.W008", "security.W012", "security.W016"}),
    ("EMAIL_URL", None, {"config.E019"}),
    ("EMAIL_URL", "consolemail://", {"config.E019"}),
    ("EMAIL_URL", "dummymail://", {"config.E019"}),
    ("EMAIL_URL", "filemail:///var/mail", {"config.E019"}),
    ("SIMULATION_SEED", "7", {"config.E001"}),
    ("DEPOSIT_TERM_HOUR", "4", {"config.E013"}),
]


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


@pytest.mark.parametrize(("name", "value", "expected"), INCOMPLETE)
def test_environment_without_a_setting_is_refused_by_its_id(name, value, expected):
    environment = {other: text for other, text in COMPLETE.items() if other != name}

    code, reported, text = checked(environment | ({name: value} if value else {}))

    assert (code, reported) == (1, expected), text


@pytest.mark.skipif((CHECKOUT / ".env").exists(), reason="this checkout has a .env of its own")
def test_missing_secret_key_stops_every_command():
    environment = {name: text for name, text in COMPLETE.items() if name != "SECRET_KEY"}

    code, _, text = checked(environment | {"RUMMY_EPHEMERAL": "0"})

    assert code == 1
    assert "SECRET_KEY" in text
