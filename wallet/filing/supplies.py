"""Where a deposit is supplied to and how its tax is shared between the Union and a state."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils import translation

from players.accounts.places import STATES_OF_INDIA
from players.accounts.region_codes import INDIA, iso_code
from wallet.filing.models import Registration
from wallet.tax.models import GstCharge

# The state codes of GST by the codes of ISO 3166-2: 01 to 24 in this order, then with gaps.
_FIRST = (
    "JK",
    "HP",
    "PB",
    "CH",
    "UK",
    "HR",
    "DL",
    "RJ",
    "UP",
    "BR",
    "SK",
    "AR",
    "NL",
    "MN",
    "MZ",
    "TR",
    "ML",
    "AS",
    "WB",
    "JH",
    "OD",
    "CG",
    "MP",
    "GJ",
)
_LATER = {26: "DH", 27: "MH", 29: "KA", 30: "GA", 31: "LD", 32: "KL", 33: "TN", 34: "PY"}
_NEWEST = {35: "AN", 36: "TS", 37: "AP", 38: "LA"}
STATE_CODES = {
    region: f"{number:02}"
    for number, region in (dict(enumerate(_FIRST, 1)) | _LATER | _NEWEST).items()
}
OTHER_COUNTRY, OTHER_TERRITORY = "96-Other Country", "97-Other Territory"


@dataclass(frozen=True)
class Shares:
    """The tax of one invoice in minor units: to another state it is all integrated tax."""

    igst_minor: int
    cgst_minor: int
    sgst_minor: int


def place_code(place: str) -> str:
    """Return a place by the code that ISO 3166-2 has now: "IN-TS" for "IN-TG"."""
    country, _, region = place.partition("-")
    return iso_code(country, region)


def place_of_supply(place: str) -> str:
    """Return a place such as "IN-KA" as the return names it: "29-Karnataka"."""
    country, _, region = place_code(place).partition("-")
    if country and country != INDIA:
        return OTHER_COUNTRY
    if region not in STATE_CODES:
        return OTHER_TERRITORY
    with translation.override(None):
        return f"{STATE_CODES[region]}-{STATES_OF_INDIA[region]}"


def is_inter_state(place: str, registration: Registration | None) -> bool:
    """Return whether a place lies in another state than the house; where none is known, it does."""
    return registration is None or place_code(place) != iso_code(INDIA, registration.state)


def shares_of(charge: GstCharge, registration: Registration | None) -> Shares:
    """Share the tax of a charge; of an odd paisa the Union has the larger half."""
    tax = charge.tax_minor
    if is_inter_state(charge.place, registration):
        return Shares(tax, 0, 0)
    return Shares(0, tax - tax // 2, tax // 2)
