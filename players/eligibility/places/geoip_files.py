"""Read GeoIP files in MaxMind's format (MMDB), in the layouts of several publishers.

MaxMind (GeoIP2, GeoLite2) and DB-IP have nested records: `country.iso_code` and a list of
`subdivisions`, the largest first, with codes, names or both. Flat records have `country_code` and
names such as `state1` (the packages `@ip-location-db`) or `region` (IPinfo).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from enum import Enum
from functools import cache, lru_cache
from itertools import islice
from typing import Any, Final

import structlog

from players.accounts.places import region_code

log = structlog.get_logger(__name__)
# Flags of addresses that hide the user's own: VPNs, proxies, Tor, hosting providers.
HIDING: Final = (
    "is_anonymous",
    "is_anonymous_vpn",
    "is_anonymous_proxy",
    "is_public_proxy",
    "is_residential_proxy",
    "is_tor_exit_node",
    "is_hosting_provider",
)
# Flat fields that name a region, code before name, the larger region first.
FLAT_REGIONS: Final = (("region_code", "region", "state1"), ("state2",))
# Languages whose names are likely to match ISO 3166-2.
LANGUAGES: Final = ("en", "fr", "de", "es")
# Records read at start. Files are ordered by address, and some begin with networks of unknown
# region.
SAMPLE: Final = 2_000
# First address and prefix length of IPv4, and of the IPv6 range in use.
FAMILIES: Final = {4: ("0.0.0.0", 0), 6: ("2000::", 3)}  # noqa: S104  Not bound to.


class UnusableFile(Exception):
    """A file cannot be read, or contains no country."""


@dataclass(frozen=True)
class Seen:
    """The location of an address; fields are empty if unknown."""

    country: str = ""
    # Current ISO 3166-2 codes, the largest region first.
    regions: tuple[str, ...] = ()
    is_hidden: bool = False

    @property
    def region(self) -> str:
        """Return the smallest region, "" if none is known."""
        return self.regions[-1] if self.regions else ""


@dataclass(frozen=True)
class Contents:
    """The contents of a file, by its metadata and its first records."""

    kind: str
    built_on: date
    has_regions: bool
    # IP versions (4, 6) with at least one record.
    families: frozenset[int]


def _(text: str) -> str:
    """Mark a text for translation, as Django does; its own function would load the settings."""
    return text


class Gap(Enum):
    """Data missing from the files, and the effect on players."""

    REGIONS = "no_regions", _("the files contain no regions: the state of an address is unknown")
    IPV4 = "no_ipv4", _("the files have no IPv4 addresses: players on IPv4 cannot be located")
    IPV6 = "no_ipv6", _("the files have no IPv6 addresses: players on IPv6 cannot be located")

    def __init__(self, code: str, meaning: str) -> None:
        self.code, self.meaning = code, meaning


def paths_of(setting: str) -> list[str]:
    """Return the paths in a comma-separated setting, such as one file each for IPv4 and IPv6."""
    return [path.strip() for path in setting.split(",") if path.strip()]


def read_contents(path: str) -> Contents:
    """Return the contents of a file; raise `UnusableFile` if it has no country."""
    reader = _reader(path)
    country_seen = region_seen = False
    for _network, record in islice(records(path), SAMPLE):
        seen = read(record)
        country_seen = country_seen or bool(seen and seen.country)
        region_seen = region_seen or bool(seen and seen.regions)
        if country_seen and region_seen:
            break
    if not country_seen:
        raise UnusableFile(
            f"{path} contains no country: no record has country.iso_code or country_code"
        )
    metadata = reader.metadata()
    return Contents(
        kind=metadata.database_type,
        built_on=datetime.fromtimestamp(metadata.build_epoch, UTC).date(),
        has_regions=region_seen,
        families=frozenset(
            version for version in FAMILIES if _has_family(reader, metadata.ip_version, version)
        ),
    )


def gaps(setting: str) -> list[Gap]:
    """Return the data that is missing from all files of a setting."""
    contents = [read_contents(path) for path in paths_of(setting)]
    found = []
    if contents and not any(each.has_regions for each in contents):
        found.append(Gap.REGIONS)
    families = frozenset[int]().union(*(each.families for each in contents))
    if contents and 4 not in families:
        found.append(Gap.IPV4)
    if contents and 6 not in families:
        found.append(Gap.IPV6)
    return found


def look_up(paths: Sequence[str], address: str) -> Seen | None:
    """Return the location of an address from the first file that has it; None if none has."""
    for path in paths:
        reader = _reader(path)
        # The reader raises for an IPv6 address where the file has IPv4 alone.
        if ":" in address and reader.metadata().ip_version == 4:
            continue
        seen = read(_record(reader, path, address))
        if seen is not None:
            return seen
    return None


def _record(reader: Any, path: str, address: str) -> Any:
    """Return the record of an address; log an error and return None if the file is damaged."""
    import maxminddb

    try:
        return reader.get(address)
    except maxminddb.InvalidDatabaseError as error:
        log.error("geoip_file_damaged", path=path, error=str(error))
        return None


def read(record: Any) -> Seen | None:
    """Return the location in a record of any layout; None without country or hiding flag."""
    if not isinstance(record, Mapping):
        return None
    country = country_of(record)
    # Files of anonymous addresses only have the flags at the top level.
    flags = {**record, **_part(record, "traits")}
    is_hidden = any(flags.get(flag) is True for flag in HIDING)
    if not country and not is_hidden:
        return None
    return Seen(country, _regions(record, country) if country else (), is_hidden)


def country_of(record: Mapping[str, Any]) -> str:
    """Return the country code of a record; "" if it has none."""
    nested = _part(record, "country").get("iso_code")
    found = (_code(each) for each in (nested, record.get("country_code"), record.get("country")))
    return next((code for code in found if code), "")


def names_a_region(record: Mapping[str, Any]) -> bool:
    """Return whether a record names any region, in ISO 3166-2 or not."""
    return any(isinstance(each, str) and each for level in _levels(record) for each in level)


def _regions(record: Mapping[str, Any], country: str) -> tuple[str, ...]:
    """Return the regions of a record by current ISO 3166-2 code; others are ignored."""
    found = (_first_code(country, level) for level in _levels(record))
    return tuple(code for code in found if code)


def _levels(record: Mapping[str, Any]) -> list[Sequence[Any]]:
    """Return the codes and names for each level of subdivisions, the largest first."""
    listed = record.get("subdivisions")
    if not isinstance(listed, list):
        return [[record.get(name) for name in names] for names in FLAT_REGIONS]
    parts = [part for part in listed if isinstance(part, Mapping)]
    return [
        (part.get("iso_code"), *(_part(part, "names").get(language) for language in LANGUAGES))
        for part in parts
    ]


def _first_code(country: str, given: Sequence[Any]) -> str:
    codes = (_region_code(country, each) for each in given if isinstance(each, str) and each)
    return next((code for code in codes if code), "")


# Cached: every request needs it, and a file has only some thousand regions.
_region_code = lru_cache(maxsize=8192)(region_code)


def _part(record: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    part = record.get(name)
    return part if isinstance(part, Mapping) else {}


def _code(value: Any) -> str:
    """Return a country code in upper case; "" for other values, such as a name."""
    is_code = isinstance(value, str) and len(value) == 2 and value.isascii() and value.isalpha()
    return value.upper() if is_code else ""


def records(path: str) -> Iterator[tuple[Any, Any]]:
    """Yield all networks of a file with their records, ordered by address."""
    import maxminddb

    try:
        yield from _reader(path)
    except maxminddb.InvalidDatabaseError as error:
        raise UnusableFile(f"{path} is damaged: {error}") from error


def _has_family(reader: Any, ip_version: int, version: int) -> bool:
    """Return whether a file has a record of IPv4 or IPv6."""
    if version > ip_version:
        return False
    address, length = FAMILIES[version]
    record, found = reader.get_with_prefix_len(address)
    # The family is empty if the whole family is one network without a record.
    return record is not None or found > length


@cache
def _reader(path: str) -> Any:
    """Return the open file. A replaced file is read only by processes started afterwards."""
    import maxminddb  # An optional dependency.

    try:
        return maxminddb.open_database(path)
    except (maxminddb.InvalidDatabaseError, OSError) as error:
        raise UnusableFile(f"{path} cannot be read as a MaxMind database: {error}") from error
