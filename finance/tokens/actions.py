"""Create, approve, authenticate and revoke finance tokens."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from django.db import transaction

from core import audit_log
from core.clock import DatabaseNow, database_now
from core.exceptions import AlreadyDecided, CheckerIsMaker
from core.text_validation import refuse_lines
from finance.exceptions import TokenEnded, TokenNeedsMaker, TokenTooLong
from finance.tokens.models import LIFETIME, PERSONAL_SCOPES, FinanceToken
from players.accounts.models import User

PREFIX_BYTES = 6
SECRET_BYTES = 32
# The service name in the audit log for tokens created by the command without `--by`.
COMMAND: Final = "create_finance_token"
# The precision of `last_used_at`; writing it at every request would be expensive.
USE_NOTED_EVERY = timedelta(minutes=1)


@transaction.atomic
def create_token(
    *, name: str, scopes: Sequence[str], created_by: User | None, expires_at: datetime | None = None
) -> tuple[FinanceToken, str]:
    """Return a new token and its text, which is not stored.

    With a scope of `PERSONAL_SCOPES` it is invalid until `approve_token`. `created_by` is None
    only for tokens created by the command. Codes: `token_too_long`, `token_needs_maker`.
    """
    refuse_lines(name)
    now = database_now()
    ends_at = now + LIFETIME if expires_at is None else expires_at
    if ends_at > now + LIFETIME:
        raise TokenTooLong(f"Choose an expiry date within {LIFETIME.days} days.")
    if created_by is None and not PERSONAL_SCOPES.isdisjoint(scopes):
        raise TokenNeedsMaker("These scopes show personal data: name a member of staff as maker.")
    prefix = secrets.token_hex(PREFIX_BYTES)
    text = f"{prefix}.{secrets.token_urlsafe(SECRET_BYTES)}"
    token = FinanceToken.objects.create(
        name=name,
        prefix=prefix,
        digest=_digest(text),
        scopes=sorted(set(scopes)),
        created_by_id=created_by.pk if created_by else None,
        expires_at=ends_at,
    )
    if created_by is None:
        audit_log.record_of_service(service=COMMAND, act="create", row=token, before={})
    else:
        audit_log.record(by=created_by, act="create", row=token)
    return token, text


@transaction.atomic
def approve_token(*, token_id: int, by: User) -> FinanceToken:
    """Approve a token that another person created; repeating the approval has no effect.

    Codes: `checker_is_maker`, `already_decided` if it needs no approval, `token_ended`.
    """
    token = FinanceToken.objects.locked().get(pk=token_id)
    if token.approved_by_id == by.pk:
        return token
    if not token.needs_approval:
        raise AlreadyDecided("This token needs no approval.")
    if token.revoked_at is not None or token.expires_at <= database_now():
        raise TokenEnded("The token is revoked or has expired. Create a new one.")
    if token.created_by_id == by.pk:
        raise CheckerIsMaker("Another person than its creator must approve a token.")
    before = audit_log.facts(token)
    token.approved_by, token.approved_at = by, database_now()
    token.save(update_fields=["approved_by", "approved_at"])
    audit_log.record(by=by, act="approve", row=token, before=before)
    return token


def usable_token(*, text: str) -> FinanceToken | None:
    """Return the valid token with this text, or None.

    A token becomes invalid when its creator is blocked, leaves the staff or loses the permission
    to create tokens.
    """
    usable = FinanceToken.objects.usable(DatabaseNow()).select_related("created_by")
    usable = usable.annotate(read_at=DatabaseNow())
    token: Any = usable.filter(prefix=text.partition(".")[0]).first()
    if token is None or not secrets.compare_digest(token.digest, _digest(text)):
        return None
    if token.created_by is not None and not may_create(token.created_by):
        return None
    if token.last_used_at is None or token.read_at - token.last_used_at > USE_NOTED_EVERY:
        FinanceToken.objects.filter(pk=token.pk).update(last_used_at=token.read_at)
    found: FinanceToken = token
    return found


@transaction.atomic
def revoke_token(*, token: FinanceToken, by: User) -> FinanceToken:
    """Revoke a token permanently."""
    locked = FinanceToken.objects.locked().get(pk=token.pk)
    if locked.revoked_at is None:
        before = audit_log.facts(locked)
        locked.revoked_at = database_now()
        locked.save(update_fields=["revoked_at"])
        audit_log.record(by=by, act="revoke", row=locked, before=before)
    return locked


def may_create(user: User) -> bool:
    """Return whether a user may create tokens, on which the validity of theirs depends."""
    return user.is_active and user.is_staff and user.has_perm("finance.add_financetoken")


def _digest(text: str) -> str:
    # A plain hash suffices because the secret is random.
    return hashlib.sha256(text.encode()).hexdigest()
