"""Write to support, and answer: on the site, and by e-mail to people without an account."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

import structlog
from allauth.account.models import EmailAddress
from django.conf import settings
from django.core.mail import send_mail
from django.db import models, transaction
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from core.clock import database_now
from core.text_validation import is_one_line, is_readable
from players.accounts.models import User
from players.accounts.verified_email import has_verified_email
from players.cases.actions import Subject, send_answer
from players.cases.models import HELP, Case, HelpRequest, Remark, RemarkEmail
from players.exceptions import AddressMissing, BadRemark, TooManyReplies
from players.sign_in.security.letters import RETRY_DELAYS

REQUESTS_PER_DAY: Final = 5
BATCH_SIZE: Final = 100
# Title shown to players; the English message id.
TITLE: Final = gettext_noop("your message to us")

log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class Attachment:
    """One of the player's own transfers, such as the entry of a game or a deposit."""

    id: UUID
    name: str


@transaction.atomic(durable=True)
def write_to_support(
    *,
    player: User | None,
    email: str,
    language: str,
    subject: str,
    text: str,
    attached: Attachment | None = None,
) -> HelpRequest:
    """Open a case with a message from a player, or from a visitor with an e-mail address.

    The caller makes sure that the attachment is the player's own. Codes: `bad_remark`,
    `address_missing` without player and address, `too_many_replies`.
    """
    if player is None and not email:
        raise AddressMissing(_("Enter an e-mail address for our answer."))
    if not is_one_line(subject) or not is_readable(text):
        raise BadRemark(_("Write a text without control characters."))
    if player is not None:
        player = User.objects.locked().get(pk=player.pk)
    now, email = database_now(), email.lower()
    mine = HelpRequest.objects.filter(player=player)
    mine = mine if player else mine.filter(email=email)
    if mine.filter(asked_at__gt=now - timedelta(days=1)).count() >= REQUESTS_PER_DAY:
        raise TooManyReplies(
            _("You have reached today's message limit. Please wait for our answer.")
        )
    asked = HelpRequest.objects.create(
        player=player,
        # A verified address gets the notification.
        email="" if player and has_verified_email(player) else email,
        language=language,
        subject=subject.strip(),
        text=text.strip(),
        about=attached.id if attached else None,
        about_name=attached.name[:200] if attached else "",
        asked_at=now,
    )
    Case.objects.create(
        kind=HELP,
        row=asked.pk,
        name=str(asked)[:200],
        player=player,
    )
    return asked


@transaction.atomic(durable=True)
def answer_request(
    *, request_id: int, by: User, answer: str, parties: tuple[models.Model | None, ...] = ()
) -> HelpRequest:
    """Answer a message and close its case.

    `parties` are rows in which `by` must not take part, besides the sender. Codes: `bad_remark`,
    `shared_interest`, `request_pending` if it is already answered.
    """
    asked: HelpRequest = HelpRequest.objects.select_related("player").locked().get(pk=request_id)
    involved = (sender_of(asked), *parties)
    subject = Subject(row=asked, title=TITLE, player=asked.player, parties=involved)
    send_answer(asked=asked, subject=subject, text=answer, by=by)
    return asked


def sender_of(asked: HelpRequest) -> User | None:
    """Return the account that wrote, or that has verified the address of the message."""
    if asked.player is not None or not asked.email:
        return asked.player
    known = EmailAddress.objects.filter(email__iexact=asked.email, verified=True)
    found = known.select_related("user").first()
    return found.user if found else None


def mail_answers(*, now: datetime) -> int:
    """Send the due e-mails with messages of staff; return how many were sent.

    An attempt is counted before it is made, so that of two workers one makes it.
    """
    due = RemarkEmail.objects.filter(sent_at=None, tries__lt=len(RETRY_DELAYS)).order_by("pk")
    return sum(_mail(each, now) for each in due.select_related("remark", "request")[:BATCH_SIZE])


def _mail(due: RemarkEmail, now: datetime) -> bool:
    if now < due.created_at + RETRY_DELAYS[due.tries]:
        return False
    mine = RemarkEmail.objects.filter(pk=due.pk, sent_at=None, tries=due.tries)
    if not mine.update(tries=due.tries + 1):
        return False
    try:
        _send(due.remark, due.request)
    except OSError as error:  # Network failures and SMTP errors.
        log.warning("answer_not_mailed", remark=due.remark_id, error=str(error))
        return False
    RemarkEmail.objects.filter(pk=due.pk).update(sent_at=now)
    return True


def _send(remark: Remark, asked: HelpRequest) -> None:
    with translation.override(asked.language):
        text = render_to_string(
            "players/answer_email.txt",
            {
                "subject": asked.subject,
                "text": remark.text,
                "contact": f"{settings.PUBLIC_URL}{reverse('contact')}",
            },
        )
        title = _("Pool Rummy: our answer to your message")
    send_mail(title, text, None, [asked.email])
