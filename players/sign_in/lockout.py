"""Whom a failed sign-in is counted against."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, Final

from axes.models import AccessAttempt
from django.conf import settings
from django.db.models import Sum
from django.http import HttpRequest
from django.utils import timezone

TRIES: Final = 10
# Wrong passwords for one account, from all addresses together.
ATTACKED_AFTER: Final = 30
TRIES_UNDER_ATTACK: Final = 3


def attempted_email(request: HttpRequest, credentials: dict[str, Any] | None = None) -> str | None:
    """Return the e-mail that was tried, in one spelling, from whichever form sent it.

    The players' form calls the field `login`, the staff's `username`, and the back end `email`.
    """
    for source in (credentials or {}, request.POST):
        for field in ("email", "username", "login"):
            if source.get(field):
                return str(source[field]).strip().casefold()
    return None


def failure_limit(request: HttpRequest, credentials: dict[str, Any] | None = None) -> int:
    """Return how many wrong passwords an address may try for an account within the cool-off.

    Only the address is locked out, so nobody can shut an account's owner out. Of an account that
    is tried from many addresses each has fewer tries, its owner's too.
    """
    since = timezone.now() - timedelta(hours=settings.AXES_COOLOFF_TIME)
    tried = AccessAttempt.objects.filter(
        username=attempted_email(request, credentials), attempt_time__gte=since
    )
    failures = tried.aggregate(sum=Sum("failures_since_start"))["sum"] or 0
    return TRIES_UNDER_ATTACK if failures >= ATTACKED_AFTER else TRIES
