"""The client's address: one function for throttles, sign-in limits, origins and logs."""

import pytest
from allauth.account.adapter import get_adapter
from axes.helpers import get_client_ip_address

from core.addresses import client_address, client_address_of_scope, client_network, network_of
from tables.seats.devices import origin_of

PEER = "192.0.2.1"
FORWARDED = [
    # Without a proxy of ours the header is anybody's to write.
    (0, "203.0.113.9", PEER),
    (1, "198.51.100.1, 203.0.113.9", "203.0.113.9"),
    (2, "198.51.100.1, 203.0.113.9", "198.51.100.1"),
    # Fewer hops than proxies: the request went around them.
    (3, "198.51.100.1, 203.0.113.9", PEER),
    (1, "", PEER),
    (1, "203.0.113.9, unknown", PEER),
    (1, "::ffff:203.0.113.9", "203.0.113.9"),
    (1, "2001:DB8::0:1", "2001:db8::1"),
]


@pytest.mark.parametrize(("proxies", "header", "address"), FORWARDED)
def test_forwarded_address_is_read_from_trusted_proxies(rf, settings, proxies, header, address):
    settings.TRUSTED_PROXY_COUNT = proxies
    request = rf.get("/", headers={"X-Forwarded-For": header}, REMOTE_ADDR=PEER)
    scope = {"headers": [(b"x-forwarded-for", header.encode())], "client": (PEER, 4711)}

    assert client_address(request) == address
    assert client_address_of_scope(scope) == address


def test_client_cannot_choose_its_address_by_headers(rf, settings):
    """The proxy appends; two headers of one name reach an ASGI server as two."""
    settings.TRUSTED_PROXY_COUNT = 1
    headers = [(b"x-forwarded-for", b"1.1.1.1"), (b"x-forwarded-for", b"203.0.113.9")]

    assert client_address_of_scope({"headers": headers, "client": None}) == "203.0.113.9"
    forged = {"X-Real-Ip": "1.1.1.1", "Forwarded": "for=1.1.1.1", "Client-Ip": "1.1.1.1"}
    assert client_address(rf.get("/", headers=forged, REMOTE_ADDR=PEER)) == PEER


def test_all_uses_of_an_address_agree(rf, settings):
    settings.TRUSTED_PROXY_COUNT = 1
    header = {"X-Forwarded-For": "1.1.1.1, 2001:db8:1:2:3:4:5:6"}
    request = rf.get("/", headers=header, REMOTE_ADDR=PEER)

    assert get_adapter().get_client_ip(request) == "2001:db8:1:2:3:4:5:6"
    assert origin_of(request).address == "2001:db8:1:2:3:4:5:6"
    assert get_client_ip_address(request) == client_network(request) == "2001:db8:1:2::"


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("2001:db8:1:2:ffff::1", "2001:db8:1:2::"),
        ("203.0.113.9", "203.0.113.9"),
        ("::ffff:203.0.113.9", "203.0.113.9"),
        ("unix:", "unix:"),
    ],
)
def test_limits_use_an_ipv4_address_or_an_ipv6_network(address, network):
    assert network_of(address) == network
