"""Create and answer requests to correct or delete a player's own data."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from core.clock import database_now
from core.text_validation import is_readable
from players.accounts.models import User
from players.cases.actions import Subject, send_answer
from players.cases.models import DataRequest
from players.exceptions import BadRemark, RequestPending, TooManyReplies

REQUESTS_PER_DAY: Final = 5
# Title shown to players; the English message id.
TITLE: Final = gettext_noop("your request about your data")


@transaction.atomic(durable=True)
def ask_about_data(*, player: User, about: DataRequest.About, text: str) -> DataRequest:
    """Ask staff to correct or delete something.

    Codes: `bad_remark`, `request_pending` if a request about the same is open, `too_many_replies`.
    """
    if not text.strip() or len(text) > DataRequest.LONGEST or not is_readable(text):
        raise BadRemark(_("Write a text without control characters."))
    player = User.objects.locked().get(pk=player.pk)
    mine = DataRequest.objects.of_player(player)
    if mine.unanswered().filter(about=about).exists():
        raise RequestPending(
            _("You already have an open request about this. Our staff will answer it.")
        )
    now = database_now()
    if mine.filter(asked_at__gt=now - timedelta(days=1)).count() >= REQUESTS_PER_DAY:
        raise TooManyReplies(
            _("You have reached today's message limit. Please wait for our answer.")
        )
    return DataRequest.objects.create(player=player, about=about, text=text.strip(), asked_at=now)


@transaction.atomic(durable=True)
def answer_request(*, request_id: int, by: User, answer: str) -> DataRequest:
    """Answer a request once, by a message to its player.

    Staff make the correction itself in the admin. Codes: `bad_remark`, `request_pending` if the
    request is already answered, `shared_interest`.
    """
    rows = DataRequest.objects.select_related("player")
    asked: DataRequest = rows.locked().get(pk=request_id)
    send_answer(asked=asked, subject=subject_of(asked), text=answer, by=by)
    return asked


def subject_of(asked: DataRequest) -> Subject:
    return Subject(row=asked, title=TITLE, player=asked.player, parties=())
