"""Whose bank account a withdrawal goes to: kept encrypted, opened for staff and the bank's file."""

from __future__ import annotations

import json
from dataclasses import dataclass
from uuid import UUID

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings

from wallet.exceptions import PayeeUnreadable
from wallet.models import Withdrawal

SHOWN_DIGITS = 4


@dataclass(frozen=True)
class Payee:
    name: str
    bank_account: str
    ifsc: str

    @property
    def account_end(self) -> str:
        """The last digits: enough for its owner to know it by."""
        return self.bank_account[-SHOWN_DIGITS:]


def seal_payee(payee: Payee, *, withdrawal: UUID) -> bytes:
    """Encrypt a payee for one withdrawal; put into another's row, it cannot be opened there."""
    content = [str(withdrawal), payee.name, payee.bank_account, payee.ifsc]
    return _box().encrypt(json.dumps(content).encode())


def open_payee(withdrawal: Withdrawal) -> Payee:
    """Return whom a withdrawal pays, or raise `PayeeUnreadable`."""
    try:
        content = _box().decrypt(bytes(withdrawal.encrypted_payee))
    except InvalidToken:
        raise PayeeUnreadable(f"No key in PAYEE_KEYS opens withdrawal {withdrawal.pk}.") from None
    whose, *details = json.loads(content)
    if whose != str(withdrawal.public_id):
        raise PayeeUnreadable(f"The payee of withdrawal {withdrawal.pk} is another's.")
    return Payee(*details)


def _box() -> MultiFernet:
    return MultiFernet([Fernet(key) for key in settings.PAYEE_KEYS])
