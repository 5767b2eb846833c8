"""Actions on a case: owner, priority, notes, and messages between staff and the player."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from django.db import models, transaction
from django.utils.translation import gettext as _

from core import audit_log
from core.clock import database_now
from core.labels import stored_name
from core.tasks import enqueue_on_commit
from core.text_validation import is_readable
from players.accounts.conflicts_of_interest import refuse_own_interest
from players.accounts.models import User
from players.cases.models import Asked, Case, HelpRequest, Remark, RemarkEmail
from players.exceptions import (
    BadRemark,
    CaseHasNoPlayer,
    CaseTaken,
    NotOfStaff,
    RequestPending,
    TooManyReplies,
)
from players.notifications.models import Notification
from players.notifications.steps import Recipient, notify

REPLIES_PER_DAY: Final = 20


@dataclass(frozen=True)
class Subject:
    """The subject of a case: its row, title for players, player, and the parties involved."""

    row: models.Model
    # In English, marked for translation where it is defined.
    title: str
    player: User | None
    # Staff who take part in one of these rows may not work on the case.
    parties: tuple[models.Model | None, ...]


@transaction.atomic(durable=True)
def give_case(*, subject: Subject, owner: User | None, by: User) -> Case:
    """Assign a case to a member of staff, or return it to the queue. Codes: `not_of_staff`."""
    case = _locked_case(subject, by)
    if owner is not None and not (owner.is_staff and owner.is_active):
        raise NotOfStaff(_("Cases can be assigned only to active members of staff."))
    before = audit_log.facts(case)
    case.owner = owner
    return _saved(case, before, by, act="give", fields=("owner",))


@transaction.atomic(durable=True)
def take_case(*, subject: Subject, by: User) -> Case:
    """Assign an unassigned case to `by`. Codes: `not_of_staff`, `case_taken`."""
    case = _locked_case(subject, by)
    if not (by.is_staff and by.is_active):
        raise NotOfStaff(_("Cases can be assigned only to active members of staff."))
    if case.owner is not None and case.owner != by:
        raise CaseTaken(
            _("%(handle)s has already taken it and can assign it to you.")
            % {"handle": case.owner.handle}
        )
    before = audit_log.facts(case)
    case.owner = by
    return _saved(case, before, by, act="give", fields=("owner",))


@transaction.atomic(durable=True)
def rank_case(
    *, subject: Subject, priority: Case.Priority, due_at: datetime | None, by: User
) -> Case:
    """Set priority and due time of a case; `due_at` None means the default of its kind."""
    case = _locked_case(subject, by)
    before = audit_log.facts(case)
    case.priority, case.due_at = priority, due_at
    return _saved(case, before, by, act="rank", fields=("priority", "due_at"))


@transaction.atomic(durable=True)
def note_on_case(*, subject: Subject, text: str, by: User) -> Remark:
    """Add a note for staff. Codes: `bad_remark`."""
    case = _locked_case(subject, by)
    return _remark(case, Remark.Kind.NOTE, text, by)


@transaction.atomic(durable=True)
def write_to_player(*, subject: Subject, text: str, by: User) -> Remark:
    """Send the player a message to answer. Codes: `bad_remark`, `case_has_no_player`."""
    return send_message(subject=subject, text=text, by=by)


def send_message(*, subject: Subject, text: str, by: User) -> Remark:
    """Send the player a message inside the caller's transaction. Codes as `write_to_player`."""
    case = _locked_case(subject, by)
    asked = subject.row if isinstance(subject.row, HelpRequest) and subject.row.email else None
    if case.player is None and asked is None:
        raise CaseHasNoPlayer(_("This case has no player to write to."))
    remark = _remark(case, Remark.Kind.MESSAGE, text, by)
    if case.player is not None:
        notify(
            [Recipient(case.player)],
            kind=Notification.Kind.STAFF_MESSAGE,
            key=f"case:{remark.pk}",
            subject=subject.title,
            about=case.public_id,
            now=remark.at,
        )
    if asked is not None:
        RemarkEmail.objects.create(remark=remark, request=asked)
        enqueue_on_commit("players.mail_notifications")
    return remark


def send_answer(*, asked: Asked, subject: Subject, text: str, by: User) -> None:
    """Answer a locked message or request once, by a message on its case.

    Codes as `write_to_player`, and `request_pending` if it is already answered.
    """
    send_message(subject=subject, text=text, by=by)
    if asked.answered_at is not None:
        raise RequestPending(_("This is already answered. Write to the player instead."))
    before = audit_log.facts(asked)
    asked.answered_at, asked.answered_by = database_now(), by
    asked.save(update_fields=["answered_at", "answered_by"])
    audit_log.record(by=by, act="answer", row=asked, before=before, about=subject.player)


@transaction.atomic(durable=True)
def answer_staff(*, player: User, case_id: UUID, text: str) -> Remark:
    """Add the player's message to a case that they opened or in which staff have written to them.

    Raise `Case.DoesNotExist` for other players' cases. Codes: `bad_remark`, `too_many_replies`.
    """
    case = Case.objects.shown_to(player).locked().get(public_id=case_id)
    now = database_now()
    since = now - timedelta(days=1)
    replies = Remark.objects.filter(kind=Remark.Kind.REPLY, by=player, at__gt=since)
    if replies.count() >= REPLIES_PER_DAY:
        raise TooManyReplies(
            _("You have reached today's message limit. Please wait for our answer.")
        )
    return Remark.objects.create(
        case=case, kind=Remark.Kind.REPLY, by=player, at=now, text=_readable(text)
    )


def _locked_case(subject: Subject, by: User) -> Case:
    """Return the locked case of a subject, created if missing; refuse staff who take part in it."""
    refuse_own_interest(subject.player, *subject.parties, by=by)
    kind, row = subject.row._meta.label_lower, subject.row.pk
    Case.objects.get_or_create(
        kind=kind,
        row=row,
        defaults={"name": stored_name(subject.row), "player": subject.player},
    )
    return Case.objects.locked().select_related("player", "owner").get(kind=kind, row=row)


def _saved(
    case: Case, before: audit_log.Facts, by: User, *, act: str, fields: tuple[str, ...]
) -> Case:
    if audit_log.facts(case) != before:
        case.save(update_fields=fields)
        audit_log.record(by=by, act=act, row=case, before=before, about=case.player)
    return case


def _remark(case: Case, kind: Remark.Kind, text: str, by: User) -> Remark:
    remark = Remark.objects.create(
        case=case, kind=kind, by=by, at=database_now(), text=_readable(text)
    )
    audit_log.record(by=by, act=kind.value, row=remark, about=case.player)
    return remark


def _readable(text: str) -> str:
    if not text.strip() or len(text) > Remark.LONGEST or not is_readable(text):
        raise BadRemark(
            _("Write 1 to %(n)d characters, and no control characters.") % {"n": Remark.LONGEST}
        )
    return text.strip()
