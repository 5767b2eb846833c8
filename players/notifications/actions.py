"""Telling players: rows written with the fact they tell of, and mailed by a worker afterwards."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

import structlog
from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from core.tasks import enqueue_on_commit
from players.accounts.models import User
from players.notifications.mail import confirmed_address, send_notice
from players.notifications.models import Notice, NoticeChoice

log = structlog.get_logger(__name__)

# How long after the fact each try comes at the earliest, for a mail server that is away.
WAITS: Final = (
    timedelta(0),
    timedelta(minutes=1),
    timedelta(minutes=10),
    timedelta(hours=1),
    timedelta(hours=6),
)
MAILED_AT_ONCE: Final = 200
WRITTEN_AT_ONCE: Final = 1000
# Nothing that is told once is told anew after so long.
KEPT: Final = timedelta(days=365)


@dataclass(frozen=True, slots=True)
class Told:
    """Whom a fact is told to, and the amount in it that is his own."""

    player: User
    amount: str = ""


def tell(
    told: Iterable[Told],
    *,
    kind: Notice.Kind,
    key: str,
    subject: str,
    now: datetime,
    about: UUID | None = None,
    remark: str = "",
    happens_at: datetime | None = None,
) -> None:
    """Write a notice for each player, in the caller's transaction; the same key again writes none.

    Bots are told nothing, guests nothing by mail, and nobody what he does not wish to hear.
    """
    people = [each for each in told if not each.player.is_bot]
    draft = Notice(kind=kind, subject=subject[:120])
    chosen = _choices([each.player.pk for each in people], draft.topic)
    notices = []
    for each in people:
        on_site, by_mail = chosen.get(each.player.pk, (True, True))
        by_mail = by_mail and not each.player.is_guest
        if on_site or by_mail:
            notice = Notice(
                player=each.player,
                key=key,
                kind=kind,
                subject=draft.subject,
                about=about,
                amount=each.amount,
                remark=remark[:500],
                happens_at=happens_at,
                created_at=now,
                on_site=on_site,
                mail=Notice.Mail.DUE if by_mail else Notice.Mail.NONE,
            )
            notices.append(notice)
    Notice.objects.bulk_create(notices, batch_size=WRITTEN_AT_ONCE, ignore_conflicts=True)
    if any(notice.mail == Notice.Mail.DUE for notice in notices):
        # A broker that is away must not turn a committed step into an error; the sweep looks again.
        enqueue_on_commit("players.mail_notices")


def _choices(players: list[int], topic: Notice.Topic) -> dict[int, tuple[bool, bool]]:
    rows = NoticeChoice.objects.filter(player__in=players, topic=topic)
    return {pk: (site, mail) for pk, site, mail in rows.values_list("player", "on_site", "by_mail")}


def mail_due(*, now: datetime) -> int:
    """Send what waits and return how many were sent.

    A worker that dies after its try was counted leaves the message to the next one.
    """
    due = Notice.objects.to_be_mailed(now, waits=WAITS).order_by("pk")
    keys = list(due.values_list("pk", flat=True)[:MAILED_AT_ONCE])
    return sum(_mail(pk, now=now) for pk in keys)


def _mail(pk: int, *, now: datetime) -> bool:
    notice = Notice.objects.to_be_mailed(now, waits=WAITS).filter(pk=pk).first()
    if notice is None:
        return False
    player = User.objects.get(pk=notice.player_id)
    address = confirmed_address(player) if player.is_active else None
    # No row stays locked while the mail server thinks: who counts this try makes it.
    tries = notice.mail_tries
    mine = Notice.objects.filter(pk=pk, mail=Notice.Mail.DUE, mail_tries=tries)
    if address is None:
        mine.update(mail=Notice.Mail.NONE)
        return False
    notice.mail_tries = tries + 1
    if not mine.update(mail_tries=notice.mail_tries):  # Another worker makes it.
        return False
    notice.mail = _try(notice, player, address)
    notice.save(update_fields=["mail"])
    return notice.mail == Notice.Mail.SENT


def _try(notice: Notice, player: User, address: str) -> Notice.Mail:
    try:
        send_notice(notice, player=player, address=address)
    except OSError as error:  # What SMTP refuses, and a network that is away.
        log.warning("notice_not_mailed", notice=notice.pk, error=str(error))
        return Notice.Mail.DUE if notice.mail_tries < len(WAITS) else Notice.Mail.GIVEN_UP
    return Notice.Mail.SENT


def read_all(*, player: User, up_to: int, now: datetime) -> int:
    """Note that the player has seen all notices up to this one, and return how many were new."""
    return Notice.objects.of_player(player).unread().filter(pk__lte=up_to).update(read_at=now)


def forget_old(*, now: datetime) -> int:
    """Delete notices of more than a year ago, and return how many they were."""
    old = Notice.objects.filter(created_at__lt=now - KEPT).exclude(mail=Notice.Mail.DUE)
    deleted, _by_model = old.delete()
    return deleted


def choose(*, player: User, topic: Notice.Topic, on_site: bool, by_mail: bool) -> NoticeChoice:
    """Keep how the player wants to be told of this topic from now on."""
    choice, _is_new = NoticeChoice.objects.update_or_create(
        player=player, topic=topic, defaults={"on_site": on_site, "by_mail": by_mail}
    )
    return choice


def bell(request: HttpRequest) -> dict[str, Any]:
    """Tell templates how many notices wait, if they ask."""

    def count() -> int:
        if not request.user.is_authenticated:
            return 0
        return Notice.objects.of_player(request.user).unread().count()

    return {"unread_notices": SimpleLazyObject(count)}
