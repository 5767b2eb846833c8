"""Where a player's declared bot may sit down: at tables with bots, or at private tables by link.

A template whose tables are filled with bots admits declared ones too; a private table's link admits
any player who has it. At all other tables people expect to play against people.
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
    """Raise if a declared bot may not sit here, or not at the same table as its owner.

    An owner and their bots may take one seat per table: with two they would see two hands. The
    caller locks the table.
    """
    alike = {player.owner_id or player.pk}
    for seat in present:
        other = seat.player
        is_pair = player.owner_id is not None or other.owner_id is not None
        if is_pair and (other.owner_id or other.pk) in alike:
            raise OwnCompany(_("You or another of your bots already sits at this table."))
    if player.owner_id is None:
        return
    if not (table.bots_fill or table.invite_code):
        raise BotsNotAdmitted(_("This table does not admit bots. Choose a table that does."))
    seats = Seat.objects.active().of_player(player).filter(table__finished_at__isnull=True)
    if seats.count() >= TABLES_MAX:
        raise BotIsBusy(_("A bot can sit at three tables at most. Leave one first."))
