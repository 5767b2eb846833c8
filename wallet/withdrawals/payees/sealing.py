"""Encryption of registered bank accounts, each for its own row, and their keyed hashes."""

from __future__ import annotations

import hmac
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from uuid import UUID

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings
from django.db import connection, transaction

from core import audit_log
from wallet.exceptions import PayeeUnreadable
from wallet.withdrawals.payees.models import RegisteredPayee

SHOWN_DIGITS = 4
REWRAPPED_AT_ONCE = 500
# The actor of the command in the log, which the audit looks for.
COMMAND = "rotate_payee_keys"


@dataclass(frozen=True)
class Payee:
    name: str
    bank_account: str
    ifsc: str

    @property
    def bank(self) -> str:
        """Return the bank's code, the first letters of the IFSC."""
        return self.ifsc[:4].upper()

    @property
    def account_end(self) -> str:
        """The last digits of the number, by which its owner recognises it."""
        return self.bank_account[-SHOWN_DIGITS:]


def seal_payee(payee: Payee, *, public_id: UUID) -> bytes:
    """Encrypt a payee for the row with this id; no other row can decrypt it."""
    content = [str(public_id), payee.name, payee.bank_account, payee.ifsc]
    return _fernet().encrypt(json.dumps(content).encode())


def open_payee(registered: RegisteredPayee) -> Payee:
    """Decrypt a row's payee; raise `PayeeUnreadable`."""
    try:
        content = _fernet().decrypt(bytes(registered.encrypted_payee))
    except InvalidToken:
        raise PayeeUnreadable(
            f"No key in PAYEE_KEYS decrypts the bank account ending in {registered.account_end}."
        ) from None
    whose, *details = json.loads(content)
    if whose != str(registered.public_id):
        raise PayeeUnreadable(
            f"The bank account ending in {registered.account_end} belongs to another row."
        )
    return Payee(*details)


def payee_hash(payee: Payee) -> str:
    """Return the keyed hash of a bank account, by which equal accounts are found."""
    return _hash(settings.PAYEE_KEYS[0], payee)


def payee_hashes(payee: Payee) -> list[str]:
    """Return the hashes a bank account may be stored under: one per key."""
    return [_hash(key, payee) for key in settings.PAYEE_KEYS]


def rewrap_payees() -> Iterator[tuple[int, int, list[str]]]:
    """Encrypt all payees again with the first key; yield the progress after each batch.

    Yields the number of rows checked, the number rewritten, and the public ids that no key
    decrypts,
    which are left unchanged. Needs the schema's owner: the trigger that keeps payees immutable is
    disabled within each batch's transaction, which locks the table. Batches commit separately, so
    it
    can be interrupted and repeated; a second run rewrites nothing.
    """
    newest = Fernet(settings.PAYEE_KEYS[0])
    seen, rewritten, unreadable, last = 0, 0, list[str](), 0
    rows = RegisteredPayee.objects.order_by("pk")
    while batch := list(rows.filter(pk__gt=last)[:REWRAPPED_AT_ONCE]):
        fresh: dict[int, tuple[bytes, str]] = {}
        for registered in batch:
            try:
                payee = open_payee(registered)
            except PayeeUnreadable:
                unreadable.append(str(registered.public_id))
                continue
            if not _is_under(newest, registered):
                content = _fernet().rotate(bytes(registered.encrypted_payee))
                fresh[registered.pk] = content, payee_hash(payee)
        if fresh:
            _rewrite(fresh)
        seen, rewritten, last = seen + len(batch), rewritten + len(fresh), batch[-1].pk
        yield seen, rewritten, unreadable


def _is_under(key: Fernet, registered: RegisteredPayee) -> bool:
    try:
        key.decrypt(bytes(registered.encrypted_payee))
    except InvalidToken:
        return False
    return True


@transaction.atomic(durable=True)
def _rewrite(fresh: Mapping[int, tuple[bytes, str]]) -> None:
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE wallet_registeredpayee DISABLE TRIGGER keeps_its_terms")
        cursor.executemany(
            "UPDATE wallet_registeredpayee SET encrypted_payee = %s, payee_hash = %s WHERE id = %s",
            [(*written, pk) for pk, written in fresh.items()],
        )
        cursor.execute("ALTER TABLE wallet_registeredpayee ENABLE TRIGGER keeps_its_terms")
    # The audit requires this entry for each rewritten row.
    first = RegisteredPayee.objects.get(pk=next(iter(fresh)))
    facts = audit_log.facts(first)
    audit_log.record_of_service(service=COMMAND, act="rotate_keys", row=first, before=facts)


def _hash(key: str, payee: Payee) -> str:
    # Without the branch: an account number is unique within its bank.
    account = f"payee:{payee.bank}:{payee.bank_account.lstrip('0')}"
    return hmac.digest(key.encode(), account.encode(), "sha256").hex()


def _fernet() -> MultiFernet:
    return MultiFernet([Fernet(key) for key in settings.PAYEE_KEYS])
