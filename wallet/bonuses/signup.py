"""The first play points of new accounts."""

from __future__ import annotations

from typing import Any

from django.db import transaction

from players.accounts.models import User
from players.sign_in.guests import actions as guests
from players.sign_in.signup import HandleAdapter
from wallet.bonuses import play_points


class SignUpAdapter(HandleAdapter):
    """Sign players up and grant their first play points."""

    @transaction.atomic
    def save_new_player(self, player: User, form: Any) -> None:
        """Save the account and its grant in one transaction."""
        super().save_new_player(player, form)
        play_points.grant_sign_up(player=player)


@transaction.atomic(durable=True)
def sign_up_guest() -> User:
    """Create a guest and its first play points in one transaction."""
    guest = guests.make_guest()
    play_points.grant_sign_up(player=guest)
    return guest
