"""A small GeoIP file in MaxMind's format with a few networks."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mmdb_writer import MMDBWriter
from netaddr import IPSet

BENGALURU, CHENNAI, MUMBAI = "49.207.1.1", "106.51.1.1", "103.21.1.1"
# Of a country alone, of an older code, through a VPN, and of none.
INDIA, BHUBANESWAR, BERLIN = "117.192.1.1", "117.200.1.1", "91.0.1.1"
VPN, UNKNOWN, IPV6 = "185.220.1.1", "8.8.8.8", "2405:201::1"
PLACES = {
    BENGALURU: ("IN", "KA"),
    CHENNAI: ("IN", "TN"),
    MUMBAI: ("IN", "MH"),
    INDIA: ("IN", ""),
    BHUBANESWAR: ("IN", "OR"),
    BERLIN: ("DE", "BE"),
    IPV6: ("IN", "TN"),
}


def write_geoip_file(path: Path) -> str:
    """Write the file and return its path."""
    writer = MMDBWriter(ip_version=6, ipv4_compatible=True, database_type="GeoLite2-City")
    for address, (country, region) in PLACES.items():
        facts = {"country": {"iso_code": country}}
        if region:
            facts["subdivisions"] = [{"iso_code": region}]
        writer.insert_network(_network(address), facts)
    hidden = {"country": {"iso_code": "IN"}, "traits": {"is_anonymous_vpn": True}}
    writer.insert_network(_network(VPN), hidden)
    writer.to_db_file(str(path))
    return str(path)


def write_records(path: Path, records: Mapping[str, Any], *, kind: str, ip_version: int) -> str:
    """Write records by address, unchanged, one for each network."""
    mixed = {"ipv4_compatible": True} if ip_version == 6 else {}
    writer = MMDBWriter(ip_version=ip_version, database_type=kind, **mixed)
    for address, record in records.items():
        writer.insert_network(_network(address), record)
    writer.to_db_file(str(path))
    return str(path)


def nested(country: str, *levels: tuple[str, str]) -> dict[str, Any]:
    """Return a GeoLite2-City record: codes and names in several languages."""
    return {
        "continent": {"code": "AS", "names": {"en": "Asia"}},
        "country": {"geoname_id": 1, "iso_code": country, "names": {"en": country}},
        "registered_country": {"iso_code": "DE"},
        "subdivisions": [
            {"geoname_id": 2, "iso_code": code, "names": {"de": "-", "en": name}}
            for code, name in levels
        ],
    }


def named(country: str, *levels: str) -> dict[str, Any]:
    """Return a DB-IP record: subdivisions with names only."""
    return {
        "country": {"iso_code": country, "is_in_european_union": False, "names": {"en": country}},
        "subdivisions": [{"names": {"en": name}} for name in levels],
    }


def flat(country: str, state1: str = "", state2: str = "") -> dict[str, Any]:
    """Return a record of the npm packages `@ip-location-db/*-city-mmdb`."""
    place = {"country_code": country, "state1": state1, "state2": state2}
    return place | {"city": "", "postcode": "", "timezone": "", "latitude": 0.0, "longitude": 0.0}


def _network(address: str) -> IPSet:
    return IPSet([f"{address}/48" if ":" in address else f"{address}/24"])
