"""A setting that makes no sense stops the start with one sentence."""

import pytest

from config import environment
from config.environment import ImproperlyConfigured
from wallet.gateways import GATEWAYS


@pytest.mark.parametrize("text", ["-1", "one", "1.5", "", "9999999999"])
def test_counts_are_whole_numbers_from_the_least_on(monkeypatch, text):
    monkeypatch.setenv("TRUSTED_PROXY_COUNT", text)

    with pytest.raises(ImproperlyConfigured, match=r"TRUSTED_PROXY_COUNT is .*: a whole number"):
        environment.whole("TRUSTED_PROXY_COUNT", 0)


def test_a_count_may_be_the_least(monkeypatch):
    monkeypatch.setenv("SOCKETS_PER_PLAYER", "1")
    assert environment.whole("SOCKETS_PER_PLAYER", 20, least=1) == 1

    monkeypatch.setenv("SOCKETS_PER_PLAYER", "0")
    with pytest.raises(ImproperlyConfigured, match="1 or more"):
        environment.whole("SOCKETS_PER_PLAYER", 20, least=1)


def test_deposits_go_through_a_gateway_that_there_is(monkeypatch):
    assert set(environment.GATEWAYS) == set(GATEWAYS)
    monkeypatch.setenv("DEPOSIT_GATEWAY", "nope")

    with pytest.raises(ImproperlyConfigured, match="sandbox, razorpay"):
        environment.deposit_gateway()


@pytest.mark.parametrize("text", ["inr", "INR,PTS", "XXX", "INR,ZZZ"])
def test_cash_is_of_currencies_that_there_are(monkeypatch, text):
    monkeypatch.setenv("CASH_CURRENCIES", text)

    with pytest.raises(ImproperlyConfigured, match="is no currency's code"):
        environment.cash_currencies()


@pytest.mark.parametrize("text", ['{"x":1}', "moves"])
def test_throttles_that_cannot_be_read_are_refused_in_a_sentence(monkeypatch, text):
    monkeypatch.setenv("THROTTLES", text)

    with pytest.raises(ImproperlyConfigured, match="THROTTLES cannot be read"):
        environment.throttles({"moves": ("1/s", "2/s")})
