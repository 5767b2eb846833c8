"""Apply self-exclusions to other accounts with the same mobile number.

Only numbers proved by a code count, so that another person's number reveals and changes nothing.
Members of a household may share a number. It stops a player who proves it after another account,
which had proved it and still had it, was excluded. It does not stop players who proved it earlier,
and a break of some days has no such effect. Staff can distinguish two people by their documents.
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

# A changed number counts towards the daily limit of changes for this long.
FORGOTTEN_AFTER: Final = timedelta(days=1)


def numbers_of_excluded(player: User) -> QuerySet[PhoneNumber]:
    """Return the numbers the player may have proved that an excluded player has or had.

    Without one, `is_stopped_by_number` is False.
    """
    excluded = _exclusions(DatabaseNow()).values("player")
    theirs = PhoneNumber.objects.filter(player__in=excluded).values("number_hash")
    return _proved(player).filter(number_hash__in=theirs)


def is_stopped_by_number(player: User) -> bool:
    """Return whether a number that the player has proved belongs to an excluded player."""
    proved = _proved(player)
    numbers = _first_of_each(only_own(list(proved.order_by("proved_at", "pk")), player))
    running = _exclusions(DatabaseNow())
    return any(running.filter(player__in=_excluded(number)).exists() for number in numbers)


def _proved(player: User) -> QuerySet[PhoneNumber]:
    return PhoneNumber.objects.filter(may_be_of(player), proved_at__isnull=False)


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
    """Delete former numbers that no self-exclusion needs; return how many."""
    former = PhoneNumber.objects.filter(replaced_at__lte=now - FORGOTTEN_AFTER)
    return _unneeded(former, now).delete()[0]


def forget_numbers_of(player: User) -> None:
    """Delete the former numbers of an account being closed that no self-exclusion needs."""
    former = PhoneNumber.objects.of_player(player).filter(replaced_at__isnull=False)
    _unneeded(former, DatabaseNow()).delete()


def _unneeded(numbers: QuerySet[PhoneNumber], now: Moment) -> QuerySet[PhoneNumber]:
    running = _exclusions(now)
    is_excluded = Exists(running.filter(player=OuterRef("player")))
    # A number that stops its player still does after the player has changed it.
    same = PhoneNumber.objects.filter(
        number_hash=OuterRef(OuterRef("number_hash")), proved_at__isnull=False
    )
    is_of_another = Exists(running.filter(player__in=same.values("player")))
    # Unproved numbers are deleted whether or not others have them: a kept one would reveal it.
    return numbers.filter(Q(proved_at=None) | ~Q(is_excluded) & ~Q(is_of_another))


def _first_of_each(numbers: Iterable[PhoneNumber]) -> list[PhoneNumber]:
    """Return the first proof of each number, without those distinguished by staff."""
    first: dict[str, PhoneNumber] = {}
    distinguished = set()
    for number in numbers:
        first.setdefault(number.number_hash, number)
        if number.distinguished_at is not None:
            distinguished.add(number.number_hash)
    return [number for key, number in first.items() if key not in distinguished]


def _exclusions(moment: Moment) -> QuerySet[Break]:
    return Break.objects.filter(kind=Break.Kind.EXCLUSION).running_at(moment)
