"""GST state codes by the regions of India (ISO 3166-2)."""

from __future__ import annotations

from typing import Any, Final

from players.accounts.places import STATES_OF_INDIA
from players.accounts.region_codes import INDIA, present_code

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
