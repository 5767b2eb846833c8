"""Record changes of e-mail addresses and stored passwords, in the transaction of the change.

See `players.sign_in.security.transactions`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from allauth.account import signals as account
from allauth.account.models import EmailAddress

from players.accounts.models import User, password_stored
from players.sign_in.security.changes import record_change
from players.sign_in.security.models import AccountChange

Kind = AccountChange.Kind


def _added(*, user: User, email_address: EmailAddress, **_signal: Any) -> None:
    address = email_address.email
    record_change(player=user, kind=Kind.EMAIL_ADDED, subject=address, but_not=[address])


def _verified(*, email_address: EmailAddress, **_signal: Any) -> None:
    """Record an additional address; the first one belongs to a new account."""
    address, player = email_address.email, email_address.user
    others = EmailAddress.objects.filter(user=player, verified=True).exclude(pk=email_address.pk)
    if others.exists():
        record_change(player=player, kind=Kind.EMAIL_VERIFIED, subject=address, but_not=[address])


def _primary(*, user: User, to_email_address: EmailAddress, **_signal: Any) -> None:
    record_change(player=user, kind=Kind.EMAIL_PRIMARY, subject=to_email_address.email)


def _removed(*, user: User, email_address: EmailAddress, **_signal: Any) -> None:
    gone = [email_address.email] if email_address.verified else []
    record_change(player=user, kind=Kind.EMAIL_REMOVED, subject=email_address.email, also=gone)


def _stored(*, user: User, **_signal: Any) -> None:
    record_change(player=user, kind=Kind.PASSWORD_STORED)


RECEIVERS: Final[dict[Callable[..., None], Any]] = {
    _added: account.email_added,
    _verified: account.email_confirmed,
    _primary: account.email_changed,
    _removed: account.email_removed,
    _stored: password_stored,
}


def connect() -> None:
    """Connect all receivers; called once when the application is ready."""
    for receiver, signal in RECEIVERS.items():
        signal.connect(receiver, dispatch_uid=f"account_change{receiver.__name__}")
