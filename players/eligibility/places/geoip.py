"""Where an address is, by files on this machine (MaxMind's format); nobody outside is asked."""

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
    "Addresses of signed-in players that were looked up, by what the files know of them.",
    ["known"],
)
for each in ("region", "country", "hidden", "nothing"):
    LOOKUPS.labels(each)  # Shown from the start, as 0.


def is_configured() -> bool:
    return bool(settings.GEOIP_FILE)


def seen_at(address: str) -> Seen | None:
    """Return what the files say; None without a file, and for addresses that they do not know.

    Addresses of the installation's own networks are not on the internet, and say nothing.
    """
    if not is_looked_up(address):
        return None
    return geoip_files.look_up(geoip_files.paths_of(settings.GEOIP_FILE), address)


def is_looked_up(address: str) -> bool:
    """Return whether there is a file and an address of the internet."""
    return is_configured() and is_public(address)


def count_lookup(seen: Seen | None) -> None:
    """Count a request's address in `/metrics` by what is known of it."""
    if seen is None:
        LOOKUPS.labels("nothing").inc()
    elif seen.is_hidden:
        LOOKUPS.labels("hidden").inc()
    else:
        LOOKUPS.labels("region" if seen.regions else "country").inc()


def log_contents() -> None:
    """Log what the files hold, and warn of what they do not know."""
    for path in geoip_files.paths_of(settings.GEOIP_FILE):
        contents = geoip_files.read_contents(path)
        log.info("geoip_file", path=path, kind=contents.kind, built_on=str(contents.built_on))
    for gap in geoip_files.gaps(settings.GEOIP_FILE):
        log.warning("geoip_file_incomplete", gap=gap.code, meaning=gap.meaning)
