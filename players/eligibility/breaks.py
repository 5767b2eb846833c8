"""Start a break from play, and find the running one."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.db import connection, transaction
from django.utils.translation import gettext as _

from core.clock import DatabaseNow, database_now
from players.accounts.models import User
from players.eligibility.break_models import COOL_OFF_MAX, COOL_OFF_MIN, EXCLUSION_MIN, Break
from players.eligibility.places.regions import OFFERS_LOCK
from players.exceptions import BreakTooShort
from players.identity.states import accounts_of_address, former_tax_numbers

# Advisory lock with a player's key: shared for actions, exclusive for a new break or hold.
BREAKS_LOCK: Final = 5310


@transaction.atomic(durable=True)
def take_break(*, player: User, kind: Break.Kind, length: timedelta | None) -> Break:
    """Start a break now; `length` None makes a self-exclusion permanent.

    Actions already in progress are committed first and remain valid; later ones are refused.
    Raise `BreakTooShort` for a length that is not offered, or that ends before a running break.
    """
    _refuse_length(kind, length)
    wait_for_acts(player)
    now = database_now()
    ends_at = None if length is None else now + length
    running = break_in_force(player)
    if running is not None and _ends_later(running.ends_at, ends_at):
        raise BreakTooShort(_("Your current break ends later. Choose a longer one."))
    return Break.objects.create(player=player, kind=kind, began_at=now, ends_at=ends_at)


def break_in_force(player: User) -> Break | None:
    """Return the running break of a player that ends last; a permanent one comes first.

    A break of a closed account applies to a new account with the same verified address.
    """
    return running_breaks(player).own


@dataclass(frozen=True, slots=True)
class RunningBreaks:
    """A player's own break, and whether a closed account with their PAN has a running break."""

    own: Break | None
    is_linked: bool


NO_BREAKS: Final = RunningBreaks(own=None, is_linked=False)


def running_breaks(player: User) -> RunningBreaks:
    """Return the breaks that keep a player from playing now.

    A break found by PAN is never shown, because a player can enter another person's PAN. It counts
    if the closed account had the PAN when the break began, and the player is verified.
    """
    found = list(Break.objects.of_person(player).running_at(DatabaseNow()))
    if any(each.player_id != player.pk for each in found):
        own = {player.pk, *accounts_of_address(player)}
        given = former_tax_numbers(player)
    else:
        own, given = {player.pk}, {}
    mine = [each for each in found if each.player_id in own]
    is_linked = any(
        each.player_id not in own
        and each.player_id in given
        and given[each.player_id] <= each.began_at
        for each in found
    )
    return RunningBreaks(max(mine, key=_end, default=None), is_linked)


def _end(running: Break) -> tuple[bool, datetime]:
    return running.ends_at is None, running.ends_at or running.began_at


def wait_for_acts(player: User) -> None:
    """Lock exclusively: wait until the player's actions are committed, and block new ones."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s, %s)", [BREAKS_LOCK, _key_of(player)])


def hold_breaks(player: User) -> None:
    """Block new breaks, holds and offers until the transaction ends; outside one, do nothing."""
    if connection.in_atomic_block:
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT pg_advisory_xact_lock_shared(%s, 0), pg_advisory_xact_lock_shared(%s, %s)",
                [OFFERS_LOCK, BREAKS_LOCK, _key_of(player)],
            )


def outlasts_closing(player: User) -> bool:
    """Return whether a break is running, which stays in force after the account is closed."""
    return Break.objects.filter(player=player).running_at(DatabaseNow()).exists()


def _refuse_length(kind: Break.Kind, length: timedelta | None) -> None:
    if kind == Break.Kind.COOL_OFF:
        if length is None or not COOL_OFF_MIN <= length <= COOL_OFF_MAX:
            raise BreakTooShort(_("A break lasts from one day to six weeks."))
    elif length is not None and length < EXCLUSION_MIN:
        raise BreakTooShort(_("A self-exclusion lasts at least six months."))


def _ends_later(running: datetime | None, other: datetime | None) -> bool:
    """Return whether a running break ends after `other`; None means permanent."""
    if running is None:
        return other is not None
    return other is not None and running > other


def _key_of(player: User) -> int:
    """Return the lower 31 bits of the key. A collision only makes two players wait."""
    return int(player.pk) % 2**31
