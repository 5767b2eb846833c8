"""Overlays: what the operator adds to a game's escrow to meet its guarantee (RB 10.3)."""

from __future__ import annotations

from moneyed import Money

from wallet.ledger import accounts, posting
from wallet.ledger.models import Account, Transfer


def account(currency: str) -> Account:
    """Return the operator's guarantee account."""
    return accounts.operator_account(kind=Account.Kind.GUARANTEE, currency=currency)


def add_overlay(*, escrow: Account, amount: Money, key: str, memo: str = "") -> Transfer:
    """Post the shortfall of a guarantee into the game's escrow, at the operator's expense."""
    return _post(Transfer.Kind.GRANT, escrow, amount, key, memo)


def return_overlay(*, escrow: Account, amount: Money, key: str, memo: str = "") -> Transfer:
    """Post back the part of an overlay that later entries made unnecessary."""
    return _post(Transfer.Kind.REFUND, escrow, -amount, key, memo)


def _post(kind: Transfer.Kind, escrow: Account, added: Money, key: str, memo: str) -> Transfer:
    return posting.post(
        key=key,
        kind=kind,
        entries=[(account(escrow.currency), -added), (escrow, added)],
        document=Transfer.Document.GUARANTEE,
        game=escrow.ref,
        memo=memo,
        actor="guarantee",
    )
