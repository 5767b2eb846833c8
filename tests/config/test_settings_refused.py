"""An invalid setting prevents the start with a one-line message."""

import re

import pytest
from django.core.checks import run_checks
from django.utils.module_loading import import_string

from config import environment, providers
from config.checks.deployment import misspelt
from config.environment import ImproperlyConfigured
from config.serving.throttles import throttles
from core.db.binaries import CHECKOUT


@pytest.mark.parametrize("text", ["-1", "11", "one", "1.5", "", "9999999999"])
def test_invalid_count_is_refused(monkeypatch, text):
    monkeypatch.setenv("TRUSTED_PROXY_COUNT", text)

    with pytest.raises(ImproperlyConfigured, match=r"TRUSTED_PROXY_COUNT is .*: a whole number"):
        environment.whole("TRUSTED_PROXY_COUNT", 0, most=10)


def test_count_may_be_the_minimum(monkeypatch):
    monkeypatch.setenv("SOCKETS_PER_PLAYER", "1")
    assert environment.whole("SOCKETS_PER_PLAYER", 20, least=1, most=9) == 1

    monkeypatch.setenv("SOCKETS_PER_PLAYER", "0")
    with pytest.raises(ImproperlyConfigured, match="from 1 to 9"):
        environment.whole("SOCKETS_PER_PLAYER", 20, least=1, most=9)


@pytest.mark.parametrize("text", ["-1", "61", "nan", "inf", ""])
def test_seconds_are_a_number_in_their_range(monkeypatch, text):
    monkeypatch.setenv("BOT_THINK_SECONDS", text)

    with pytest.raises(ImproperlyConfigured, match="seconds from 0 to 60"):
        environment.seconds("BOT_THINK_SECONDS", 1.2, most=60)


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("CASH_CURRENCIEZ", "CASH_CURRENCIES"),
        ("DATABASE_POLER", "DATABASE_POOLER"),
        ("DATABASE_OWNER_URI", "DATABASE_OWNER_URL"),
        ("cash_currencie", "CASH_CURRENCIES"),
        ("DEPOSIT_TERM_HOUR", "DEPOSIT_TERM_HOURS"),
    ],
)
def test_misspelt_setting_is_refused(monkeypatch, name, meant):
    assert [m for m in run_checks(tags=["settings"]) if m.id == "config.E013"] == []
    monkeypatch.setenv(name, "IN-KA")

    found = run_checks(tags=["settings"])

    assert [(message.id, message.msg) for message in found] == [
        ("config.E013", f"{name} is not a setting; did you mean {meant}?")
    ]


def test_names_of_other_programs_and_documented_files_are_accepted():
    """Those that containers, clusters and shells set, and all that the files here name."""
    others = ["REDIS_PORT", "REDIS_SERVICE_HOST", "POSTGRES_PASSWORD", "HTTPS_PROXY"]
    others += ["DATABASE_NAME", "DATABASE_USER", "DEPOSIT_SERVICE_PORT", "EMAIL_HOST"]
    files = (CHECKOUT / name for name in (".env.example", "docker-compose.yml", "docs/start.md"))
    text = "".join(file.read_text() for file in files)
    named = set(re.findall(r"\b[A-Z][A-Z_]{3,}\b", text))

    assert len(named) > 40
    assert misspelt([*others, *named], environment.env.names) == []


def test_unknown_gateway_is_refused(monkeypatch):
    for name, known in providers.GATEWAYS.items():
        assert import_string(known.path).name == name
    monkeypatch.setenv("DEPOSIT_GATEWAY", "nope")

    with pytest.raises(ImproperlyConfigured, match=", ".join(providers.GATEWAYS)):
        providers.deposit_gateway()


@pytest.mark.parametrize("text", ["inr", "INR,PTS", "XXX", "INR,ZZZ"])
def test_unknown_cash_currency_is_refused(monkeypatch, text):
    monkeypatch.setenv("CASH_CURRENCIES", text)

    with pytest.raises(ImproperlyConfigured, match="is not a currency code"):
        environment.cash_currencies()


@pytest.mark.parametrize("text", ['{"x":1}', "moves"])
def test_malformed_throttles_are_refused(monkeypatch, text):
    monkeypatch.setenv("THROTTLES", text)

    with pytest.raises(ImproperlyConfigured, match="THROTTLES is malformed"):
        throttles()
