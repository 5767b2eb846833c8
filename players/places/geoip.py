"""Where an address is, by a file on this machine (MaxMind's format); nobody outside is asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from django.conf import settings

from core.addresses import is_public

# Marks of addresses that stand in for others: VPNs, proxies, Tor, rented servers.
HIDING: Final = (
    "is_anonymous",
    "is_anonymous_vpn",
    "is_anonymous_proxy",
    "is_public_proxy",
    "is_residential_proxy",
    "is_tor_exit_node",
    "is_hosting_provider",
)
# ISO 3166-2 has changed codes of Indian states that older files still have.
CODES_OF_INDIA: Final = {"OR": "OD", "CT": "CG", "UT": "UK", "TS": "TG", "DN": "DH", "DD": "DH"}


@dataclass(frozen=True)
class Seen:
    """What the file says of an address; empty codes where it does not say."""

    country: str = ""
    region: str = ""
    is_hidden: bool = False


def is_configured() -> bool:
    return bool(settings.GEOIP_FILE)


def seen_at(address: str) -> Seen | None:
    """Return what the file says; None without a file, and for addresses that it does not know.

    Addresses of the house's own networks are not on the internet, and say nothing.
    """
    if not is_configured() or not is_public(address):
        return None
    found = _reader(settings.GEOIP_FILE).get(address)
    return _seen(found) if isinstance(found, Mapping) else None


def _seen(found: Mapping[str, Any]) -> Seen | None:
    country = str(_of(found, "country").get("iso_code") or "")
    subdivisions = found.get("subdivisions") or [{}]
    region = str(subdivisions[0].get("iso_code") or "") if country else ""
    if country == "IN":
        region = CODES_OF_INDIA.get(region, region)
    # A file of anonymous addresses alone has its marks at the top.
    marks = {**found, **_of(found, "traits")}
    is_hidden = any(marks.get(mark) is True for mark in HIDING)
    return Seen(country, region, is_hidden) if country or is_hidden else None


def _of(found: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    part = found.get(name)
    return part if isinstance(part, Mapping) else {}


@cache
def _reader(path: str) -> Any:
    """Return the open file; a newer one is read by processes that start after it."""
    import maxminddb  # An optional dependency.

    return maxminddb.open_database(path)
