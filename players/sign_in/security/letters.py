"""Send e-mails about changes of an account to the addresses verified before the change."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

import structlog
from django.conf import settings
from django.core.mail import send_mail
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from players.accounts.zones import zone_of
from players.sign_in.security.models import HOLDING, AccountChange

log = structlog.get_logger(__name__)

# Earliest time of each attempt after the event, in case the mail server is unavailable.
RETRY_DELAYS: Final = (
    timedelta(0),
    timedelta(minutes=1),
    timedelta(minutes=10),
    timedelta(hours=1),
    timedelta(hours=6),
)
BATCH_SIZE: Final = 200


def mail_changes(*, now: datetime) -> int:
    """Send the e-mails that are due; return how many were sent.

    An attempt is counted before it is made; if the worker crashes, the next attempt sends the rest.
    """
    keys = AccountChange.objects.to_be_mailed().order_by("pk").values_list("pk", flat=True)
    return sum(_mail(pk, now) for pk in keys[:BATCH_SIZE])


def delete_old(*, now: datetime, kept: timedelta) -> int:
    """Delete changes older than `kept`; return their number."""
    deleted, _by_model = AccountChange.objects.filter(at__lt=now - kept).delete()
    return deleted


def _mail(pk: int, now: datetime) -> int:
    change = AccountChange.objects.select_related("player").filter(pk=pk).first()
    if change is None or now < change.at + RETRY_DELAYS[change.mail_tries]:
        return 0
    mine = AccountChange.objects.filter(pk=pk, mail_tries=change.mail_tries)
    is_last = change.mail_tries + 1 >= len(RETRY_DELAYS)
    left = list(change.unsent)
    # After the last attempt nothing is due, even if it fails.
    if not mine.update(mail_tries=change.mail_tries + 1, unsent=[] if is_last else left):
        return 0  # Another worker makes this attempt.
    sent = [address for address in left if _try(change, address)]
    if not is_last:
        unsent = [address for address in left if address not in sent]
        AccountChange.objects.filter(pk=pk).update(unsent=unsent)
    return len(sent)


def _try(change: AccountChange, address: str) -> bool:
    try:
        _send(change, address)
    except OSError as error:  # Network failures and SMTP errors.
        log.warning("account_change_not_mailed", change=change.pk, error=str(error))
        return False
    return True


def _send(change: AccountChange, address: str) -> None:
    player, term = change.player, timedelta(hours=settings.NEW_ACCOUNT_HOURS)
    with translation.override(player.language), timezone.override(zone_of(player)):
        is_held = change.kind in HOLDING and term
        text = render_to_string(
            "players/account_change_email.txt",
            {
                "change": change,
                "handle": player.handle,
                "at": _moment(change.at),
                "happens_at": _moment(change.happens_at) if change.happens_at else "",
                "held_until": _moment(change.at + term) if is_held else "",
                "reset": f"{settings.PUBLIC_URL}{reverse('account_reset_password')}",
                "account": f"{settings.PUBLIC_URL}{reverse('account')}",
                "contact": settings.CONTACT_EMAIL,
            },
        )
        subject = _("Pool Rummy: %(topic)s") % {"topic": _("Security of your account")}
    send_mail(subject, text, None, [address])


def _moment(moment: datetime) -> str:
    return date_format(timezone.localtime(moment), "j M Y, H:i")
