"""A small file that says where a few networks are, in MaxMind's format."""

from __future__ import annotations

from pathlib import Path

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
    """Write the file and return its path, as the setting has it."""
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


def _network(address: str) -> IPSet:
    return IPSet([f"{address}/48" if ":" in address else f"{address}/24"])
