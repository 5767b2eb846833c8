"""A player's own limits, each with the amount used and the pending change."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from core.clock import database_now
from players.accounts.models import User
from players.limits.models import OwnLimit
from players.limits.own_limits import (
    PERIODS_OF,
    LimitState,
    Scope,
    limit_states,
    person_of,
    scopes_in,
)
from tables.responsible.verdicts import tables_of, time_today
from wallet.ledger.amounts import Amount
from wallet.stakes.losses import net_loss


@dataclass(frozen=True, slots=True)
class OwnLimitFigure:
    """The figure of a limit: money, or a number of tables or minutes; null for no limit."""

    amount: Amount | None = None
    number: int | None = None


@dataclass(frozen=True, slots=True)
class OwnLimitChange(OwnLimitFigure):
    """A pending raise; without a figure the limit ends."""

    applies_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class OwnLimitRow:
    """One limit that a player may set."""

    kind: str
    # "day", "week" or "month"; empty for limits that apply at any moment.
    period: str
    currency: str
    own: OwnLimitFigure
    # Null for a stake, because each game counts separately.
    used: OwnLimitFigure | None
    coming: OwnLimitChange | None

    @property
    def name(self) -> str:
        return str(OwnLimit.Kind(self.kind).label)

    @property
    def period_name(self) -> str:
        return str(OwnLimit.Period(self.period).label) if self.period else ""


def limit_rows(player: User, currency: str) -> list[OwnLimitRow]:
    """Return all limits of a player, whether set or not."""
    person = person_of(player)
    found = limit_states(player, *PERIODS_OF)
    return [_row(player, person, scope, found[scope]) for scope in scopes_in(currency)]


def _row(player: User, person: list[int], scope: Scope, state: LimitState) -> OwnLimitRow:
    coming = state.coming
    return OwnLimitRow(
        kind=scope.kind,
        period=scope.period,
        currency=scope.currency,
        own=OwnLimitFigure(*_figures(scope, state.in_force)),
        used=_used(player, person, scope),
        coming=OwnLimitChange(*_figures(scope, coming), coming.applies_at) if coming else None,
    )


def _figures(scope: Scope, act: OwnLimit | None) -> tuple[Amount | None, int | None]:
    if act is None:
        return None, None
    return Amount.maybe(act.amount_minor, scope.currency), act.number


def _used(player: User, person: list[int], scope: Scope) -> OwnLimitFigure | None:
    if scope.kind == OwnLimit.Kind.LOSS:
        since = database_now() - OwnLimit.SPAN[scope.period]
        return OwnLimitFigure(
            amount=Amount.of(net_loss(person, scope.currency, since), scope.currency)
        )
    if scope.kind == OwnLimit.Kind.TABLES:
        return OwnLimitFigure(number=tables_of(person))
    if scope.kind == OwnLimit.Kind.TIME:
        return OwnLimitFigure(number=time_today(player).played // timedelta(minutes=1))
    return None
