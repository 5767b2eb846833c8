"""Guests: people who play before they give an e-mail address, and may keep the account later."""

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

from players.accounts import consent
from players.accounts.models import User
from players.exceptions import NotAGuest
from players.identity.phones.numbers import keep_number

HANDLE_BYTES: Final = 5
JUST_MADE: Final = timedelta(hours=1)


def make_guest() -> User:
    """Return a new guest with a handle nobody else has, and no password: only a session opens it.

    Guests play for play points alone (RB 11.3): everything that takes or pays money refuses them.
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
    """Turn a guest into an account that can be signed in to; its key, games and points stay.

    `mobile` is a number in E.164 or empty. Raises `NotAGuest` for an account that is kept already.
    """
    # Hashed before the transaction, which would hold a connection meanwhile.
    hashed = make_password(password)
    return _keep(player_id, email=email, handle=handle, hashed=hashed, mobile=mobile)


@transaction.atomic(durable=True)
def _keep(player_id: int, *, email: str, handle: str, hashed: str, mobile: str) -> User:
    player = User.objects.select_for_update(no_key=True).get(pk=player_id)
    if not player.is_guest:
        raise NotAGuest("This account is kept already.")
    player.is_guest = False
    player.email, player.handle = User.objects.normalize_email(email), handle
    player.password = hashed
    player.save(update_fields=["is_guest", "email", "handle", "password"])
    if mobile:
        keep_number(player=player, number=mobile)
    return player


def close_lost_guests(*, now: datetime) -> int:
    """Deactivate guests whose last session is over, and return how many they were.

    Nobody can come back to them; their games and ledger rows stay on record.
    """
    alive = Session.objects.filter(expire_date__gt=now).values("session_key")
    reachable = UserSession.objects.filter(user=OuterRef("pk"), session_key__in=alive)
    # The session of one who comes in at this moment may not be written down yet.
    guests = User.objects.filter(is_guest=True, is_active=True, date_joined__lt=now - JUST_MADE)
    return guests.filter(~Exists(reachable)).update(is_active=False)
