"""Limits on deposits: the house's and the player's own; down at once, up after a day's thought."""

from __future__ import annotations

from django.db import transaction
from django.utils.translation import gettext as _
from moneyed import Money

from players.accounts.models import User
from wallet.deposits.remaining_limits import RemainingLimit, deposits_of, remaining_limits
from wallet.exceptions import DepositLimitReached, LimitAboveOperator
from wallet.ledger import cash_offered
from wallet.ledger.money import as_text, minor_units
from wallet.limits.models import OwnLimit
from wallet.limits.standing import note_limit


@transaction.atomic
def set_limit(
    *,
    player: User,
    period: OwnLimit.Period,
    currency: str,
    amount: Money | None,
    is_proved: bool,
) -> OwnLimit:
    """Set a player's own limit, or take it away (None); a lower one applies at once.

    A higher one, or none, applies after `RAISE_WAITS`; the next act before then replaces it. It
    takes a player who has just proved who they are, else raise `ReauthenticationRequired`.
    """
    if amount is None:
        cash_offered.refuse_currency(currency)
    else:
        cash_offered.refuse_amount(amount)
    player = User.objects.locked().get(pk=player.pk)
    [room] = [
        room for room in remaining_limits(player=player, currency=currency) if room.period == period
    ]
    if amount is not None and room.house is not None and amount > room.house:
        raise LimitAboveOperator(
            _("Nobody pays in more than %(limit)s in %(period)s.")
            % {"limit": as_text(room.house), "period": room.period.label}
        )
    most = None if amount is None else minor_units(amount)
    return note_limit(player, deposits_of(currency, period), most, is_proved=is_proved)


def hold_to_limits(*, player: User, amount: Money) -> None:
    """Raise `DepositLimitReached` if a deposit of this amount is more than is left.

    Takes the player's lock until the transaction ends: two orders at once are counted one after
    the other, and a limit is not set between the count and the order.
    """
    player = User.objects.locked().get(pk=player.pk)
    for room in remaining_limits(player=player, currency=amount.currency.code):
        if room.left is not None and amount > room.left:
            raise DepositLimitReached(_in_words(room, room.left))


def _in_words(room: RemainingLimit, left: Money) -> str:
    assert room.limit is not None, "something is left of a limit only"
    return _(
        "Your limit is %(limit)s in %(period)s; %(left)s of it is left. "
        "Payments you have begun count."
    ) % {"limit": as_text(room.limit), "period": room.period.label, "left": as_text(left)}
