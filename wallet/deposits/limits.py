"""Limits on deposits: the operator's and the player's own."""

from __future__ import annotations

from django.db import transaction
from django.utils.translation import gettext as _
from moneyed import Money

from players.accounts.models import User
from players.limits.models import OwnLimit
from players.limits.own_limits import note_limit
from wallet.deposits.remaining_limits import RemainingLimit, deposits_of, remaining_limits
from wallet.exceptions import DepositLimitReached, LimitAboveOperator
from wallet.ledger import cash_offered
from wallet.ledger.money import as_text, minor_units


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
