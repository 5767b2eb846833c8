"""Record changes of an account, and compute how long withdrawals are held after them."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from allauth.account.models import EmailAddress
from django.conf import settings
from django.db import transaction

from core.clock import database_now
from core.tasks import enqueue_on_commit
from players.accounts.models import User
from players.sign_in.security.models import AccountChange


@transaction.atomic
def record_change(
    *,
    player: User,
    kind: AccountChange.Kind,
    subject: str = "",
    by_staff: bool = False,
    happens_at: datetime | None = None,
    but_not: Iterable[str] = (),
    also: Iterable[str] = (),
) -> AccountChange:
    """Record a change, and queue an e-mail to every verified address of the account.

    `but_not` are addresses added by this change, `also` verified ones that it removed. Notification
    settings do not apply.
    """
    verified = EmailAddress.objects.filter(user=player, verified=True)
    known = {*map(str.lower, verified.values_list("email", flat=True)), *map(str.lower, also)}
    change = AccountChange.objects.create(
        player=player,
        kind=kind,
        subject=subject[:254],
        by_staff=by_staff,
        at=database_now(),
        happens_at=happens_at,
        unsent=sorted(known - {address.lower() for address in but_not}),
    )
    if change.unsent:
        enqueue_on_commit("players.mail_notifications")
    return change


def held_until(player: User, now: datetime) -> datetime | None:
    """Return until when withdrawals of the player are held; None if they are not."""
    term = timedelta(hours=settings.NEW_ACCOUNT_HOURS)
    mine = AccountChange.objects.of_player(player).holding().since(now - term)
    latest = mine.order_by("-at").values_list("at", flat=True).first()
    return latest + term if latest else None
