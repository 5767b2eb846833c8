"""Changes of an account: record them, second factors included, and hold withdrawals after them.

Changes of e-mail addresses, passwords and factors are recorded in the transaction of the change;
see `players.sign_in.security.transactions`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from types import SimpleNamespace
from typing import Any, Final

from allauth.account import signals as account
from allauth.account.authentication import get_authentication_records
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.mfa.utils import is_mfa_enabled
from django.conf import settings
from django.db import transaction
from django.dispatch import Signal

from core.clock import database_now
from core.tasks import enqueue_on_commit
from players.accounts.models import User, password_stored
from players.sign_in.security.models import AccountChange


@transaction.atomic
def record_change(
    *,
    player: User,
    kind: AccountChange.Kind,
    subject: str = "",
    by_staff: bool = False,
    happens_at: datetime | None = None,
    but_not: Iterable[str] = (),
    also: Iterable[str] = (),
) -> AccountChange:
    """Record a change, and queue an e-mail to every verified address of the account.

    `but_not` are addresses added by this change, `also` verified ones that it removed. Notification
    settings do not apply.
    """
    verified = EmailAddress.objects.filter(user=player, verified=True)
    known = {*map(str.lower, verified.values_list("email", flat=True)), *map(str.lower, also)}
    change = AccountChange.objects.create(
        player=player,
        kind=kind,
        subject=subject[:254],
        by_staff=by_staff,
        at=database_now(),
        happens_at=happens_at,
        unsent=sorted(known - {address.lower() for address in but_not}),
    )
    if change.unsent:
        enqueue_on_commit("players.mail_notifications")
    return change


def held_until(player: User, now: datetime) -> datetime | None:
    """Return until when withdrawals of the player are held; None if they are not."""
    term = timedelta(hours=settings.NEW_ACCOUNT_HOURS)
    mine = AccountChange.objects.of_player(player).holding().since(now - term)
    latest = mine.order_by("-at").values_list("at", flat=True).first()
    return latest + term if latest else None


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


FACTORS: Final = (Authenticator.Type.TOTP, Authenticator.Type.WEBAUTHN)
# Sent with `user` and `authenticator` in the transaction that adds a factor.
factor_added: Final = Signal()


def has_factor(user: Any) -> bool:
    return bool(is_mfa_enabled(user, FACTORS))


def has_shown_factor(session: Any, user: Any) -> bool:
    """Return whether a session has used a second factor and the account still has one.

    False for sessions from before the factor was set up.
    """
    records = get_authentication_records(SimpleNamespace(session=session), user)
    return any(record.get("method") == "mfa" for record in records) and has_factor(user)


def lacks_factor(session: Any, user: User) -> bool:
    """Return whether a staff session must still use a second factor."""
    if not settings.STAFF_MFA_REQUIRED or not user.is_staff:
        return False
    return not has_shown_factor(session, user)


def factors_of(user: Any) -> dict[int, Authenticator]:
    """Return the factors and recovery codes of an account by key; empty if signed out."""
    if not user.is_authenticated:
        return {}
    return {each.pk: each for each in Authenticator.objects.filter(user=user)}


def record_factors(user: Any, before: dict[int, Authenticator]) -> None:
    """Record the factors added and removed since `before` was read, in the page's transaction.

    allauth sends its signals about factors after the commit, when a record could be lost.
    """
    after = factors_of(user)
    added = [each for pk, each in after.items() if pk not in before]
    removed = [each for pk, each in before.items() if pk not in after]
    factors = [each for each in added if each.type in FACTORS]
    for each in factors:
        record_change(player=user, kind=AccountChange.Kind.FACTOR_ADDED)
        factor_added.send(sender=Authenticator, user=user, authenticator=each)
    for each in removed:
        if each.type in FACTORS:
            record_change(player=user, kind=AccountChange.Kind.FACTOR_REMOVED)
    # Recovery codes created together with a factor need no record of their own.
    if added and not factors:
        record_change(player=user, kind=AccountChange.Kind.CODES_MADE)
