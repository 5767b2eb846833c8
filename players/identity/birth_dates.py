"""A player's birth date: set once by the player, corrected only by staff."""

from __future__ import annotations

from datetime import date
from typing import Final

from django.db import transaction
from django.utils.translation import gettext as _

from players.accounts.models import User
from players.accounts.zones import site_today
from players.exceptions import BadBirthDate, BirthDateGiven

OLDEST_YEARS: Final = 120


@transaction.atomic(durable=True)
def give_birth_date(*, player_id: int, born: date) -> User:
    """Store a player's birth date; setting the same date again changes nothing.

    The date of a minor is stored too, so that they cannot enter another one.

    Codes: `birth_date_given`, `bad_birth_date`.
    """
    player = User.objects.locked().get(pk=player_id)
    if player.birth_date == born:
        return player
    if player.birth_date is not None:
        raise BirthDateGiven(
            _("Your account already has another birth date. To correct it, contact us.")
        )
    today = site_today()
    if not today.year - OLDEST_YEARS <= born.year or born > today:
        raise BadBirthDate(_("Enter a valid birth date."))
    player.birth_date = born
    player.save(update_fields=["birth_date"])
    return player
