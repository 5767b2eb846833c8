"""Submit identity documents, decide about them, and delete them on schedule."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from django.conf import settings
from django.db import connection, transaction
from django.utils.translation import gettext as _

from core import audit_log
from core.clock import database_now
from core.exceptions import AlreadyDecided
from core.tasks import enqueue_on_commit
from core.text_validation import is_readable
from players.accounts import consent
from players.accounts.conflicts_of_interest import refuse_own_interest
from players.accounts.models import User
from players.exceptions import AgeUnknown, BadDocument, BadName, IdentityPending, TooManyChecks
from players.identity.documents import media_type_of, seal, unseal
from players.identity.models import IdentityCheck, IdentityDocument
from players.identity.providers.models import ProviderCheck
from players.identity.states import LOOK

State = IdentityCheck.State
FILES_MAX: Final = 2
CHECKS_PER_MONTH: Final = 5
VALID_FOR: Final = timedelta(days=730)


@transaction.atomic(durable=True)
def submit(
    *,
    player_id: int,
    name: str,
    kind: IdentityCheck.DocumentKind,
    files: Sequence[bytes],
    provider: str = "",
) -> IdentityCheck:
    """Store a player's documents, encrypted, for a decision.

    `provider` is the provider that the player agreed to send them to; empty for none.

    Codes: `age_unknown`, `bad_document`, `bad_name`, `identity_pending`, `too_many_checks`.
    """
    name = " ".join(name.split())
    if not name or len(name) > IdentityCheck.LONGEST_NAME or not is_readable(name):
        raise BadName(_("Enter your name as it is on the document."))
    if not 1 <= len(files) <= FILES_MAX:
        raise BadDocument(_("Choose one or two files."))
    types = [media_type_of(file) for file in files]
    player = User.objects.locked().get(pk=player_id)
    if player.birth_date is None:
        raise AgeUnknown(_("Enter your birth date first."))
    now = database_now()
    _refuse_another(player, now)
    check = IdentityCheck.objects.create(
        player=player, name=name, document_kind=kind, submitted_at=now
    )
    for file, media_type in zip(files, types, strict=True):
        document = IdentityDocument(
            identity_check=check, media_type=media_type, size_bytes=len(file)
        )
        seal(document, file)
        document.save()
    if provider:
        asked = ProviderCheck.objects.create(
            identity_check=check,
            provider=provider,
            consent_version=consent.DOCUMENTS_VERSION,
            next_try_at=now,
        )
        enqueue_on_commit("players.ask_identity_provider", asked.pk)
    return check


@transaction.atomic(durable=True)
def verify(*, check_id: int, by: User) -> IdentityCheck:
    """Accept the documents: they match the name and birth date of the account.

    Codes: `shared_interest`, `already_decided`.
    """
    return _decide(check_id, State.VERIFIED, by)


def verify_by_provider(*, check_id: int, provider: str, now: datetime) -> None:
    """Accept documents that a provider has cleared, unless staff have already decided."""
    assert connection.in_atomic_block, "a part of keeping the provider's answer"
    check = IdentityCheck.objects.locked().select_related("player").get(pk=check_id)
    if check.state != State.SUBMITTED:
        return
    before = audit_log.facts(check)
    _write_decision(check, State.VERIFIED, now, provider=provider)
    audit_log.record_of_service(
        service=provider, act=State.VERIFIED.value, row=check, before=before, about=check.player
    )


@transaction.atomic(durable=True)
def refuse(*, check_id: int, ground: IdentityCheck.Ground, by: User) -> IdentityCheck:
    """Refuse the documents; the player sees the reason. Codes as for `verify`."""
    return _decide(check_id, State.REFUSED, by, ground)


@transaction.atomic(durable=True)
def open_document(*, document_id: int, by: User) -> tuple[IdentityDocument, bytes]:
    """Return a document with its content, and log the access. Codes: `document_gone`."""
    document = IdentityDocument.objects.select_related("identity_check__player").get(pk=document_id)
    player = document.identity_check.player
    refuse_own_interest(player, by=by)
    content = unseal(document)
    audit_log.record(by=by, act=LOOK, row=document, about=player)
    return document, content


def date_undecided(player: User) -> None:
    """Schedule the deletion of undecided documents of an account being closed."""
    delete_at = database_now() + timedelta(days=settings.IDENTITY_DOCUMENT_DAYS)
    undecided = IdentityDocument.objects.filter(identity_check__player=player, delete_at=None)
    undecided.update(delete_at=delete_at)


@transaction.atomic(durable=True)
def expire_due(*, now: datetime) -> int:
    """Expire checks whose validity has ended; return their number."""
    due = IdentityCheck.objects.verified().filter(expires_at__lte=now)
    return due.update(state=State.EXPIRED)


@transaction.atomic(durable=True)
def delete_due(*, now: datetime) -> int:
    """Delete the content of documents that are due; return their number."""
    due = IdentityDocument.objects.filter(deleted_at=None, delete_at__lte=now)
    return due.update(encrypted_content=None, deleted_at=now)


def _refuse_another(player: User, now: datetime) -> None:
    mine = IdentityCheck.objects.of_player(player)
    # Checks are expired nightly; a check that ended today must not block a new one.
    mine.verified().filter(expires_at__lte=now).update(state=State.EXPIRED)
    if mine.waiting().exists() or mine.verified().exists():
        raise IdentityPending(_("Your documents are being checked or are already accepted."))
    if mine.filter(submitted_at__gt=now - timedelta(days=30)).count() >= CHECKS_PER_MONTH:
        raise TooManyChecks(_("You have submitted documents too often this month. Contact us."))


def _decide(check_id: int, state: IdentityCheck.State, by: User, ground: str = "") -> IdentityCheck:
    refuse_own_interest(User.objects.get(identity_checks=check_id), by=by)
    check = IdentityCheck.objects.locked().select_related("player").get(pk=check_id)
    if check.state == state:
        return check
    if check.state != State.SUBMITTED:
        raise AlreadyDecided("These documents are already decided.")
    before = audit_log.facts(check)
    check.ground, check.decided_by = ground, by
    _write_decision(check, state, database_now())
    audit_log.record(by=by, act=state.value, row=check, before=before, about=check.player)
    return check


def _write_decision(
    check: IdentityCheck, state: IdentityCheck.State, now: datetime, *, provider: str = ""
) -> None:
    check.state, check.decided_at, check.decided_by_provider = state, now, provider
    check.expires_at = now + VALID_FOR if state == State.VERIFIED else None
    fields = ["state", "ground", "decided_by", "decided_by_provider", "decided_at", "expires_at"]
    check.save(update_fields=fields)
    check.documents.update(delete_at=now + timedelta(days=settings.IDENTITY_DOCUMENT_DAYS))
