"""Lock tournaments; the type `LockedTournament` proves that the lock is held."""

from __future__ import annotations

from typing import NewType

from django.db import transaction

from tournaments.planning.models import Tournament, TournamentQuerySet

# A tournament whose row is locked by this transaction. Only the functions below create one.
# Functions that change a tournament take this type, so mypy checks that the lock is held.
LockedTournament = NewType("LockedTournament", Tournament)


def lock_tournament(**of: int) -> LockedTournament:
    """Lock a tournament by its key `pk`, or by that of its `entries` or `staff_actions`.

    Raise `Tournament.DoesNotExist` if there is none.
    """
    _require_transaction()
    return LockedTournament(Tournament.objects.locked().get(**of))


def lock_if_free(tournaments: TournamentQuerySet) -> LockedTournament | None:
    """Lock the first of these tournaments that is not locked by others, or return None."""
    _require_transaction()
    tournament = tournaments.locked(skip_locked=True).first()
    return None if tournament is None else LockedTournament(tournament)


def lock_tournaments(tournaments: TournamentQuerySet) -> list[LockedTournament]:
    """Lock these tournaments in the order of their primary keys."""
    _require_transaction()
    return [LockedTournament(tournament) for tournament in tournaments.locked()]


def _require_transaction() -> None:
    assert transaction.get_connection().in_atomic_block, "a lock lasts as long as a transaction"
