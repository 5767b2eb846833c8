"""Set a player's own limits, and find those in force and the pending increases.

What is used of a limit is counted where it arises: deposits, losses and stakes in the wallet, time
and tables in tables.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from typing import Final

from django.conf import settings
from django.db import models, transaction
from django.utils.translation import gettext as _

from core.clock import DatabaseNow, database_now
from core.db.statements import CompiledQuery, model_from_row
from players.accounts.models import User
from players.exceptions import LimitOutOfRange
from players.identity.states import compiled_by_person, former_accounts, is_of_person
from players.limits.models import OF_NUMBERS, OwnLimit
from players.sign_in.security.changes import record_change
from players.sign_in.security.models import AccountChange
from players.sign_in.security.proof import reauthentication_required

RAISE_WAITS: Final = timedelta(hours=24)
# The kinds and periods that can be set here; those on deposits are in wallet.deposits.limits.
PERIODS_OF: Final[dict[OwnLimit.Kind, tuple[str, ...]]] = {
    OwnLimit.Kind.LOSS: (OwnLimit.Period.DAY, OwnLimit.Period.WEEK, OwnLimit.Period.MONTH),
    OwnLimit.Kind.STAKE: ("",),
    OwnLimit.Kind.TABLES: ("",),
    OwnLimit.Kind.TIME: (OwnLimit.Period.DAY,),
}
MOST_OF: Final = {OwnLimit.Kind.TABLES: 20, OwnLimit.Kind.TIME: 24 * 60}


@dataclass(frozen=True)
class Scope:
    """The subject of a limit; `currency` is empty for tables and minutes, `period` if it has
    none."""

    kind: OwnLimit.Kind
    currency: str = ""
    period: str = ""


@dataclass(frozen=True)
class LimitState:
    """The change in force on a scope, and the pending increase; None where there is none."""

    in_force: OwnLimit | None = None
    # Its `most` is None if the limit ends.
    coming: OwnLimit | None = None

    @property
    def most(self) -> int | None:
        return self.in_force.most if self.in_force else None


def person_of(player: User) -> list[int]:
    """Return the primary keys of a player's account and closed accounts, which count too."""
    return [player.pk, *former_accounts(player)]


def limits_of(player: User, *kinds: OwnLimit.Kind) -> models.QuerySet[OwnLimit]:
    """Return all changes of a person's limits of these kinds, newest first."""
    return OwnLimit.objects.filter(is_of_person(player), kind__in=kinds)


def limit_states(player: User, *kinds: OwnLimit.Kind) -> defaultdict[Scope, LimitState]:
    """Return the states of a person's own limits of these kinds, by scope.

    Limits of closed accounts of the same person apply too.
    """
    states: defaultdict[Scope, LimitState] = defaultdict(LimitState)
    found = _acts_of(kinds).rows(player)
    if not found:
        return states
    by_scope: dict[Scope, list[OwnLimit]] = {}
    now = found[0][-1]
    for *values, _read_at in found:
        act = model_from_row(OwnLimit, tuple(values))
        scope = Scope(OwnLimit.Kind(act.kind), act.currency, act.period)
        by_scope.setdefault(scope, []).append(act)
    states.update((scope, _state_of(of_scope, now)) for scope, of_scope in by_scope.items())
    return states


@cache
def _acts_of(kinds: tuple[OwnLimit.Kind, ...]) -> CompiledQuery[User]:
    """Return the changes of these kinds, newest first, each with the time at which it is read."""
    columns = [field.attname for field in OwnLimit._meta.concrete_fields]
    return compiled_by_person(
        lambda player: limits_of(player, *kinds).values_list(*columns, DatabaseNow())
    )


@transaction.atomic(durable=True)
def set_own_limit(*, player: User, scope: Scope, most: int | None, is_proved: bool) -> OwnLimit:
    """Set a limit in minor units, tables or minutes, or remove it (None).

    A lower one applies at once; a higher one, or none, after a day (`RAISE_WAITS`). Raise
    `LimitOutOfRange` for a value, period or currency that is not offered, and
    `ReauthenticationRequired` for an increase unless the player has just signed in again.
    """
    if not any(scope in scopes_in(currency) for currency in settings.CASH_CURRENCIES):
        raise LimitOutOfRange(_("Choose one of the limits offered."))
    ceiling = MOST_OF.get(scope.kind, models.BigIntegerField.MAX_BIGINT)
    if most is not None and not 1 <= most <= ceiling:
        raise LimitOutOfRange(_("Enter a number from 1 to %(most)d.") % {"most": ceiling})
    return note_limit(User.objects.locked().get(pk=player.pk), scope, most, is_proved=is_proved)


def scopes_in(currency: str) -> list[Scope]:
    """Return all limits that can be set here, those on money in this currency."""
    return [
        Scope(kind, "" if kind in OF_NUMBERS else currency, period)
        for kind, periods in PERIODS_OF.items()
        for period in periods
    ]


def note_limit(player: User, scope: Scope, most: int | None, *, is_proved: bool) -> OwnLimit:
    """Add a change of a scope's limit, None for no limit; the caller holds the player's lock.

    A lower limit applies at once; a higher one, or none, after `RAISE_WAITS`. Raise
    `ReauthenticationRequired` for an increase unless the player has just signed in again.
    """
    assert transaction.get_connection().in_atomic_block, "the player's lock is held"
    own = limit_states(player, scope.kind)[scope].most
    is_raise = own is not None and (most is None or most > own)
    if is_raise and not is_proved:
        raise reauthentication_required()
    now = database_now()
    figure = "number" if scope.kind in OF_NUMBERS else "amount_minor"
    limit = OwnLimit.objects.create(
        player=player,
        kind=scope.kind,
        currency=scope.currency,
        period=scope.period,
        asked_at=now,
        applies_at=now + RAISE_WAITS if is_raise else now,
        **{figure: most},
    )
    if is_raise:
        record_change(
            player=player,
            kind=AccountChange.Kind.LIMIT_RAISED,
            subject=limit.get_kind_display(),
            happens_at=limit.applies_at,
        )
    return limit


def _state_of(acts: Sequence[OwnLimit], now: datetime) -> LimitState:
    """Return the state of one scope from its changes, newest first.

    A change that was replaced before it applied is ignored.
    """
    coming = replaced_at = None
    for act in acts:
        if act.applies_at <= now and (replaced_at is None or act.applies_at <= replaced_at):
            return LimitState(act, coming)
        if replaced_at is None:
            coming = act
        replaced_at = act.asked_at
    return LimitState(None, coming)


def confirmation_of(limit: OwnLimit) -> str:
    """Return the message to a player who has set a limit: when it applies."""
    if limit.applies_at == limit.asked_at:
        return _("Your limit applies now.")
    return _("Your limit increases after 24 hours.")
