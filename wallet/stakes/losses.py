"""A player's losses and money in games, checked against their own limits.

A stake counts from its payment, less what was refunded, bonus money included; wins count from their
payout. So money in play counts as lost until the game ends.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db.models import F, QuerySet, Sum
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from moneyed import Money

from core.clock import database_now
from players.accounts.models import User
from players.eligibility.verdicts import ALLOWED, Verdict
from players.exceptions import LossLimitReached, StakeLimitReached
from players.limits.models import OwnLimit
from players.limits.own_limits import Scope, limit_states, limits_of, person_of
from wallet.ledger.models import Account, Bucket, Entry, Transfer
from wallet.ledger.money import PLAY_POINTS, as_money, as_text, minor_units
from wallet.stakes.models import StakePart

ON_STAKES: Final = (OwnLimit.Kind.STAKE, OwnLimit.Kind.LOSS)


@dataclass(frozen=True, slots=True)
class LimitsLeft:
    """What a player's own limits leave for further stakes in one currency."""

    left: tuple[tuple[OwnLimit, int], ...] = ()
    """Each limit in force with the minor units left, those of one game first."""

    def verdict(self, entry: Money) -> Verdict:
        """Return whether the limits allow this stake."""
        for limit, left_minor in self.left:
            if minor_units(entry) > left_minor:
                return _refused(limit, entry, max(left_minor, 0))
        return ALLOWED


def limits_left(player: User, currency: str, *, escrow: Account | None = None) -> LimitsLeft:
    """Return what the player's own limits leave for stakes in this game, by default a new one.

    Play points have no such limits (RB 11.3).
    """
    if currency == PLAY_POINTS:
        return LimitsLeft()
    return LimitsLeft(
        tuple(
            (limit, (limit.amount_minor or 0) - used_of(limit, person_of(player), escrow=escrow))
            for limit in _in_force(player, currency)
        )
    )


def stake_verdict(*, player: User, escrow: Account, entry: Money) -> Verdict:
    """Return whether the player's own limits allow a cash stake.

    The caller has locked the player's accounts, so that the second of two concurrent stakes counts
    the first.
    """
    return limits_left(player, escrow.currency, escrow=escrow).verdict(entry)


def limits_on_stakes(player: User, currency: str) -> QuerySet[OwnLimit]:
    """Return the changes of limits that `stake_verdict` reads; none for play points."""
    if currency == PLAY_POINTS:
        return OwnLimit.objects.none()
    return limits_of(player, *ON_STAKES).filter(currency=currency)


def used_of(limit: OwnLimit, person: Sequence[int], *, escrow: Account | None = None) -> int:
    """Return how many minor units of a limit on stakes or losses are used."""
    if limit.kind == OwnLimit.Kind.LOSS:
        since = database_now() - OwnLimit.SPAN[limit.period]
        return net_loss(person, limit.currency, since)
    put_in = _own_parts(person, limit.currency).filter(stake__escrow=escrow)
    return _left_in(put_in)


def net_loss(person: Sequence[int], currency: str, since: datetime) -> int:
    """Return stakes since a time, less refunds and wins; 0 for a gain."""
    stakes = _left_in(_own_parts(person, currency).filter(stake__created_at__gt=since))
    prizes = Entry.objects.filter(
        account__player__in=person,
        account__kind=Account.Kind.WINNINGS,
        currency=currency,
        transfer__kind=Transfer.Kind.PRIZE,
        transfer__created_at__gt=since,
    ).aggregate(sum=Sum("amount_minor"))
    stacks = StakePart.objects.filter(
        stake__player__in=person,
        stake__closed_at__gt=since,
        account__currency=currency,
        is_won=True,
    ).aggregate(sum=Sum("returned_minor"))
    return max(stakes - int(prizes["sum"] or 0) - int(stacks["sum"] or 0), 0)


def _own_parts(person: Sequence[int], currency: str) -> QuerySet[StakePart]:
    """Return the parts paid from the person's buckets; tickets were won, not paid."""
    return StakePart.objects.filter(
        stake__player__in=person,
        account__kind__in=Bucket.values,
        account__currency=currency,
        is_won=False,
    )


def _left_in(parts: QuerySet[StakePart]) -> int:
    found = parts.aggregate(sum=Sum(F("amount_minor") - F("returned_minor")))
    return int(found["sum"] or 0)


def _in_force(player: User, currency: str) -> Iterator[OwnLimit]:
    """Yield the limits with an amount: the stake of one game first, then the shortest period."""
    found = limit_states(player, *ON_STAKES)
    for scope in [
        Scope(OwnLimit.Kind.STAKE, currency),
        *(Scope(OwnLimit.Kind.LOSS, currency, period) for period in OwnLimit.Period),
    ]:
        act = found[scope].in_force
        if act is not None and act.amount_minor is not None:
            yield act


def _refused(limit: OwnLimit, entry: Money, left_minor: int) -> Verdict:
    figures = {
        "limit": as_text(as_money(limit.amount_minor or 0, limit.currency)),
        "period": limit.get_period_display(),
        "left": as_text(as_money(left_minor, limit.currency)),
        "entry": as_text(entry),
        "since": date_format(timezone.localtime(limit.applies_at), "j M Y, H:i"),
    }
    if limit.kind == OwnLimit.Kind.STAKE:
        said = _(
            "Your own limit since %(since)s is %(limit)s in one game; %(left)s of it is left, "
            "and this costs %(entry)s."
        )
        todo = _("Choose a game with a lower entry.")
        return Verdict(StakeLimitReached, f"{said % figures} {todo}", since=limit.applies_at)
    said = _(
        "Your own loss limit since %(since)s is %(limit)s in %(period)s; %(left)s of it is left, "
        "and this costs %(entry)s. Money in running games counts until they end."
    )
    todo = _("Choose a lower entry, or come back when older losses no longer count.")
    return Verdict(LossLimitReached, f"{said % figures} {todo}", since=limit.applies_at)
