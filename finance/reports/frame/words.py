"""Labels of kinds in reports, the same in every language of the reader.

A closed day is the same to the byte for everybody, and accounts of the plain text keep their names.
"""

from __future__ import annotations

from functools import cache

from django.utils import translation

from wallet.ledger.models import Account, Transfer


@cache
def account_word(kind: str) -> str:
    """Return what a kind of account is called."""
    with translation.override(None):
        return str(Account.Kind(kind).label)


@cache
def transfer_word(kind: str) -> str:
    """Return what a kind of transfer is called."""
    with translation.override(None):
        return str(Transfer.Kind(kind).label)
