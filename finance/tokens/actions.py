"""Creating, checking and revoking finance's tokens."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction

from core import audit_log
from core.clock import DatabaseNow, database_now
from core.texts import refuse_lines
from finance.tokens.models import FinanceToken
from players.accounts.models import User

PREFIX_BYTES = 6
SECRET_BYTES = 32
LIFETIME_DAYS = 365
# The precision of `last_used_at`; writing it at every request would be expensive.
USE_NOTED_EVERY = timedelta(minutes=1)


@transaction.atomic
def create_token(
    *, name: str, scopes: Sequence[str], created_by: User | None, expires_at: datetime | None = None
) -> tuple[FinanceToken, str]:
    """Return a new token and its text, which is not stored."""
    refuse_lines(name)
    prefix = secrets.token_hex(PREFIX_BYTES)
    text = f"{prefix}.{secrets.token_urlsafe(SECRET_BYTES)}"
    token = FinanceToken.objects.create(
        name=name,
        prefix=prefix,
        digest=_digest(text),
        scopes=sorted(set(scopes)),
        created_by_id=created_by.pk if created_by else None,
        expires_at=expires_at or database_now() + timedelta(days=LIFETIME_DAYS),
    )
    if created_by is not None:  # Without one, the management command created it.
        audit_log.record(by=created_by, act="create", row=token)
    return token, text


def usable_token(*, text: str) -> FinanceToken | None:
    """Return the valid token with this text, or None.

    A token is valid only while its creator may create one: not after they are blocked, leave the
    staff or lose the permission.
    """
    usable = FinanceToken.objects.usable(DatabaseNow()).select_related("created_by")
    usable = usable.annotate(read_at=DatabaseNow())
    token: Any = usable.filter(prefix=text.partition(".")[0]).first()
    if token is None or not secrets.compare_digest(token.digest, _digest(text)):
        return None
    if token.created_by is not None and not _may_create(token.created_by):
        return None
    if token.last_used_at is None or token.read_at - token.last_used_at > USE_NOTED_EVERY:
        FinanceToken.objects.filter(pk=token.pk).update(last_used_at=token.read_at)
    found: FinanceToken = token
    return found


@transaction.atomic
def revoke_token(*, token: FinanceToken, by: User) -> FinanceToken:
    """Revoke a token for good."""
    locked = FinanceToken.objects.locked().get(pk=token.pk)
    if locked.revoked_at is None:
        before = audit_log.facts(locked)
        locked.revoked_at = database_now()
        locked.save(update_fields=["revoked_at"])
        audit_log.record(by=by, act="revoke", row=locked, before=before)
    return locked


def _may_create(user: User) -> bool:
    return user.is_staff and user.has_perm("finance.add_financetoken")


def _digest(text: str) -> str:
    # A plain hash suffices because the secret is random.
    return hashlib.sha256(text.encode()).hexdigest()
