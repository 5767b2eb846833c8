"""The players of a game with an entry fee, and the forfeited entries of those who left."""

from __future__ import annotations

from collections.abc import Sequence

from tables.models.deals import Deal
from tables.models.seats import BuyIn, Seat
from tables.models.tables import Table
from tables.state.locks import LockedTable
from wallet.stakes import stakes
from wallet.stakes.models import Stake


def seats_of(table: Table) -> list[Seat]:
    """Return the seats dealt into the first deal, in seat order."""
    seats = table.seats.filter(number__isnull=False)
    return list(seats.prefetch_related("player").in_seat_order())


def there_at(deal: Deal, seats: Sequence[Seat]) -> list[Seat]:
    """Return the seats not left when the deal began, also those not dealt into a tie-break."""
    began = deal.started_at
    assert began is not None, "the deal was dealt"
    return [seat for seat in seats if seat.left_at is None or seat.left_at >= began]


def forfeit(table: LockedTable) -> None:
    """Mark the entries of players who left as lost, once a deal has counted (RB 7.7)."""
    if not table.has_scored():
        return
    paid = BuyIn.objects.filter(table=table, seat__left_at__isnull=False)
    of_them = Stake.objects.filter(pk__in=list(paid.values_list("stake", flat=True)))
    for stake in of_them.filter(status=Stake.Status.LIVE).order_by("pk"):
        stakes.lose_stake(stake=stake)
