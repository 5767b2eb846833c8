"""Amounts a player has paid into games and received from them, from the ledger."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime

from django.db.models import BigIntegerField, F, Q, QuerySet, Sum
from django.db.models.functions import Coalesce, TruncWeek

from players.accounts.models import User
from wallet.ledger.models import Bucket, Entry, Transfer
from wallet.stakes.models import Stake, StakePart

_BACK = (Transfer.Kind.PRIZE, Transfer.Kind.REFUND, Transfer.Kind.CASH_OUT)
IN_GAMES = (Transfer.Kind.BUY_IN, *_BACK)
_PAID = Coalesce(
    Sum(-F("amount_minor"), filter=Q(transfer__kind=Transfer.Kind.BUY_IN)),
    0,
    output_field=BigIntegerField(),
)
_RECEIVED = Coalesce(
    Sum("amount_minor", filter=Q(transfer__kind__in=_BACK)), 0, output_field=BigIntegerField()
)


@dataclass(frozen=True, slots=True)
class Flow:
    """Minor units paid into games, and received from them including refunds."""

    paid_minor: int = 0
    back_minor: int = 0

    @property
    def net_minor(self) -> int:
        return self.back_minor - self.paid_minor


def flows(player: User, *, since: datetime, until: datetime | None = None) -> dict[str, Flow]:
    """Return a player's flows within a period, by currency."""
    entries = _entries(player).filter(transfer__created_at__gte=since)
    if until is not None:
        entries = entries.filter(transfer__created_at__lt=until)
    rows = entries.order_by().values_list("currency").annotate(paid=_PAID, back=_RECEIVED)
    return {currency: Flow(int(paid), int(back)) for currency, paid, back in rows}


def flows_by_week(player: User, currency: str, since: date) -> dict[date, Flow]:
    """Return a player's flows in a currency by week (Asia/Kolkata), keyed by its Monday."""
    entries = _entries(player).filter(currency=currency, booked_on__gte=since)
    weeks = entries.order_by().values_list(TruncWeek("booked_on"))
    rows = weeks.annotate(paid=_PAID, back=_RECEIVED)
    return {week: Flow(int(paid), int(back)) for week, paid, back in rows}


def still_in_games(player: User, moment: datetime) -> dict[str, int]:
    """Return how much of the stakes paid since a time is still in games, by currency."""
    parts = StakePart.objects.filter(
        stake__player=player,
        stake__created_at__gte=moment,
        stake__status=Stake.Status.LIVE,
        account__kind__in=Bucket.values,
    )
    left = Sum(F("amount_minor") - F("consumed_minor") - F("returned_minor"))
    rows = parts.values_list("account__currency").annotate(left=left)
    return {currency: int(left) for currency, left in rows}


def closed_later(player: User, moment: datetime) -> dict[str, int]:
    """Return the stakes paid before a time for games that ended after it, by currency."""
    stakes = Stake.objects.filter(
        player=player, created_at__lt=moment, closed_at__gte=moment
    ).order_by()
    rows = stakes.values_list("escrow__currency").annotate(paid=Sum("entry_minor"))
    return {currency: int(paid) for currency, paid in rows}


def _entries(player: User) -> QuerySet[Entry]:
    return Entry.objects.of_player(player).filter(
        account__kind__in=Bucket.values, transfer__kind__in=IN_GAMES
    )
