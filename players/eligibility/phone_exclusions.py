"""Self-exclusions found again by a mobile number.

Only numbers proved by a code count, so that nobody learns or changes anything with a number of
somebody else's. Households share numbers: one stops a player who proves it after another account,
which had proved it by then and still held it, was excluded; nobody who had proved it before, and
not for a break of some days. Staff tell two people apart by documents.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Final

from django.db.models import Exists, OuterRef, Q, QuerySet

from core.clock import DatabaseNow, Moment
from players.accounts.models import User
from players.eligibility.break_models import Break
from players.identity.phones.models import PhoneNumber
from players.identity.states import may_be_of, only_own

# A changed number counts towards the changes of a day until then.
FORGOTTEN_AFTER: Final = timedelta(days=1)


def is_stopped_by_number(player: User) -> bool:
    """Return whether a number that the player has proved is one of an excluded player."""
    proved = PhoneNumber.objects.filter(may_be_of(player), proved_at__isnull=False)
    numbers = _first_of_each(only_own(list(proved.order_by("proved_at", "pk")), player))
    running = _exclusions(DatabaseNow())
    return any(running.filter(player__in=_excluded(number)).exists() for number in numbers)


def _excluded(number: PhoneNumber) -> QuerySet[Break, int]:
    """Return the other players who were excluded with this number before it was proved here."""
    others = PhoneNumber.objects.filter(
        Q(replaced_at=None) | Q(replaced_at__gt=OuterRef("began_at")),
        number_hash=number.number_hash,
        player=OuterRef("player"),
        proved_at__lte=OuterRef("began_at"),
    ).exclude(player=number.player_id)
    assert number.proved_at is not None, "only proved numbers are compared"
    begun = _exclusions(number.proved_at).filter(Exists(others), began_at__lt=number.proved_at)
    return begun.values_list("player", flat=True)


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
    same = PhoneNumber.objects.filter(
        number_hash=OuterRef(OuterRef("number_hash")), proved_at__isnull=False
    )
    is_of_another = Exists(running.filter(player__in=same.values("player")))
    # Unproved numbers are deleted whether or not others have them: a kept one would reveal it.
    return numbers.filter(Q(proved_at=None) | ~Q(is_excluded) & ~Q(is_of_another))


def _first_of_each(numbers: Iterable[PhoneNumber]) -> list[PhoneNumber]:
    """Return each number as it was first proved; proving it again changes nothing."""
    first: dict[str, PhoneNumber] = {}
    told_apart = set()
    for number in numbers:
        first.setdefault(number.number_hash, number)
        if number.told_apart_at is not None:
            told_apart.add(number.number_hash)
    return [number for key, number in first.items() if key not in told_apart]


def _exclusions(moment: Moment) -> QuerySet[Break]:
    return Break.objects.filter(kind=Break.Kind.EXCLUSION).running_at(moment)
