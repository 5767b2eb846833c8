"""Guest accounts, which have no e-mail address and can be turned into full accounts later."""

from __future__ import annotations

import secrets
from datetime import datetime, timedelta
from typing import Final

from allauth.usersessions.models import UserSession
from django.conf import settings
from django.contrib.auth.hashers import make_password
from django.contrib.sessions.models import Session
from django.db import transaction
from django.db.models import Exists, OuterRef
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from players.accounts import consent
from players.accounts.models import User
from players.exceptions import NotAGuest
from players.identity.phones.numbers import keep_number

HANDLE_BYTES: Final = 5
JUST_MADE: Final = timedelta(hours=1)


def make_guest() -> User:
    """Create a guest with a random handle and no password: access is only by the session.

    Guests play only for play points (RB 11.3): all actions with money refuse them.
    """
    return User.objects.create_user(
        handle=f"guest_{secrets.token_hex(HANDLE_BYTES)}",
        is_guest=True,
        language=get_language() or settings.LANGUAGE_CODE,
        consent_version=consent.VERSION,
    )


def keep_account(
    *, player_id: int, email: str, handle: str, password: str, mobile: str = ""
) -> User:
    """Turn a guest into a full account; its key, games and points stay.

    `mobile` is a number in E.164 or empty. Raise `NotAGuest` if the account is not a guest's.
    """
    # Hash before the transaction, so that hashing holds no connection.
    hashed = make_password(password)
    return _keep(player_id, email=email, handle=handle, hashed=hashed, mobile=mobile)


@transaction.atomic(durable=True)
def _keep(player_id: int, *, email: str, handle: str, hashed: str, mobile: str) -> User:
    player = User.objects.select_for_update(no_key=True).get(pk=player_id)
    if not player.is_guest:
        raise NotAGuest(_("This account is already registered."))
    player.is_guest = False
    player.email, player.handle = User.objects.normalize_email(email), handle
    player.password = hashed
    player.save(update_fields=["is_guest", "email", "handle", "password"])
    if mobile:
        keep_number(player=player, number=mobile)
    return player


def close_lost_guests(*, now: datetime) -> int:
    """Deactivate guests whose last session has expired; return their number.

    They can never sign in again; their games and ledger rows are kept.
    """
    alive = Session.objects.filter(expire_date__gt=now).values("session_key")
    reachable = UserSession.objects.filter(user=OuterRef("pk"), session_key__in=alive)
    # The session of a new guest may not be saved yet.
    guests = User.objects.filter(is_guest=True, is_active=True, date_joined__lt=now - JUST_MADE)
    return guests.filter(~Exists(reachable)).update(is_active=False)
