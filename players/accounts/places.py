"""Countries (ISO 3166-1) and regions (ISO 3166-2): their codes and their names.

A code of a region is the part after the hyphen of ISO 3166-2 (`KA` of `IN-KA`). The current codes,
their names and their hierarchy come from pycountry; this module adds the codes that ISO has
withdrawn and the names that GeoIP files use.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, Final

import pycountry
from babel import Locale  # Installed with django-money.
from django.conf import settings
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

INDIA: Final = "IN"
# Longest accepted name; those of ISO 3166-2 are shorter.
REGION_NAME_MAX: Final = 100
# Cache size; there are fewer countries.
COUNTRIES_MAX: Final = 512
# Withdrawn and vehicle registration codes that are still in use. Telangana is
# `TS` since 2023-11 although the state registers vehicles as TG since 2024.
OLD_CODES: Final[dict[str, dict[str, str]]] = {
    INDIA: {
        "TG": "TS",
        "OR": "OD",
        "CT": "CG",
        "UT": "UK",
        "UL": "UK",
        "UA": "UK",
        "DN": "DH",
        "DD": "DH",
    },
    # GeoLite2 uses the department number for Paris.
    "FR": {"75": "75C"},
}
# Additional names, normalised as by `_plain`.
OTHER_NAMES: Final[dict[str, dict[str, str]]] = {
    INDIA: {
        "andaman and nicobar": "AN",
        "chattisgarh": "CG",
        "dadra and nagar haveli": "DH",
        "daman and diu": "DH",
        "jammu kashmir": "JK",
        "kashmir": "JK",
        "laccadives": "LD",
        "new delhi": "DL",
        "orissa": "OD",
        "pondicherry": "PY",
        "uttaranchal": "UK",
    }
}
# Prefixes of names that are ignored: "Union Territory of Puducherry", "State of Berlin".
_GENERIC: Final = re.compile(
    r"^(the )?(union territory|national capital territory|nct|state|free state|province|region"
    r"|county|department|prefecture|autonomous community) (of )?(?=\w)"
)
# Regions that GeoIP files mix up: Ladakh was part of Jammu and Kashmir until 2019-10-31.
ONE_FOR_FILES: Final[dict[str, tuple[frozenset[str], ...]]] = {INDIA: (frozenset({"JK", "LA"}),)}


def region_code(country: str, given: str) -> str:
    """Return the current code of a region given by code or name; "" if unknown.

    >>> region_code("IN", "TG"), region_code("IN", "in-or"), region_code("IN", "Telangana")
    ('TS', 'OD', 'TS')
    >>> region_code("IN", "National Capital Territory of Delhi"), region_code("US", "OR")
    ('DL', 'OR')
    >>> region_code("IN", "Bavaria")
    ''
    """
    given = given.strip()[:REGION_NAME_MAX]
    code = present_code(country, given.upper().removeprefix(f"{country}-"))
    return code if code in _parents(country) else _codes_by_name(country).get(_plain(given), "")


def present_code(country: str, code: str) -> str:
    """Return the current ISO 3166-2 code of a region; an unknown code is returned unchanged."""
    return OLD_CODES.get(country, {}).get(code, code)


def iso_code(country: str, code: str) -> str:
    """Return a place as its current ISO 3166-2 code ("IN-TS"); without a region the country.

    >>> iso_code("IN", "TG"), iso_code("DE", ""), iso_code("", "")
    ('IN-TS', 'DE', '')
    """
    return f"{country}-{present_code(country, code)}".strip("-")


def lineage(country: str, code: str) -> tuple[str, ...]:
    """Return the codes of a region and of the regions that contain it, the smallest first.

    >>> lineage("IT", "MI"), lineage("IN", "OR"), lineage("IN", "")
    (('MI', '25'), ('OD',), ())
    """
    found: list[str] = []
    code = present_code(country, code)
    while code and code not in found:
        found.append(code)
        code = _parents(country).get(code, "")
    return tuple(found)


def spellings(country: str, codes: Iterable[str]) -> set[str]:
    """Return current codes with the withdrawn codes that they replaced."""
    present = {*codes}
    return present | {old for old, now in OLD_CODES.get(country, {}).items() if now in present}


def codes_within(country: str, code: str) -> set[str]:
    """Return all codes, current and withdrawn, of a region and its subdivisions."""
    code = present_code(country, code)
    parts = (each for each in _parents(country) if code in lineage(country, each))
    return spellings(country, {code, *parts})


def smallest_regions(country: str) -> dict[str, str]:
    """Return the codes and names of the regions without subdivisions, sorted by name."""
    parents = _parents(country)
    divided = {*parents.values()}
    found = {code: _names(country)[code] for code in parents if code not in divided}
    return dict(sorted(found.items(), key=lambda each: _plain(each[1])))


def agrees(country: str, code: str, seen: Sequence[str]) -> bool:
    """Return whether a region matches the regions of an IP address, given largest first.

    A province matches a county in it and the reverse, because files have different levels.
    """
    own = lineage(country, code)
    above = {each for one in seen for each in lineage(country, one)}
    if own[0] in above or seen[-1] in own:
        return True
    return any(own[0] in pair and pair & above for pair in ONE_FOR_FILES.get(country, ()))


@lru_cache(maxsize=COUNTRIES_MAX)
def _parents(country: str) -> dict[str, str]:
    """Return the parent region of each region by code; "" for the country itself."""
    return {
        each.code.partition("-")[2]: (each.parent_code or "").partition("-")[2]
        for each in _subdivisions(country)
    }


@lru_cache(maxsize=COUNTRIES_MAX)
def _names(country: str) -> dict[str, str]:
    return {each.code.partition("-")[2]: each.name for each in _subdivisions(country)}


def _subdivisions(country: str) -> Iterable[Any]:
    table: Any = pycountry.subdivisions  # Its methods have no types.
    return table.get(country_code=country) or ()


@lru_cache(maxsize=COUNTRIES_MAX)
def _codes_by_name(country: str) -> dict[str, str]:
    """Return codes by normalised name.

    If regions share a name, the larger one counts; of two on the same level neither. Each form of
    a name ("Bolzano, Alto Adige", "Region (in brackets)") is listed.
    """
    found: dict[str, set[str]] = defaultdict(set)
    for code, name in _names(country).items():
        for form in (name, *re.split(r"[;,/\[\]()]", name)):
            if plain := _plain(form):
                found[plain].add(code)
    named = {}
    for plain, codes in found.items():
        ranked = sorted((len(lineage(country, code)), code) for code in codes)
        if len(ranked) == 1 or ranked[0][0] < ranked[1][0]:
            named[plain] = ranked[0][1]
    return named | OTHER_NAMES.get(country, {})


def _plain(name: str) -> str:
    """Return a name in lower case without accents, punctuation and prefixes ("State of")."""
    letters = unicodedata.normalize("NFKD", name.casefold().replace("&", " and "))
    bare = "".join(letter for letter in letters if not unicodedata.combining(letter))
    return _GENERIC.sub("", " ".join(re.findall(r"\w+", bare)))


STATES_OF_INDIA: Final[dict[str, Any]] = {
    "AN": _("Andaman and Nicobar Islands"),
    "AP": _("Andhra Pradesh"),
    "AR": _("Arunachal Pradesh"),
    "AS": _("Assam"),
    "BR": _("Bihar"),
    "CG": _("Chhattisgarh"),
    "CH": _("Chandigarh"),
    "DH": _("Dadra and Nagar Haveli and Daman and Diu"),
    "DL": _("Delhi"),
    "GA": _("Goa"),
    "GJ": _("Gujarat"),
    "HP": _("Himachal Pradesh"),
    "HR": _("Haryana"),
    "JH": _("Jharkhand"),
    "JK": _("Jammu and Kashmir"),
    "KA": _("Karnataka"),
    "KL": _("Kerala"),
    "LA": _("Ladakh"),
    "LD": _("Lakshadweep"),
    "MH": _("Maharashtra"),
    "ML": _("Meghalaya"),
    "MN": _("Manipur"),
    "MP": _("Madhya Pradesh"),
    "MZ": _("Mizoram"),
    "NL": _("Nagaland"),
    "OD": _("Odisha"),
    "PB": _("Punjab"),
    "PY": _("Puducherry"),
    "RJ": _("Rajasthan"),
    "SK": _("Sikkim"),
    "TN": _("Tamil Nadu"),
    "TR": _("Tripura"),
    "TS": _("Telangana"),
    "UK": _("Uttarakhand"),
    "UP": _("Uttar Pradesh"),
    "WB": _("West Bengal"),
}


def countries() -> list[tuple[str, str]]:
    """Return the codes and names of all countries in the active language, by name."""
    named = Locale.parse(get_language() or settings.LANGUAGE_CODE, sep="-").territories
    found = [(code, name) for code, name in named.items() if len(code) == 2 and code.isalpha()]
    return sorted((each for each in found if each[0] not in NO_COUNTRIES), key=lambda each: each[1])


# Codes that are not countries: groups of countries and placeholders.
NO_COUNTRIES: Final = frozenset({"EU", "EZ", "UN", "QO", "XA", "XB", "ZZ"})


def place_name(country: str, region: str = "") -> str:
    """Return country and region in the active language: `Karnataka, India`."""
    name = dict(countries()).get(country, country)
    if not region:
        return name
    region = present_code(country, region)
    within = STATES_OF_INDIA.get(region, region) if country == INDIA else region
    return f"{within}, {name}"
