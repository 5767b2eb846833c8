"""The format of a bank account, and IFSC bank codes: a dated list with those ended by a merger.

The list is `banks.json`, which names its source. Newer banks are added with the setting
`BANK_CODES_ADDED`.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any, Final

from django.conf import settings
from django.utils.translation import gettext as _

from wallet.exceptions import BadIfsc, BankMerged

# Four letters for the bank, a zero, six characters for the branch.
IFSC_PATTERN: Final = r"^[A-Z]{4}0[A-Z0-9]{6}$"
ACCOUNT_PATTERN: Final = r"^[0-9]{9,18}$"
# Bank files take only ASCII letters; with fewer than two the name would be empty there.
PAYEE_PATTERN: Final = r"^(?=.*[A-Za-z].*[A-Za-z])[^\W\d_][\w .'-]{1,79}$"
BANK_LETTERS: Final = 4


@dataclass(frozen=True)
class Merger:
    """The end of a bank's code: `into` is the code of the bank that has its accounts now."""

    bank: str
    into: str
    into_name: str
    on: date

    def __str__(self) -> str:
        """Return the instruction to the account's owner."""
        return _(
            "%(bank)s is now %(into)s and its old IFSC does not work any more. Register the "
            "account with its new IFSC, which begins with %(code)s."
        ) % {"bank": self.bank, "into": self.into_name, "code": self.into}


@cache
def _list() -> dict[str, Any]:
    content: dict[str, Any] = json.loads(Path(__file__).with_name("banks.json").read_text("utf-8"))
    return content


def list_date() -> date:
    """Return the date of the list of bank codes."""
    return date.fromisoformat(_list()["as_of"])


def merger_of(bank: str) -> Merger | None:
    """Return the merger that ended a bank's code, or None.

    >>> merger_of("ANDB").into_name
    'Union Bank of India'
    >>> merger_of("UBIN") is None
    True
    """
    found = _list()["merged"].get(bank)
    if found is None:
        return None
    return Merger(
        bank=found["name"],
        into=found["into"],
        into_name=_list()["banks"][found["into"]],
        on=date.fromisoformat(found["on"]),
    )


def merged_codes() -> list[str]:
    """Return the bank codes that ended with a merger."""
    return list(_list()["merged"])


def refuse_merged(bank: str) -> None:
    """Raise `BankMerged` for the code of a merged bank."""
    if merger := merger_of(bank):
        raise BankMerged(str(merger))


def refuse_wrong_ifsc(ifsc: str) -> None:
    """Raise `BadIfsc` unless it is an IFSC of a known bank, `BankMerged` if that was merged.

    The branch is not checked, because branches open and close daily.
    """
    ifsc = ifsc.upper()
    if re.fullmatch(IFSC_PATTERN, ifsc) is None:
        raise BadIfsc(_("Enter an IFSC of 11 characters, such as HDFC0001234."))
    bank = ifsc[:BANK_LETTERS]
    refuse_merged(bank)
    if bank not in _list()["banks"] and bank not in settings.BANK_CODES_ADDED:
        raise BadIfsc(
            _(
                "No bank has an IFSC that begins with %(bank)s. Check it in your passbook or on a "
                "cheque; if it is right, contact us."
            )
            % {"bank": bank}
        )
