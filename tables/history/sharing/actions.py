"""Making a deal public by a link, and withdrawing the link."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from django.db import transaction
from django.utils.translation import gettext as _

from core.clock import database_now
from players.accounts.models import User
from tables.exceptions import DealNotShareable
from tables.games import game_of
from tables.history.sharing.models import SharedDeal
from tables.models.deals import Deal
from wallet.ledger.money import PLAY_POINTS

# At tables for money whose game has no end, a deal is shared this long after it was settled.
AFTER_A_DEAL: Final = timedelta(hours=1)


def refuse_to_share(deal: Deal) -> None:
    """Raise `DealNotShareable` unless the deal is scored and, for money, its game is over.

    Until then the hands would tell spectators of a game for money what its players hide.
    """
    if deal.status != Deal.Status.SETTLED or deal.settled_at is None:
        raise DealNotShareable(_("A void deal cannot be shared."))
    table = deal.table
    if table.currency == PLAY_POINTS or table.is_over:
        return
    if game_of(table).has_end:
        raise DealNotShareable(_("You can share this deal when the game is over."))
    if database_now() - deal.settled_at < AFTER_A_DEAL:
        raise DealNotShareable(_("You can share this deal one hour after it ended."))


@transaction.atomic(durable=True)
def share_deal(*, player: User, deal: Deal, shows_name: bool) -> SharedDeal:
    """Return the player's public link to a deal, made now if there is none.

    A repeated call changes only whether the page shows the player's name. Raise `DealNotShareable`,
    also if the player was not dealt in.
    """
    place = deal.deal_seats.filter(seat__player=player).first()
    if place is None:
        raise DealNotShareable(_("You can share only deals that you played."))
    refuse_to_share(deal)
    shared, is_new = SharedDeal.objects.public().get_or_create(
        seat_id=place.seat_id, deal=deal, defaults={"shows_name": shows_name}
    )
    if not is_new and shared.shows_name != shows_name:
        shared.shows_name = shows_name
        shared.save(update_fields=["shows_name"])
    return shared


def withdraw_links(player: User, *, code: str = "") -> int:
    """Withdraw the link with this code, or all of the player's links; return how many."""
    mine = SharedDeal.objects.public().of_player(player)
    if code:
        mine = mine.filter(code=code)
    return mine.update(withdrawn_at=database_now())
