"""What may keep a player from an action, looked for in one statement.

Most players have no break, hold or doubt. What exists is read in detail by `verdicts`.
"""

from __future__ import annotations

from datetime import datetime
from functools import cache
from typing import NamedTuple

from django.db.models import Exists

from core.clock import DatabaseNow
from core.db.statements import CompiledQuery
from players.accounts.models import User
from players.accounts.verified_email import current_addresses
from players.eligibility.break_models import Break
from players.eligibility.hold_models import Hold
from players.eligibility.phone_exclusions import numbers_of_excluded
from players.eligibility.places.doubt_models import PlaceDoubt
from players.identity.states import compiled_by_person
from players.identity.tax_number_models import TaxNumber


class Restrictions(NamedTuple):
    """Which rows exist for a player at `now`; each but the address may refuse an action."""

    has_break: bool
    has_former_number: bool
    has_excluded_number: bool
    has_hold: bool
    has_doubt: bool
    has_verified_email: bool
    now: datetime


def find_restrictions(player: User, held: Hold.Kind) -> Restrictions:
    """Return what exists for a player, with active holds of one kind.

    Breaks and numbers include those of closed accounts that may be the player's.
    """
    (row,) = _found_of(held).rows(player)
    return Restrictions(*row)


@cache
def _found_of(held: Hold.Kind) -> CompiledQuery[User]:
    return compiled_by_person(
        lambda player: User.objects.filter(pk=player.pk).values_list(
            Exists(Break.objects.of_person(player).running_at(DatabaseNow())),
            Exists(TaxNumber.objects.former_of(player)),
            Exists(numbers_of_excluded(player)),
            Exists(Hold.objects.active().filter(player=player, kind=held)),
            Exists(PlaceDoubt.objects.open().filter(player=player)),
            Exists(current_addresses(player)),
            DatabaseNow(),
        )
    )
