"""Whose bank account a withdrawal goes to: kept encrypted, opened for staff and the bank's file."""

from __future__ import annotations

import hmac
import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings
from django.db import connection, transaction
from django.db.models import QuerySet

from players.accounts.models import User
from wallet.payments.exceptions import PayeeUnreadable
from wallet.payments.withdrawal_models import Withdrawal

SHOWN_DIGITS = 4
REWRAPPED_AT_ONCE = 500


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


def payee_hash(payee: Payee) -> str:
    """Return the keyed hash of a bank account, by which withdrawals to one account are found."""
    return _hash(settings.PAYEE_KEYS[0], payee)


def last_payee(player: User) -> Payee | None:
    """Return whom the player's last withdrawal paid, to be offered again; None without one."""
    last = Withdrawal.objects.of_player(player).order_by("pk").last()
    with suppress(PayeeUnreadable):
        return open_payee(last) if last else None
    return None


def new_until(player: User, payee: Payee, *, now: datetime) -> datetime | None:
    """Return until when a bank account is new to its player; None once it is not, or for the first.

    The caller has locked the player's accounts, so that no other request comes in between.
    """
    asked = Withdrawal.objects.of_player(player).order_by("pk")
    first, hashes = asked.first(), _hashes(payee)
    if first is None or first.payee_hash in hashes:
        return None
    before = asked.filter(payee_hash__in=hashes).exclude(status=Withdrawal.Status.REJECTED).first()
    since = before.requested_at if before else now
    until = since + timedelta(hours=settings.NEW_ACCOUNT_HOURS)
    return until if until > now else None


def others_paid_to(withdrawal: Withdrawal) -> QuerySet[User]:
    """Return the other players who have ever asked for money to the same bank account."""
    hashes = [withdrawal.payee_hash]
    with suppress(PayeeUnreadable):
        hashes += _hashes(open_payee(withdrawal))
    asked = Withdrawal.objects.filter(payee_hash__in=hashes)
    others = User.objects.filter(pk__in=asked.values("player")).exclude(pk=withdrawal.player_id)
    return others.order_by("pk")


def rewrap_payees() -> Iterator[tuple[int, int, list[int]]]:
    """Encrypt all payees under the first key; yield after each batch what has been done so far.

    Yields how many were looked at, how many rewritten, and the withdrawals no key opens, which stay
    as they are. Needs the schema's owner: the guards that keep payees as they were asked step aside
    within each batch's transaction alone, in which nobody else writes to the table. Batches commit
    one by one, so it can be broken off and repeated; done twice, it rewrites nothing.
    """
    newest = Fernet(settings.PAYEE_KEYS[0])
    seen, rewritten, unreadable, last = 0, 0, list[int](), 0
    while batch := list(Withdrawal.objects.filter(pk__gt=last).order_by("pk")[:REWRAPPED_AT_ONCE]):
        fresh: dict[int, tuple[bytes, str]] = {}
        for withdrawal in batch:
            try:
                payee = open_payee(withdrawal)
            except PayeeUnreadable:
                unreadable.append(withdrawal.pk)
                continue
            if not _is_under(newest, withdrawal):
                content = _box().rotate(bytes(withdrawal.encrypted_payee))
                fresh[withdrawal.pk] = content, payee_hash(payee)
        if fresh:
            _rewrite(fresh)
        seen, rewritten, last = seen + len(batch), rewritten + len(fresh), batch[-1].pk
        yield seen, rewritten, unreadable


def _is_under(key: Fernet, withdrawal: Withdrawal) -> bool:
    try:
        key.decrypt(bytes(withdrawal.encrypted_payee))
    except InvalidToken:
        return False
    return True


@transaction.atomic(durable=True)
def _rewrite(fresh: Mapping[int, tuple[bytes, str]]) -> None:
    guards = ("as_asked", "forwards")
    with connection.cursor() as cursor:
        for guard in guards:
            cursor.execute(f"ALTER TABLE wallet_withdrawal DISABLE TRIGGER {guard}")
        cursor.executemany(
            "UPDATE wallet_withdrawal SET encrypted_payee = %s, payee_hash = %s WHERE id = %s",
            [(*written, pk) for pk, written in fresh.items()],
        )
        for guard in guards:
            cursor.execute(f"ALTER TABLE wallet_withdrawal ENABLE TRIGGER {guard}")


def _hashes(payee: Payee) -> list[str]:
    """Return what a bank account may be kept under: its hash under each key."""
    return [_hash(key, payee) for key in settings.PAYEE_KEYS]


def _hash(key: str, payee: Payee) -> str:
    # An account's number is one bank's, whose four letters begin the IFSC of all its branches.
    account = f"payee:{payee.ifsc[:4].upper()}:{payee.bank_account.lstrip('0')}"
    return hmac.digest(key.encode(), account.encode(), "sha256").hex()


def _box() -> MultiFernet:
    return MultiFernet([Fernet(key) for key in settings.PAYEE_KEYS])
