"""Setting limits of one's own on losses, stakes, tables and time."""

from __future__ import annotations

from typing import Final

from django.db import transaction
from django.utils.translation import gettext as _

from players.accounts.models import User
from wallet.exceptions import LimitOutOfRange
from wallet.ledger.cash_offered import refuse_currency
from wallet.ledger.money import MINOR_UNITS_MAX
from wallet.limits.models import OF_NUMBERS, OwnLimit
from wallet.limits.standing import Scope, note_limit

TABLES_MOST: Final = 20
MINUTES_MOST: Final = 24 * 60
# The scopes that may be set here, but for the currency; deposits have a house limit besides.
PERIODS_OF: Final[dict[OwnLimit.Kind, tuple[str, ...]]] = {
    OwnLimit.Kind.LOSS: (OwnLimit.Period.DAY, OwnLimit.Period.WEEK, OwnLimit.Period.MONTH),
    OwnLimit.Kind.STAKE: ("",),
    OwnLimit.Kind.TABLES: ("",),
    OwnLimit.Kind.TIME: (OwnLimit.Period.DAY,),
}


@transaction.atomic(durable=True)
def set_own_limit(*, player: User, scope: Scope, most: int | None, is_proved: bool) -> OwnLimit:
    """Set a limit in minor units, tables or minutes, or take it away (None).

    A lower one applies at once; a higher one, or none, after a day (`RAISE_WAITS`).
    Raise `LimitOutOfRange` for a figure or a period that is not offered, and
    `ReauthenticationRequired` for a raise by a player who has not just proved who they are.
    """
    if scope.period not in PERIODS_OF.get(scope.kind, ()):
        raise LimitOutOfRange(_("There is no such limit."))
    if scope.kind not in OF_NUMBERS:
        refuse_currency(scope.currency)
    if most is not None and not 1 <= most <= _most_of(scope.kind):
        raise LimitOutOfRange(
            _("Choose a figure from 1 to %(most)d.") % {"most": _most_of(scope.kind)}
        )
    player = User.objects.locked().get(pk=player.pk)
    return note_limit(player, scope, most, is_proved=is_proved)


def _most_of(kind: OwnLimit.Kind) -> int:
    known = {OwnLimit.Kind.TABLES: TABLES_MOST, OwnLimit.Kind.TIME: MINUTES_MOST}
    return known.get(kind, MINOR_UNITS_MAX)


def sentence_of(act: OwnLimit) -> str:
    """Return what players read after they set a limit: from when on it applies."""
    if act.applies_at == act.asked_at:
        return _("Your limit applies from now on.")
    return _("Your limit is raised after 24 hours.")
