"""Players' own limits on losses, stakes, tables and time."""

from __future__ import annotations

from typing import Final

from django.db import transaction
from django.utils.translation import gettext as _

from players.accounts.models import User
from wallet.exceptions import LimitOutOfRange
from wallet.ledger.cash_offered import refuse_currency
from wallet.ledger.money import MINOR_UNITS_MAX
from wallet.limits.models import OF_NUMBERS, OwnLimit
from wallet.limits.states import Scope, note_limit

TABLES_MOST: Final = 20
MINUTES_MOST: Final = 24 * 60
# The scopes that can be set here, without the currency; deposits are in wallet.deposits.limits.
PERIODS_OF: Final[dict[OwnLimit.Kind, tuple[str, ...]]] = {
    OwnLimit.Kind.LOSS: (OwnLimit.Period.DAY, OwnLimit.Period.WEEK, OwnLimit.Period.MONTH),
    OwnLimit.Kind.STAKE: ("",),
    OwnLimit.Kind.TABLES: ("",),
    OwnLimit.Kind.TIME: (OwnLimit.Period.DAY,),
}


@transaction.atomic(durable=True)
def set_own_limit(*, player: User, scope: Scope, most: int | None, is_proved: bool) -> OwnLimit:
    """Set a limit in minor units, tables or minutes, or remove it (None).

    A lower one applies at once; a higher one, or none, after a day (`RAISE_WAITS`). Raise
    `LimitOutOfRange` for a value or period that is not offered, and `ReauthenticationRequired` for
    an increase unless the player has just signed in again.
    """
    if scope.period not in PERIODS_OF.get(scope.kind, ()):
        raise LimitOutOfRange(_("Choose one of the limits offered."))
    if scope.kind not in OF_NUMBERS:
        refuse_currency(scope.currency)
    if most is not None and not 1 <= most <= _most_of(scope.kind):
        raise LimitOutOfRange(
            _("Enter a number from 1 to %(most)d.") % {"most": _most_of(scope.kind)}
        )
    player = User.objects.locked().get(pk=player.pk)
    return note_limit(player, scope, most, is_proved=is_proved)


def _most_of(kind: OwnLimit.Kind) -> int:
    known = {OwnLimit.Kind.TABLES: TABLES_MOST, OwnLimit.Kind.TIME: MINUTES_MOST}
    return known.get(kind, MINOR_UNITS_MAX)


def sentence_of(act: OwnLimit) -> str:
    """Return the message to a player who has set a limit: when it applies."""
    if act.applies_at == act.asked_at:
        return _("Your limit applies now.")
    return _("Your limit increases after 24 hours.")
