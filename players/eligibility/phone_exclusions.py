"""Self-exclusions found again by a mobile number.

Numbers are not verified and households share them, so a number says less than an address or a PAN:
it stops who gives it after another account that gave it was excluded, nobody who had given it
before either of the two, and not for a break of some days. Staff tell two people apart by
documents.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.db.models import Exists, OuterRef, Q, QuerySet

from core.clock import DatabaseNow, Moment
from players.accounts.models import User
from players.eligibility.break_models import Break
from players.identity.states import may_be_of, only_own
from players.phones.models import PhoneNumber

# A changed number counts towards the changes of a day until then.
FORGOTTEN_AFTER: Final = timedelta(days=1)


@dataclass(frozen=True)
class PhoneExclusion:
    """An exclusion of another account; `since` is when the player gave its number."""

    since: datetime
    until: datetime | None


def phone_exclusion_of(player: User) -> PhoneExclusion | None:
    """Return the exclusion that the player's numbers lead to, the one that ends last."""
    found = []
    numbers = PhoneNumber.objects.filter(may_be_of(player)).order_by("given_at", "pk")
    for number in _first_of_each(only_own(list(numbers), player)):
        others = _given_by_others(number).filter(given_at__lt=number.given_at).values("player")
        excluded_then = _exclusions(number.given_at).filter(began_at__lt=number.given_at)
        players = excluded_then.filter(player__in=others).values("player")
        running = _exclusions(DatabaseNow()).filter(player__in=players)
        ends = running.values_list("ends_at", flat=True)
        found += [PhoneExclusion(since=number.given_at, until=end) for end in ends]
    return max(found, key=lambda each: (each.until is None, each.until or each.since), default=None)


def forget_numbers(*, now: datetime) -> int:
    """Delete numbers that were changed, removed or left behind, and that no exclusion needs."""
    former = PhoneNumber.objects.filter(replaced_at__lte=now - FORGOTTEN_AFTER)
    return _unneeded(former, now).delete()[0]


def forget_numbers_of(player: User) -> None:
    """Delete at once what no exclusion needs of the numbers of an account being closed."""
    former = PhoneNumber.objects.of_player(player).filter(replaced_at__isnull=False)
    _unneeded(former, DatabaseNow()).delete()


def _unneeded(numbers: QuerySet[PhoneNumber], now: Moment) -> QuerySet[PhoneNumber]:
    running = _exclusions(now)
    is_excluded = Exists(running.filter(player=OuterRef("player")))
    # One that stops its player goes on to, when they change it.
    same = PhoneNumber.objects.filter(number_hash=OuterRef(OuterRef("number_hash")))
    is_of_another = Exists(running.filter(player__in=same.values("player")))
    return numbers.filter(~Q(is_excluded), ~Q(is_of_another))


def _first_of_each(numbers: Iterable[PhoneNumber]) -> list[PhoneNumber]:
    """Return when each number was given first: one given again is no other, nor told apart less."""
    first: dict[str, PhoneNumber] = {}
    told_apart = set()
    for number in numbers:
        first.setdefault(number.number_hash, number)
        if number.told_apart_at is not None:
            told_apart.add(number.number_hash)
    return [number for key, number in first.items() if key not in told_apart]


def _given_by_others(number: PhoneNumber) -> QuerySet[PhoneNumber]:
    same = PhoneNumber.objects.filter(number_hash=number.number_hash)
    return same.exclude(player=number.player_id)


def _exclusions(moment: Moment) -> QuerySet[Break]:
    return Break.objects.filter(kind=Break.Kind.EXCLUSION).running_at(moment)
