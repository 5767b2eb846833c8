"""A player's own limits: those in force, pending increases, and changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from django.db import transaction

from core.clock import DatabaseNow, database_now
from players.accounts.models import User
from players.identity.states import former_accounts
from players.sign_in.security.changes import record_change
from players.sign_in.security.models import AccountChange
from players.sign_in.security.proof import reauthentication_required
from wallet.limits.models import OF_NUMBERS, OwnLimit

RAISE_WAITS: Final = timedelta(hours=24)


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


def limit_states(person: Sequence[int], *kinds: OwnLimit.Kind) -> dict[Scope, LimitState]:
    """Return the states of a person's own limits of these kinds, by scope."""
    found = OwnLimit.objects.filter(player__in=person, kind__in=kinds).latest_first()
    acts: list[Any] = list(found.annotate(read_at=DatabaseNow()))
    if not acts:
        return {}
    by_scope: dict[Scope, list[OwnLimit]] = {}
    for act in acts:
        by_scope.setdefault(_scope_of(act), []).append(act)
    now = acts[0].read_at
    return {scope: _state_of(of_scope, now) for scope, of_scope in by_scope.items()}


def note_limit(player: User, scope: Scope, most: int | None, *, is_proved: bool) -> OwnLimit:
    """Add a change of a scope's limit, None for no limit; the caller holds the player's lock.

    A lower limit applies at once; a higher one, or none, after `RAISE_WAITS`. Raise
    `ReauthenticationRequired` for an increase unless the player has just signed in again.
    """
    assert transaction.get_connection().in_atomic_block, "the player's lock is held"
    own = limit_states(person_of(player), scope.kind).get(scope, LimitState()).most
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


def _scope_of(act: OwnLimit) -> Scope:
    return Scope(OwnLimit.Kind(act.kind), act.currency, act.period)


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
