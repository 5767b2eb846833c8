"""How much a player may deposit now: the lower of both limits, less what counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.db.models import Sum
from django.utils import timezone
from moneyed import Money, get_currency

from players.accounts.models import User
from players.accounts.verified_email import former_accounts
from wallet.deposits.models import DepositLimit
from wallet.ledger.money import as_money
from wallet.payments.models import Deposit, DepositQuerySet


@dataclass(frozen=True)
class RemainingLimit:
    """One period's limit and what is left of it; None where there is no limit.

    What counts is what reaches, or may still reach, the wallet: taxes on top do not.
    """

    period: DepositLimit.Period
    house: Money | None
    own: Money | None
    used: Money
    # The raise that waits, if there is one; its `amount` None is the house's limit.
    coming: DepositLimit | None

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
    now = timezone.now()
    person = [player.pk, *former_accounts(player)]
    acts = DepositLimit.objects.filter(player__in=person, currency=currency).order_by("-id")
    deposits = Deposit.objects.filter(player__in=person, currency=currency).counted(now)
    return [_room(deposits, currency, period, list(acts), now) for period in DepositLimit.Period]


def outlasts_closing(player: User) -> bool:
    """Return whether the player's limits or deposits still count if they close and return."""
    since = timezone.now() - max(DepositLimit.SPAN.values())
    paid_in = Deposit.objects.of_player(player).filter(created_at__gt=since)
    return DepositLimit.objects.of_player(player).exists() or paid_in.exists()


def house_limit(period: str, currency: str) -> Money | None:
    """Return what the house lets anybody pay in, None for as much as one likes."""
    units: int | None = settings.DEPOSIT_LIMITS[period]
    return None if units is None else as_money(units * get_currency(currency).sub_unit, currency)


def _room(
    deposits: DepositQuerySet,
    currency: str,
    period: DepositLimit.Period,
    acts: Sequence[DepositLimit],
    now: datetime,
) -> RemainingLimit:
    in_force, coming = _standing([act for act in acts if act.period == period], now)
    within = deposits.filter(created_at__gt=now - DepositLimit.SPAN[period])
    used = within.aggregate(sum=Sum("amount_minor"))["sum"] or 0
    return RemainingLimit(
        period=period,
        house=house_limit(period, currency),
        own=in_force.amount if in_force else None,
        used=as_money(int(used), currency),
        coming=coming,
    )


def _standing(
    acts: Sequence[DepositLimit], now: datetime
) -> tuple[DepositLimit | None, DepositLimit | None]:
    """Return the act in force and the one that waits; acts come newest first.

    An act that was replaced before it applied never did.
    """
    coming = replaced_at = None
    for act in acts:
        if act.applies_at <= now and (replaced_at is None or act.applies_at <= replaced_at):
            return act, coming
        if replaced_at is None:
            coming = act
        replaced_at = act.asked_at
    return None, coming
