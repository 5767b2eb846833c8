"""The place of supply of a deposit, and its tax by Union and state."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils import translation

from players.accounts.region_codes import INDIA, iso_code
from wallet.tax.invoices.models import Registration
from wallet.tax.invoices.states import state_code, state_name
from wallet.tax.models import GstCharge

# As India Compliance, which files returns from ERPNext, writes them; a return has the code alone.
OTHER_COUNTRY, OTHER_TERRITORY = "96-Other Countries", "97-Other Territory"


@dataclass(frozen=True)
class Shares:
    """The tax of one invoice in minor units; to another state all of it is integrated tax."""

    igst_minor: int
    cgst_minor: int
    sgst_minor: int


def place_code(place: str) -> str:
    """Return a place with its current ISO 3166-2 code: "IN-TS" for "IN-TG"."""
    country, _, region = place.partition("-")
    return iso_code(country, region)


def place_of_supply(place: str) -> str:
    """Return a place such as "IN-KA" as the tax return names it: "29-Karnataka"."""
    country, _, region = place_code(place).partition("-")
    if country and country != INDIA:
        return OTHER_COUNTRY
    if not state_code(region):
        return OTHER_TERRITORY
    with translation.override(None):
        return f"{state_code(region)}-{state_name(region)}"


def is_inter_state(place: str, registration: Registration | None) -> bool:
    """Return whether a supply to a place is charged integrated tax.

    It is unless the operator is registered in the same state: also without a registration, and
    always
    for an operator outside India.
    """
    if registration is None or registration.is_offshore:
        return True
    country, _, region = place.partition("-")
    own = state_code(registration.state)
    return country != INDIA or not own or state_code(region) != own


def shares_of(charge: GstCharge, registration: Registration | None) -> Shares:
    """Divide the tax of a charge; the Union gets an odd paisa."""
    tax = charge.tax_minor
    if is_inter_state(charge.place, registration):
        return Shares(tax, 0, 0)
    return Shares(0, tax - tax // 2, tax // 2)
