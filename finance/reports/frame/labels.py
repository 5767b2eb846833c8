"""English labels of account and transfer kinds for reports, whatever the active language.

A closed day has the same bytes for every reader, and account names in plain text do not change.
"""

from __future__ import annotations

from functools import cache

from django.utils import translation

from wallet.ledger.models import Account, Transfer


@cache
def account_label(kind: str) -> str:
    """Return the untranslated label of an account kind."""
    with translation.override(None):
        return str(Account.Kind(kind).label)


@cache
def transfer_label(kind: str) -> str:
    """Return the untranslated label of a transfer kind."""
    with translation.override(None):
        return str(Transfer.Kind(kind).label)
