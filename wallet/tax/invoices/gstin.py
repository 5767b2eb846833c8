"""GSTINs: their two formats for an operator, checksum, and the GST codes of states.

`stdnum.in_.gstin` (python-stdnum 2.2) refuses state 38 (Ladakh) and all registrations of suppliers
outside India, so the parts are checked separately with its algorithms.
"""

from __future__ import annotations

import re
from typing import Any, Final

import pycountry
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from stdnum import luhn
from stdnum.in_ import pan

from players.accounts.places import INDIA, STATES_OF_INDIA, present_code

# 01 to 24 in this order, then with gaps.
_FIRST: Final = (
    *("JK", "HP", "PB", "CH", "UK", "HR", "DL", "RJ", "UP", "BR", "SK", "AR"),
    *("NL", "MN", "MZ", "TR", "ML", "AS", "WB", "JH", "OD", "CG", "MP", "GJ"),
)
_LATER: Final = {
    26: "DH",
    27: "MH",
    29: "KA",
    30: "GA",
    31: "LD",
    32: "KL",
    33: "TN",
    34: "PY",
    35: "AN",
    36: "TS",
    37: "AP",
    38: "LA",
}
STATE_CODES: Final = {
    region: f"{number:02}" for number, region in (dict(enumerate(_FIRST, 1)) | _LATER).items()
}


def state_code(region: str) -> str:
    """Return the two-digit GST code of a region of India, or "" for other regions.

    >>> [state_code(each) for each in ("TG", "TS", "LA", "XX")]
    ['36', '36', '38', '']
    """
    return STATE_CODES.get(present_code(INDIA, region), "")


def state_name(region: str) -> Any:
    """Return the name of a region of India by any of its codes."""
    return STATES_OF_INDIA.get(present_code(INDIA, region), region)


ALPHABET: Final = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
# State, PAN, number of the registration in the state, Z, check digit.
NORMAL: Final = re.compile(r"[0-9]{2}([A-Z]{5}[0-9]{4}[A-Z])[1-9A-Z]Z[0-9A-Z]")
# 99, year, country by ISO 3166-1 alpha-3, serial number, OS, check digit: a supplier outside India
# of online services or online money gaming (IGST Act, sections 14 and 14A), registered with form
# REG-10. Such a registration files GSTR-5A and charges only integrated tax.
OFFSHORE: Final = re.compile(r"99[0-9]{2}([A-Z]{3})[0-9]{5}OS[0-9A-Z]")


def is_offshore(gstin: str) -> bool:
    """Return whether a GSTIN belongs to a supplier outside India.

    >>> [is_offshore("9917SGP29001OST"), is_offshore("29AABCP1234D1ZU")]
    [True, False]
    """
    return OFFSHORE.fullmatch(gstin) is not None


def refuse_wrong_gstin(gstin: str, *, state: str) -> None:
    """Raise `ValidationError` unless the GSTIN is valid and belongs to the state.

    The state is the part of its ISO 3166-2 code after the hyphen, or empty for a supplier outside
    India. Only the GST portal knows whether the number was issued.
    """
    if len(gstin) != 15:
        raise _wrong("gstin", _("Enter 15 letters and digits."))
    offshore, normal = OFFSHORE.fullmatch(gstin), NORMAL.fullmatch(gstin)
    if not (offshore or normal):
        raise _wrong(
            "gstin",
            _("Enter a GSTIN such as 29AABCP1234D1ZU, or 9917SGP29001OST outside India."),
        )
    if not luhn.is_valid(gstin, ALPHABET):
        raise _wrong("gstin", _("The check digit does not match: look for a typing error."))
    if offshore:
        _refuse_wrong_offshore(country=offshore.group(1), state=state)
    elif normal:
        _refuse_wrong_normal(gstin, holder=normal.group(1), state=state)


def _refuse_wrong_offshore(*, country: str, state: str) -> None:
    if pycountry.countries.get(alpha_3=country) is None:
        raise _wrong("gstin", _("%(code)s is not a country code.") % {"code": country})
    if state:
        raise _wrong("state", _("Leave the state empty for a GSTIN that begins with 99."))


def _refuse_wrong_normal(gstin: str, *, holder: str, state: str) -> None:
    if not pan.is_valid(holder):
        raise _wrong("gstin", _("Characters 3 to 12 must be a PAN."))
    if not state:
        raise _wrong("state", _("Choose the state of the GSTIN."))
    if gstin[:2] == state_code(state):
        return
    named = next((code for code, number in STATE_CODES.items() if number == gstin[:2]), None)
    raise _wrong(
        "gstin",
        _("The GSTIN begins with %(found)s (%(named)s), but %(state)s has %(wanted)s.")
        % {
            "found": gstin[:2],
            "named": state_name(named) if named else _("no state"),
            "state": state_name(state),
            "wanted": state_code(state) or "-",
        },
    )


def _wrong(field: str, message: str) -> ValidationError:
    return ValidationError({field: message}, code=f"bad_{field}")
