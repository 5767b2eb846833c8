"""Games of a series of deals; players who leave forfeit their entry (RB 6, 9.5)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from django.utils.translation import gettext as _

from tables.games.game import Game
from tables.models.deals import Deal
from tables.models.seats import Seat
from tables.play import dealing
from tables.settlement import finishing
from tables.settlement.game_record import record_so_far
from tables.state.locks import LockedTable, snapshot_of
from wallet.stakes import stakes
from wallet.stakes.models import Stake


class Series(Game):
    """A game that ends when its scores decide it; define `final_order` and `deal_next` for it."""

    def go_on(self, table: LockedTable, deal: Deal, now: datetime) -> None:
        """End the game if it is decided, or schedule the next deal."""
        if not self.step_between(table, now):
            dealing.pause(table, now, self.deal_next)

    def go_on_after_void(self, table: LockedTable, deal: Deal, now: datetime) -> None:
        """Repeat a void deal, or end the game if too few players stayed."""
        if not snapshot_of(table).present():
            self.call_off(table, deal, now)
        else:
            self.go_on(table, deal, now)

    def step_between(self, table: LockedTable, now: datetime) -> bool:
        """End the game if it is decided; players who left have forfeited their entries."""
        forfeit(table)
        order = self.final_order(record_so_far(table))
        if order.is_decided:
            finishing.finish(table, order, now=now)
        return order.is_decided

    def end_here(self, table: LockedTable, now: datetime) -> None:
        """End the game with the current scores (RB 10.4)."""
        forfeit(table)
        finishing.finish(table, self.final_order(record_so_far(table)), now=now)

    def call_off(self, table: LockedTable, deal: Deal, now: datetime) -> None:
        """Cancel the game; players present when the deal began share the money (RB 7.7)."""
        players = [seat for seat in snapshot_of(table).seats if seat.number is not None]
        survivors = there_at(deal, players)
        finishing.cancel_game(table, deal, now, survivors=survivors)

    def leaving_text(self) -> Iterator[str]:
        yield _("Players who leave forfeit their entry; it stays in the prize.")


def there_at(deal: Deal, seats: Sequence[Seat]) -> list[Seat]:
    """Return the seats not left when the deal began, also those not dealt into a tie-break."""
    began = deal.started_at
    assert began is not None, "the deal was dealt"
    return [seat for seat in seats if seat.left_at is None or seat.left_at >= began]


def forfeit(table: LockedTable) -> None:
    """Mark the entries of players who left as lost, once a deal has counted (RB 7.7)."""
    gone = [seat for seat in snapshot_of(table).seats if seat.left_at is not None]
    paid = [stake for seat in gone for stake in seat.stakes]
    if not paid or not table.has_scored():
        return
    of_them = Stake.objects.filter(pk__in=paid)
    for stake in of_them.filter(status=Stake.Status.LIVE).order_by("pk"):
        stakes.lose_stake(stake=stake)
