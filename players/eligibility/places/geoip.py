"""Locate IP addresses by local GeoIP files (MaxMind format); no external service is used."""

from __future__ import annotations

from typing import Final

import structlog
from django.conf import settings
from prometheus_client import Counter

from core.addresses import is_public
from players.eligibility.places import geoip_files
from players.eligibility.places.geoip_files import Seen

log = structlog.get_logger(__name__)

LOOKUPS: Final = Counter(
    "rummy_geoip_lookups",
    "IP addresses of signed-in players that were looked up, by what the GeoIP files contain.",
    ["known"],
)
for each in ("region", "country", "hidden", "nothing"):
    LOOKUPS.labels(each)  # Export each label from the start, as 0.


def is_configured() -> bool:
    return bool(settings.GEOIP_FILE)


def seen_at(address: str) -> Seen | None:
    """Return what the files contain about an address; None if unknown or without a file.

    Private addresses have no location.
    """
    if not is_looked_up(address):
        return None
    return geoip_files.look_up(geoip_files.paths_of(settings.GEOIP_FILE), address)


def is_looked_up(address: str) -> bool:
    """Return whether a file is configured and the address is public."""
    return is_configured() and is_public(address)


def count_lookup(seen: Seen | None) -> None:
    """Count a lookup in `/metrics` by its result."""
    if seen is None:
        LOOKUPS.labels("nothing").inc()
    elif seen.is_hidden:
        LOOKUPS.labels("hidden").inc()
    else:
        LOOKUPS.labels("region" if seen.regions else "country").inc()


def log_contents() -> None:
    """Log the contents of the files, and warn about gaps."""
    for path in geoip_files.paths_of(settings.GEOIP_FILE):
        contents = geoip_files.read_contents(path)
        log.info("geoip_file", path=path, kind=contents.kind, built_on=str(contents.built_on))
    for gap in geoip_files.gaps(settings.GEOIP_FILE):
        log.warning("geoip_file_incomplete", gap=gap.code, meaning=gap.meaning)
