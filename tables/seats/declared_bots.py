"""Where a bot that a player has declared may sit down: among bots or by invitation, never alone.

Whose table it is has a say: a kind of table that bots fill admits declared ones, too, and a private
table's link invites whom it was given to. Elsewhere people have sat down to play people.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from django.utils.translation import gettext as _

from players.accounts.models import User
from tables.exceptions import BotIsBusy, BotsNotAdmitted, OwnCompany
from tables.models.seats import Seat
from tables.models.tables import Table

TABLES_MAX: Final = 3


def refuse_company(table: Table, present: Iterable[Seat], player: User) -> None:
    """Raise where a declared bot may not sit, or its owner not beside it.

    Of one owner nobody sits at a table twice: they would see two hands. The caller locks the table.
    """
    alike = {player.owner_id or player.pk}
    for seat in present:
        other = seat.player
        is_pair = player.owner_id is not None or other.owner_id is not None
        if is_pair and (other.owner_id or other.pk) in alike:
            raise OwnCompany(_("You or another bot of yours sits at this table already."))
    if player.owner_id is None:
        return
    if not (table.bots_fill or table.invite_code):
        raise BotsNotAdmitted(_("This table is for people. Bots sit where bots are admitted."))
    seats = Seat.objects.active().of_player(player).filter(table__finished_at__isnull=True)
    if seats.count() >= TABLES_MAX:
        raise BotIsBusy(_("A bot sits at three tables at most."))
