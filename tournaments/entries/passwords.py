"""Passwords of tournaments: stored as hashes, and asked for at registration, rate-limited."""

from __future__ import annotations

from django.contrib.auth.hashers import check_password
from django.utils.translation import gettext as _

from core.addresses import network_of
from core.http import rates
from players.accounts.models import User
from tables.seats.origins import Origin
from tournaments.exceptions import TooManyPasswords, WrongPassword
from tournaments.planning.models import Tournament


def refuse_wrong_password(
    *, tournament_id: int, player: User, password: str, origin: Origin | None
) -> None:
    """Raise unless the password is that of the tournament, or the tournament has none.

    Called outside a transaction, because hashing takes a part of a second. Attempts are counted by
    player and by network (scope `passwords`), right ones too. Codes: `wrong_password`,
    `too_many_passwords`.
    """
    stored = Tournament.objects.values_list("password_hash", flat=True).get(pk=tournament_id)
    if not stored:
        return
    if not password:
        raise WrongPassword(_("This tournament has a password. Ask its organiser for it."))
    network = None if origin is None else network_of(origin.address)
    verdict = rates.take("passwords", player=player.pk, network=network)
    if verdict is not None and verdict.is_refused:
        raise TooManyPasswords(_("Too many attempts. Try again in an hour."))
    if not check_password(password, stored):
        raise WrongPassword(_("This is not the password of the tournament."))
