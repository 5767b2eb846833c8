"""How much a player may deposit now: the lower of both limits, less what counts."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.conf import settings
from django.db.models import Sum
from moneyed import Money, get_currency

from core.clock import database_now
from players.accounts.models import User
from wallet.deposits.models import Deposit, DepositQuerySet
from wallet.ledger.money import as_money
from wallet.limits.models import OwnLimit
from wallet.limits.standing import Scope, Standing, person_of, standings

PERIODS: Final = (OwnLimit.Period.DAY, OwnLimit.Period.MONTH)
PERIOD_CHOICES: Final = [(period.value, period.label) for period in PERIODS]


@dataclass(frozen=True)
class RemainingLimit:
    """One period's limit and what is left of it; None where there is no limit.

    What counts is what reaches, or may still reach, the wallet: taxes on top do not.
    """

    period: OwnLimit.Period
    house: Money | None
    own: Money | None
    used: Money
    # The raise that waits, if there is one; its `amount` None is the house's limit.
    coming: OwnLimit | None

    @property
    def limit(self) -> Money | None:
        known = [limit for limit in (self.house, self.own) if limit is not None]
        return min(known, default=None)

    @property
    def left(self) -> Money | None:
        if self.limit is None:
            return None
        return max(self.limit - self.used, Money(0, self.used.currency))


def remaining_limits(*, player: User, currency: str) -> list[RemainingLimit]:
    """Return the room in each period now; hold the player's lock to decide by it.

    Limits and deposits of accounts that the player has closed count too.
    """
    now = database_now()
    person = person_of(player)
    own = standings(person, OwnLimit.Kind.DEPOSIT)
    deposits = Deposit.objects.filter(player__in=person, currency=currency).counted(now)
    return [
        _room(deposits, currency, period, own.get(deposits_of(currency, period), Standing()), now)
        for period in PERIODS
    ]


def deposits_of(currency: str, period: OwnLimit.Period) -> Scope:
    """Return the scope of a limit on deposits."""
    return Scope(OwnLimit.Kind.DEPOSIT, currency, period)


def outlasts_closing(player: User) -> bool:
    """Return whether the player's limits or deposits still count if they close and return."""
    since = database_now() - OwnLimit.SPAN["month"]
    paid_in = Deposit.objects.of_player(player).filter(created_at__gt=since)
    return OwnLimit.objects.of_player(player).exists() or paid_in.exists()


def operator_limit(period: str, currency: str) -> Money | None:
    """Return what the house lets anybody pay in, None for as much as one likes."""
    units: int | None = settings.DEPOSIT_LIMITS[period]
    return None if units is None else as_money(units * get_currency(currency).sub_unit, currency)


def _room(
    deposits: DepositQuerySet,
    currency: str,
    period: OwnLimit.Period,
    standing: Standing,
    now: datetime,
) -> RemainingLimit:
    within = deposits.filter(created_at__gt=now - OwnLimit.SPAN[period])
    used = within.aggregate(sum=Sum("amount_minor"))["sum"] or 0
    return RemainingLimit(
        period=period,
        house=operator_limit(period, currency),
        own=standing.in_force.amount if standing.in_force else None,
        used=as_money(int(used), currency),
        coming=standing.coming,
    )
