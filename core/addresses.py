"""The network address of a client, for throttles, sign-in limits, origins and logs.

`X-Forwarded-For` is read from the right, past `TRUSTED_PROXY_COUNT` proxies of the installation.
Entries further left come from the client and are ignored.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import Any, Final

from django.conf import settings
from django.http import HttpRequest

# IPv6 customers get at least a network of this size and can use any address in it.
IPV6_PREFIX: Final = 64


def client_address(request: HttpRequest) -> str:
    """Return the client's address as the outermost trusted proxy received it."""
    forwarded = request.META.get("HTTP_X_FORWARDED_FOR", "")
    return _address(forwarded, peer=request.META.get("REMOTE_ADDR") or "")


def client_address_of_scope(scope: Mapping[str, Any]) -> str:
    """Return the client's address of an ASGI connection, such as a socket's."""
    headers = [value for name, value in scope.get("headers", ()) if name == b"x-forwarded-for"]
    peer = (scope.get("client") or ("",))[0]
    return _address(b",".join(headers).decode("latin-1"), peer=peer or "")


def network_of(address: str) -> str:
    """Return the key of limits by address: an IPv4 address, or the /64 of an IPv6 address.

    >>> network_of("2001:db8:1:2:3:4:5:6")
    '2001:db8:1:2::'
    >>> network_of("203.0.113.9")
    '203.0.113.9'
    """
    parsed = _parsed(address)
    if isinstance(parsed, IPv6Address):
        return str(IPv6Network((parsed, IPV6_PREFIX), strict=False).network_address)
    return address if parsed is None else str(parsed)


def client_network(request: HttpRequest) -> str:
    """Return the network of a request's client; see `network_of`."""
    return network_of(client_address(request))


def _address(forwarded: str, *, peer: str) -> str:
    count: int = settings.TRUSTED_PROXY_COUNT
    hops = forwarded.split(",")
    if 0 < count <= len(hops):
        parsed = _parsed(hops[-count])
        if parsed is not None:
            return str(parsed)
    parsed = _parsed(peer)
    return peer if parsed is None else str(parsed)


@lru_cache(maxsize=4096)
def _parsed(text: str) -> IPv4Address | IPv6Address | None:
    """Parse an address; return an IPv4-mapped IPv6 address (`::ffff:203.0.113.9`) as IPv4."""
    try:
        parsed = ip_address(text.strip())
    except ValueError:  # A Unix socket has no address.
        return None
    if isinstance(parsed, IPv6Address) and parsed.ipv4_mapped is not None:
        return parsed.ipv4_mapped
    return parsed


# IPv6 addresses that hold an IPv4 address in their last 32 bits (RFC 6052).
_NAT64: Final = IPv6Network("64:ff9b::/96")


def is_public(address: str) -> bool:
    """Return whether an address belongs to the public internet, not to a private network.

    >>> is_public("203.0.114.9"), is_public("10.0.0.8"), is_public("::ffff:169.254.169.254")
    (True, False, False)
    """
    parsed = _parsed(address)
    if parsed is None:
        return False
    if isinstance(parsed, IPv6Address):
        if parsed in _NAT64:
            return is_public(str(IPv4Address(int(parsed) & 0xFFFFFFFF)))
        if parsed.sixtofour is not None or parsed.teredo is not None:
            return False
    return parsed.is_global and not parsed.is_multicast
