"""Report how many IP addresses of a country have no known region in the files of GEOIP_FILE.

Prints the contents of each file, then for IPv4 and IPv6 the number of addresses of the country, by
region; "no region" if the file has none, "unreadable" if its region is not in ISO 3166-2. IPv6 is
counted in /48 networks. Reading a file of cities takes some minutes.
"""

from __future__ import annotations

from argparse import ArgumentParser
from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from players.accounts.places import INDIA, countries
from players.eligibility.places import geoip_files

# Prefix length that is counted as one: an IPv4 address, an IPv6 customer's network.
COUNTED_BITS: Final = {4: 32, 6: 48}


class Command(BaseCommand):
    help = __doc__
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--country", default=INDIA, help="an ISO 3166-1 code (default: IN)")
        parser.add_argument(
            "--file", action="append", help="a file instead of GEOIP_FILE; may be repeated"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        country = options["country"].upper()
        if country not in dict(countries()):
            raise CommandError(f"{country} is not a country code of ISO 3166-1.")
        paths = options["file"] or geoip_files.paths_of(settings.GEOIP_FILE)
        if not paths:
            raise CommandError("Set GEOIP_FILE or give --file.")
        try:
            for path in paths:
                self._report(path, country)
        except geoip_files.UnusableFile as error:
            raise CommandError(str(error)) from error

    def _report(self, path: str, country: str) -> None:
        contents = geoip_files.read_contents(path)
        families = ", ".join(f"IPv{version}" for version in sorted(contents.families))
        self.stdout.write(f"{path}: {contents.kind}, built on {contents.built_on}, {families}")
        for version, counts in _counted(path, country).items():
            self._print(version, counts, country)

    def _print(self, version: int, counts: Counter[str], country: str) -> None:
        total = counts.total()
        unit = "addresses" if version == 4 else "networks (/48)"
        self.stdout.write(f"  IPv{version} {unit} of {country}: {total}")
        for region, number in counts.most_common():
            self.stdout.write(f"    {region:12} {number:>14} {100 * number / total:6.2f} %")


def _counted(path: str, country: str) -> dict[int, Counter[str]]:
    """Return the number of a country's addresses in a file by IP version and region."""
    found: dict[int, Counter[str]] = {4: Counter(), 6: Counter()}
    for network, record in geoip_files.records(path):
        bits = COUNTED_BITS[network.version] - network.prefixlen
        if bits < 0 or not isinstance(record, Mapping) or geoip_files.country_of(record) != country:
            continue
        seen = geoip_files.read(record)
        missing = "unreadable" if geoip_files.names_a_region(record) else "no region"
        found[network.version][(seen and seen.region) or missing] += 2**bits
    return {version: counts for version, counts in found.items() if counts}
