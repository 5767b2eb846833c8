"""A bank account as it is kept: encrypted for its row, found by a keyed hash."""

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
from wallet.withdrawals.payees.exceptions import PayeeUnreadable
from wallet.withdrawals.payees.models import RegisteredPayee

SHOWN_DIGITS = 4
REWRAPPED_AT_ONCE = 500
# Names the command in the log, where the audit looks for it.
COMMAND = "rotate_payee_keys"


@dataclass(frozen=True)
class Payee:
    name: str
    bank_account: str
    ifsc: str

    @property
    def bank(self) -> str:
        """Return the letters of the bank, which begin the IFSC of all its branches."""
        return self.ifsc[:4].upper()

    @property
    def account_end(self) -> str:
        """The last digits: enough for its owner to know it by."""
        return self.bank_account[-SHOWN_DIGITS:]


def seal_payee(payee: Payee, *, public_id: UUID) -> bytes:
    """Encrypt a payee for the row of this id; put into another row, it cannot be opened there."""
    content = [str(public_id), payee.name, payee.bank_account, payee.ifsc]
    return _box().encrypt(json.dumps(content).encode())


def open_payee(registered: RegisteredPayee) -> Payee:
    """Return whom a row pays, or raise `PayeeUnreadable`."""
    try:
        content = _box().decrypt(bytes(registered.encrypted_payee))
    except InvalidToken:
        raise PayeeUnreadable(
            f"No key in PAYEE_KEYS opens the bank account ending in {registered.account_end}."
        ) from None
    whose, *details = json.loads(content)
    if whose != str(registered.public_id):
        raise PayeeUnreadable(
            f"The bank account ending in {registered.account_end} is another row's."
        )
    return Payee(*details)


def payee_hash(payee: Payee) -> str:
    """Return the keyed hash of a bank account, by which withdrawals to one account are found."""
    return _hash(settings.PAYEE_KEYS[0], payee)


def payee_hashes(payee: Payee) -> list[str]:
    """Return what a bank account may be kept under: its hash under each key."""
    return [_hash(key, payee) for key in settings.PAYEE_KEYS]


def rewrap_payees() -> Iterator[tuple[int, int, list[str]]]:
    """Encrypt all payees under the first key; yield after each batch what has been done so far.

    Yields how many were looked at, how many rewritten, and the public ids of those no key opens,
    which stay as they are. Needs the schema's owner: the guard that keeps payees as registered
    steps aside within each batch's transaction alone, in which nobody else writes to the table.
    Batches commit one by one, so it can be broken off and repeated; done twice, it rewrites
    nothing.
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
                content = _box().rotate(bytes(registered.encrypted_payee))
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
        cursor.execute("ALTER TABLE wallet_registeredpayee DISABLE TRIGGER as_registered")
        cursor.executemany(
            "UPDATE wallet_registeredpayee SET encrypted_payee = %s, payee_hash = %s WHERE id = %s",
            [(*written, pk) for pk, written in fresh.items()],
        )
        cursor.execute("ALTER TABLE wallet_registeredpayee ENABLE TRIGGER as_registered")
    # Without it the audit names each of them.
    first = RegisteredPayee.objects.get(pk=next(iter(fresh)))
    facts = audit_log.facts(first)
    audit_log.record_of_service(service=COMMAND, act="rotate_keys", row=first, before=facts)


def _hash(key: str, payee: Payee) -> str:
    # An account's number is one bank's, whichever the branch.
    account = f"payee:{payee.bank}:{payee.bank_account.lstrip('0')}"
    return hmac.digest(key.encode(), account.encode(), "sha256").hex()


def _box() -> MultiFernet:
    return MultiFernet([Fernet(key) for key in settings.PAYEE_KEYS])
