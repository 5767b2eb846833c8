"""A player's conversations with staff, without the notes of staff."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Prefetch, prefetch_related_objects
from django.utils.translation import gettext as _

from players.cases.models import HELP, Case, HelpRequest, Remark


@dataclass(frozen=True)
class Message:
    """One text of a conversation."""

    at: datetime
    text: str
    is_own: bool


@dataclass(frozen=True)
class Thread:
    """A case as its player sees it."""

    case: Case
    title: str
    # The earliest first.
    messages: tuple[Message, ...]
    # The player's transfer that the case is about.
    about: UUID | None = None
    about_name: str = ""

    @property
    def last(self) -> Message:
        return self.messages[-1]


def threads_of(cases: Sequence[Case]) -> list[Thread]:
    """Return the conversations of cases, in their order."""
    shown = Remark.objects.exclude(kind=Remark.Kind.NOTE)
    prefetch_related_objects(cases, Prefetch("remarks", shown, to_attr="visible_remarks"))
    asked = HelpRequest.objects.in_bulk([case.row for case in cases if case.kind == HELP])
    return [_thread(case, asked.get(case.row) if case.kind == HELP else None) for case in cases]


def _thread(case: Case, asked: HelpRequest | None) -> Thread:
    remarks: list[Remark] = case.visible_remarks  # type: ignore[attr-defined]
    written = tuple(
        Message(remark.at, remark.text, remark.kind == Remark.Kind.REPLY) for remark in remarks
    )
    if asked is None:
        return Thread(case, _("Message from our staff"), written)
    first = Message(asked.asked_at, asked.text, True)
    return Thread(case, asked.subject, (first, *written), asked.about, asked.about_name)
