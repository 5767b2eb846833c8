"""Countries (ISO 3166-1) and regions of India (ISO 3166-2) by name, for forms and pages."""

from __future__ import annotations

from typing import Any, Final

from babel import Locale  # Installed with django-money.
from django.conf import settings
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from players.accounts.region_codes import INDIA, present_code

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
