"""`manage.py geoip_report` counts the addresses of a country without a region."""

import io

import pytest
from django.core.management import CommandError, call_command

from tests.builders.people.geoip_files import flat, named, nested, write_records

# Each IPv4 record is of a /24 and each IPv6 record of a /48.
RECORDS = {
    "49.207.1.1": nested("IN", ("KA", "Karnataka")),
    "49.207.2.1": nested("IN", ("TG", "Telangana")),
    "49.207.3.1": named("IN", "Union Territory of Puducherry"),
    "49.207.4.1": flat("IN", "Telangana"),
    "49.207.5.1": nested("IN"),
    "49.207.6.1": flat("IN"),
    "49.207.7.1": flat("IN", "Middle Earth"),
    "91.0.1.1": nested("DE", ("BE", "Berlin")),
    "2405:201::1": flat("IN"),
}


@pytest.fixture
def path(tmp_path):
    return write_records(tmp_path / "places.mmdb", RECORDS, kind="Mixed", ip_version=6)


def report(**options):
    out = io.StringIO()
    call_command("geoip_report", stdout=out, **options)
    return [" ".join(line.split()) for line in out.getvalue().splitlines()]


def test_report_counts_addresses_by_region(settings, path):
    settings.GEOIP_FILE = path

    first, *lines = report()

    assert first.startswith(f"{path}: Mixed, built on 20")
    assert first.endswith("IPv4, IPv6")
    assert lines[0] == "IPv4 addresses of IN: 1792"
    assert sorted(lines[1:6]) == [
        "KA 256 14.29 %",
        "PY 256 14.29 %",
        "TS 512 28.57 %",
        "no region 512 28.57 %",
        "unreadable 256 14.29 %",
    ]
    assert lines[6:] == ["IPv6 networks (/48) of IN: 1", "no region 1 100.00 %"]


def test_report_of_another_country_and_file(settings, path):
    settings.GEOIP_FILE = ""

    assert report(file=[path], country="de")[1:] == ["IPv4 addresses of DE: 256", "BE 256 100.00 %"]


def test_report_without_a_file_or_of_no_country_is_refused(settings, path, tmp_path):
    settings.GEOIP_FILE = ""
    with pytest.raises(CommandError, match="Set GEOIP_FILE or give --file"):
        report()
    with pytest.raises(CommandError, match="XX is not a country code"):
        report(file=[path], country="XX")
    wrong = write_records(tmp_path / "asn.mmdb", {"49.207.1.1": {"asn": 1}}, kind="a", ip_version=4)

    with pytest.raises(CommandError, match="contains no country"):
        report(file=[wrong])
