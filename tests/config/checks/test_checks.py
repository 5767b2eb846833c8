"""Settings with which `check --deploy` refuses a deployment."""

import os

import pytest
from django.core.checks import run_checks

from tests.builders.people.geoip_files import flat, nested, write_geoip_file, write_records
from tests.builders.processes.product import run


@pytest.fixture(autouse=True)
def _as_deployed(settings):
    settings.STAFF_MFA_REQUIRED = True
    backend = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_CONFIG = settings.EMAIL_CONFIG | {"EMAIL_BACKEND": backend}
    settings.CONTACT_EMAIL = "help@example.com"


def refusals():
    found = run_checks(tags=["security"], include_deployment_checks=True)
    return {message.id for message in found if message.id.startswith("config.")}


BACKENDS = "django.core.mail.backends"


@pytest.mark.parametrize(
    ("name", "value", "ids"),
    [
        ("SIMULATION_SEED", "", set()),
        ("SIMULATION_SEED", "7", {"config.E001"}),
        ("DEAL_KEYS", [], {"config.E002"}),
        ("PAYEE_KEYS", [], {"config.E003"}),
        ("STAFF_MFA_REQUIRED", False, {"config.W001"}),
        ("CONTACT_EMAIL", "", {"config.E020"}),
        *(
            ("EMAIL_CONFIG", {"EMAIL_BACKEND": f"{BACKENDS}.{name}.EmailBackend"}, {"config.E019"})
            for name in ("console", "dummy", "filebased")
        ),
    ],
)
def test_a_deployment_with_an_unsuitable_setting_is_refused(settings, name, value, ids):
    setattr(settings, name, value)

    assert refusals() == ids


@pytest.mark.parametrize(
    ("record", "ip_version", "ids"),
    [
        (nested("IN", ("KA", "Karnataka")), 4, {"config.W016"}),
        (nested("IN"), 4, {"config.W014", "config.W016"}),
        ({"country_code": "IN"}, 4, {"config.W014", "config.W016"}),
        (flat("IN", "Karnataka"), 6, {"config.W016"}),
        ({"autonomous_system_number": 55836}, 4, {"config.E016"}),
    ],
)
def test_incomplete_geoip_file_is_reported(settings, tmp_path, record, ip_version, ids):
    path = tmp_path / "places.mmdb"
    records = {"49.207.1.1": record}
    settings.GEOIP_FILE = write_records(path, records, kind="test", ip_version=ip_version)

    assert refusals() == ids


def test_geoip_file_of_ipv6_alone_is_reported(settings, tmp_path):
    path = tmp_path / "ipv6.mmdb"
    records = {"2405:201::1": flat("IN", "Kerala")}
    settings.GEOIP_FILE = write_records(path, records, kind="city ipv6", ip_version=6)

    assert refusals() == {"config.W015"}


def test_files_for_both_versions_of_ip_are_complete_together(settings, tmp_path):
    paths = [
        write_records(tmp_path / f"{n}.mmdb", {address: record}, kind="test", ip_version=n)
        for n, address, record in (
            (4, "49.207.1.1", flat("IN", "Kerala")),
            (6, "2405:201::1", flat("IN")),
        )
    ]
    settings.GEOIP_FILE = ",".join(paths)

    assert refusals() == set()


def test_declared_unknown_regions_with_a_geoip_file_are_reported(settings, tmp_path):
    settings.GEOIP_UNKNOWN_REGION = "declared"
    assert refusals() == set()

    settings.GEOIP_FILE = write_geoip_file(tmp_path / "places.mmdb")

    assert refusals() == {"config.W017"}


def test_deployment_check_in_a_process_prints_what_a_geoip_file_lacks(tmp_path):
    path = tmp_path / "ipv4.mmdb"
    write_records(path, {"49.207.1.1": {"country_code": "IN"}}, kind="country", ip_version=4)
    # A complete deployment, with the keys of the test run.
    given = os.environ | {"RUMMY_EPHEMERAL": "1", "EMAIL_URL": "smtp://localhost"}
    given |= {"CONTACT_EMAIL": "help@example.com", "GEOIP_UNKNOWN_REGION": "declared"}

    poor = run("check", "--deploy", "--tag", "security", **given | {"GEOIP_FILE": str(path)})

    assert poor.returncode == 0
    assert "(config.W014) GEOIP_FILE: the files contain no regions" in poor.stderr
    assert "(config.W016) GEOIP_FILE: the files have no IPv6 addresses" in poor.stderr
    assert "(config.W017) GEOIP_UNKNOWN_REGION=declared" in poor.stderr
