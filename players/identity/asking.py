"""Send documents to an identity provider, poll for its answer, or leave the check to staff.

A check is verified if the provider clears the document, and its name and birth date match the
player's. All other checks are decided by staff, who see the provider's findings.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Final

import structlog
from django.db import transaction

from core import audit_log
from core.tasks import enqueue_on_commit
from players.accounts.models import User
from players.exceptions import DocumentGone, ProviderUnavailable
from players.identity import checks
from players.identity.documents import unseal
from players.identity.models import IdentityCheck
from players.identity.providers import provider_named
from players.identity.providers.interface import Answer, File, Question
from players.identity.providers.models import ProviderCheck
from players.identity.states import is_same_name

State = ProviderCheck.State
log = structlog.get_logger(__name__)

# Retried after 1, 2, 4 ... minutes up to one hour; after two days left to staff.
FIRST_PAUSE: Final = timedelta(minutes=1)
LONGEST_PAUSE: Final = timedelta(hours=1)
GIVEN_UP_AFTER: Final = timedelta(days=2)
FINDINGS_LENGTH: Final = 300


def ask_due(*, now: datetime) -> int:
    """Process every provider check that is due; return their number."""
    due = list(ProviderCheck.objects.due(now).order_by("next_try_at").values_list("pk", flat=True))
    for pk in due:
        try:
            ask(provider_check_id=pk, now=now)
        except Exception:  # A sweep: one check must not stop the others.
            log.exception("provider_not_asked", provider_check=pk)
    return len(due)


def ask(*, provider_check_id: int, now: datetime) -> None:
    """Send the documents, or poll for the answer; no transaction is open during the HTTP request.

    The row is claimed until its next try, so that concurrent calls do not repeat a step.
    """
    claimed = _claim(provider_check_id, now)
    if claimed is None:
        return
    try:
        provider = provider_named(claimed.provider)
        if claimed.state == State.WAITING:
            reference = provider.submit(_question(claimed))
            _note_sent(claimed.pk, reference, now)
        elif (answer := provider.answer(claimed.reference)) is not None:
            _receive(claimed.pk, answer, now)
    except (ProviderUnavailable, DocumentGone) as error:
        log.warning("provider_unavailable", provider_check=claimed.pk, error=str(error))
        ProviderCheck.objects.filter(pk=claimed.pk, state=claimed.state).update(
            findings=str(error)[:FINDINGS_LENGTH]
        )


def receive_notice(*, provider: str, body: bytes, headers: Mapping[str, str]) -> bool:
    """Poll for the answer at once; return whether the notice belongs to a check without an answer.

    The answer is never taken from the notice: a leaked webhook secret cannot verify a check.

    Codes: `provider_unknown`, `bad_notice_signature`, `unreadable_notice`.
    """
    reference = provider_named(provider).read_notice(body=body, headers=headers)
    with transaction.atomic():
        rows = ProviderCheck.objects.filter(
            provider=provider, reference=reference, state=State.SENT
        )
        found = rows.locked().first()
        if found is None:
            return False
        found.next_try_at = found.sent_at or found.next_try_at
        found.save(update_fields=["next_try_at"])
        enqueue_on_commit("players.ask_identity_provider", found.pk)
    return True


@transaction.atomic(durable=True)
def _claim(pk: int, now: datetime) -> ProviderCheck | None:
    """Return the row if it is due and not locked, and postpone its next try; else None."""
    rows = ProviderCheck.objects.due(now).select_related("identity_check__player")
    row = rows.locked(skip_locked=True).filter(pk=pk).first()
    if row is None:
        return None
    check = row.identity_check
    is_late = now > check.submitted_at + GIVEN_UP_AFTER
    if check.state != IdentityCheck.State.SUBMITTED or is_late:
        row.state = State.GIVEN_UP
        row.save(update_fields=["state"])
        return None
    row.tries += 1
    row.next_try_at = now + min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** min(row.tries - 1, 10))
    row.save(update_fields=["tries", "next_try_at"])
    return row


def _question(row: ProviderCheck) -> Question:
    check = row.identity_check
    born = check.player.birth_date
    assert born is not None, "a document is submitted after the birth date"
    return Question(
        check=row.public_id,
        name=check.name,
        born=born,
        country=check.player.country,
        document_kind=IdentityCheck.DocumentKind(check.document_kind),
        files=[File(one.media_type, unseal(one)) for one in check.documents.order_by("pk")],
    )


@transaction.atomic(durable=True)
def _note_sent(pk: int, reference: str, now: datetime) -> None:
    """Record that the documents were sent to the provider, with an audit entry."""
    row = ProviderCheck.objects.locked().select_related("identity_check__player").get(pk=pk)
    if row.state != State.WAITING:
        return
    before = audit_log.facts(row)
    row.state, row.reference, row.sent_at = State.SENT, reference, now
    row.tries, row.next_try_at, row.findings = 0, now + FIRST_PAUSE, ""
    row.save(update_fields=["state", "reference", "sent_at", "tries", "next_try_at", "findings"])
    audit_log.record_of_service(
        service=row.provider, act="send", row=row, before=before, about=row.identity_check.player
    )


@transaction.atomic(durable=True)
def _receive(pk: int, answer: Answer, now: datetime) -> None:
    """Store an answer, and verify the check if it is clear and matches the player."""
    row = ProviderCheck.objects.locked().select_related("identity_check").get(pk=pk)
    if row.state != State.SENT:
        return
    # The lock keeps the birth date unchanged until the check is verified.
    player = User.objects.locked().get(pk=row.identity_check.player_id)
    before = audit_log.facts(row)
    found = list(answer.findings) + _differences(answer, row.identity_check, player)
    is_clear = answer.is_clear and not found
    row.state = State.CLEAR if is_clear else State.UNCLEAR
    row.answered_at, row.findings = now, "; ".join(found)[:FINDINGS_LENGTH]
    row.save(update_fields=["state", "answered_at", "findings"])
    audit_log.record_of_service(
        service=row.provider, act="answer", row=row, before=before, about=player
    )
    if is_clear:
        checks.verify_by_provider(check_id=row.identity_check_id, provider=row.provider, now=now)


def _differences(answer: Answer, check: IdentityCheck, player: User) -> list[str]:
    """Return how the document differs from the player's data; missing data counts as different."""
    differs = []
    if not is_same_name(answer.name, check.name):
        differs.append("the document has another name")
    if answer.born is None or answer.born != player.birth_date:
        differs.append("the document has another birth date")
    return differs
