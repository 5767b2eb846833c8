"""The lock on a tournament: the functions that take it, and the type that proves it is held."""

from __future__ import annotations

from typing import NewType

from django.db import transaction

from tournaments.planning.models import Tournament, TournamentQuerySet

# A tournament whose row this transaction has locked. Only the functions below make one; steps that
# change a tournament take it, so that the type checker proves that the lock is held.
LockedTournament = NewType("LockedTournament", Tournament)


def lock_tournament(tournament_id: int) -> LockedTournament:
    """Lock a tournament. Raise `Tournament.DoesNotExist` if there is none."""
    return LockedTournament(_lockable().get(pk=tournament_id))


def lock_tournament_of_entry(entry_id: int) -> LockedTournament:
    """Lock the tournament of an entry. Raise `Tournament.DoesNotExist` if there is none."""
    return LockedTournament(_lockable().get(entries=entry_id))


def lock_tournament_of_act(act_id: int) -> LockedTournament:
    """Lock the tournament of an act of staff. Raise `Tournament.DoesNotExist` if there is none."""
    return LockedTournament(_lockable().get(staff_acts=act_id))


def lock_if_free(tournaments: TournamentQuerySet) -> LockedTournament | None:
    """Lock the first of these tournaments that no other transaction has locked, if there is one."""
    _require_transaction()
    tournament = tournaments.locked(skip_locked=True).first()
    return None if tournament is None else LockedTournament(tournament)


def lock_tournaments(tournaments: TournamentQuerySet) -> list[LockedTournament]:
    """Lock these tournaments in the order of their keys."""
    _require_transaction()
    return [LockedTournament(tournament) for tournament in tournaments.locked()]


def _lockable() -> TournamentQuerySet:
    _require_transaction()
    return Tournament.objects.locked()


def _require_transaction() -> None:
    assert transaction.get_connection().in_atomic_block, "a lock lasts as long as a transaction"
