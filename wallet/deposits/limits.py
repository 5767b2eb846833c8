"""Limits on deposits: the lower of the operator's and the player's own, less deposits."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.conf import settings
from django.db import transaction
from django.db.models import Sum
from django.utils.translation import gettext as _
from moneyed import Money, get_currency

from core.clock import database_now
from players.accounts.models import User
from players.limits.models import OwnLimit
from players.limits.own_limits import LimitState, Scope, limit_states, note_limit, person_of
from wallet.deposits.models import Deposit, DepositQuerySet
from wallet.exceptions import DepositLimitReached, LimitAboveOperator
from wallet.ledger import cash_offered
from wallet.ledger.money import as_money, as_text, minor_units

PERIODS: Final = (OwnLimit.Period.DAY, OwnLimit.Period.MONTH)
PERIOD_CHOICES: Final = [(period.value, period.label) for period in PERIODS]


@dataclass(frozen=True)
class ComingLimit:
    """A pending increase; None restores the operator's limit."""

    amount: Money | None
    applies_at: datetime


@dataclass(frozen=True)
class RemainingLimit:
    """One period's limit and its remainder; None where there is no limit.

    Amounts credited, or that may still be credited, to the wallet count; taxes on top do not.
    """

    period: OwnLimit.Period
    operator: Money | None
    own: Money | None
    used: Money
    coming: ComingLimit | None

    @property
    def limit(self) -> Money | None:
        known = [limit for limit in (self.operator, self.own) if limit is not None]
        return min(known, default=None)

    @property
    def left(self) -> Money | None:
        if self.limit is None:
            return None
        return max(self.limit - self.used, Money(0, self.used.currency))


def remaining_limits(*, player: User, currency: str) -> list[RemainingLimit]:
    """Return the remaining limit of each period; lock the player to decide by it.

    Limits and deposits of the player's closed accounts count too.
    """
    now = database_now()
    person = person_of(player)
    own = limit_states(player, OwnLimit.Kind.DEPOSIT)
    deposits = Deposit.objects.filter(player__in=person, currency=currency).counted(now)
    return [
        _remaining(deposits, currency, period, own[deposits_of(currency, period)], now)
        for period in PERIODS
    ]


def deposits_of(currency: str, period: OwnLimit.Period) -> Scope:
    """Return the scope of a limit on deposits."""
    return Scope(OwnLimit.Kind.DEPOSIT, currency, period)


def outlasts_closing(player: User) -> bool:
    """Return whether limits or deposits would still count if the player closed and returned."""
    since = database_now() - OwnLimit.SPAN["month"]
    paid_in = Deposit.objects.of_player(player).filter(created_at__gt=since)
    return OwnLimit.objects.filter(player=player).exists() or paid_in.exists()


def operator_limit(period: str, currency: str) -> Money | None:
    """Return the operator's limit for any player, or None if there is none."""
    units: int | None = settings.DEPOSIT_LIMITS[period]
    return None if units is None else as_money(units * get_currency(currency).sub_unit, currency)


def _remaining(
    deposits: DepositQuerySet,
    currency: str,
    period: OwnLimit.Period,
    state: LimitState,
    now: datetime,
) -> RemainingLimit:
    within = deposits.filter(created_at__gt=now - OwnLimit.SPAN[period])
    used, coming = within.aggregate(sum=Sum("amount_minor"))["sum"] or 0, state.coming
    return RemainingLimit(
        period=period,
        operator=operator_limit(period, currency),
        own=_amount(state.in_force),
        used=as_money(int(used), currency),
        coming=ComingLimit(_amount(coming), coming.applies_at) if coming else None,
    )


def _amount(limit: OwnLimit | None) -> Money | None:
    if limit is None or limit.amount_minor is None:
        return None
    return as_money(limit.amount_minor, limit.currency)


@transaction.atomic
def set_limit(
    *,
    player: User,
    period: OwnLimit.Period,
    currency: str,
    amount: Money | None,
    is_proved: bool,
) -> OwnLimit:
    """Set or remove (None) a player's own limit; a lower one applies at once.

    A higher one, or none, applies after `RAISE_WAITS`; another call before then replaces it. Raise
    `ReauthenticationRequired` unless the player has just signed in again.
    """
    if amount is None:
        cash_offered.refuse_currency(currency)
    else:
        cash_offered.refuse_amount(amount)
    player = User.objects.locked().get(pk=player.pk)
    [remaining] = [
        limit
        for limit in remaining_limits(player=player, currency=currency)
        if limit.period == period
    ]
    if amount is not None and remaining.operator is not None and amount > remaining.operator:
        raise LimitAboveOperator(
            _("The limit cannot exceed %(limit)s in %(period)s.")
            % {"limit": as_text(remaining.operator), "period": remaining.period.label}
        )
    most = None if amount is None else minor_units(amount)
    return note_limit(player, deposits_of(currency, period), most, is_proved=is_proved)


def hold_to_limits(*, player: User, amount: Money) -> None:
    """Raise `DepositLimitReached` if a deposit of this amount exceeds a remaining limit.

    Takes the player's lock until the transaction ends, so that two orders, or an order and a change
    of limit, are checked one after the other.
    """
    player = User.objects.locked().get(pk=player.pk)
    for remaining in remaining_limits(player=player, currency=amount.currency.code):
        if remaining.left is not None and amount > remaining.left:
            raise DepositLimitReached(_limit_text(remaining, remaining.left))


def _limit_text(remaining: RemainingLimit, left: Money) -> str:
    assert remaining.limit is not None, "only a limit has a remainder"
    return _(
        "Your limit is %(limit)s in %(period)s; %(left)s are left. Payments in progress count."
    ) % {"limit": as_text(remaining.limit), "period": remaining.period.label, "left": as_text(left)}
