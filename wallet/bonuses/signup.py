"""What a new account finds in its wallet."""

from __future__ import annotations

from typing import Any

from django.db import transaction

from players.accounts.models import User
from players.sign_in.guests import actions as guests
from players.sign_in.signup import HandleAdapter
from wallet.bonuses import play_points


class SignUpAdapter(HandleAdapter):
    """Signs a player up and grants the first play points."""

    @transaction.atomic
    def save_new_player(self, player: User, form: Any) -> None:
        """Save the account and its grant together: nobody starts without points, or gets two."""
        super().save_new_player(player, form)
        play_points.grant_sign_up(player=player)


@transaction.atomic(durable=True)
def sign_up_guest() -> User:
    """Make a guest with the first play points in its wallet, both or neither."""
    guest = guests.make_guest()
    play_points.grant_sign_up(player=guest)
    return guest
