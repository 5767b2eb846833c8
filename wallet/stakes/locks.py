"""The lock on stakes: the functions that take it, and the type that proves it is held."""

from __future__ import annotations

from typing import NewType

from django.db import transaction

from wallet.stakes.models import Stake, StakeQuerySet

# A stake whose row this transaction has locked. Only the functions below create one; functions
# that change a stake take one, so the type checker proves that the lock is held.
LockedStake = NewType("LockedStake", Stake)


def lock_stake(stake_id: int) -> LockedStake:
    """Lock a stake. Raise `Stake.DoesNotExist` if there is none."""
    _require_transaction()
    return LockedStake(Stake.objects.locked().get(pk=stake_id))


def lock_stakes(stakes: StakeQuerySet) -> list[LockedStake]:
    """Lock these stakes in primary key order."""
    _require_transaction()
    return [LockedStake(stake) for stake in stakes.locked()]


def _require_transaction() -> None:
    assert transaction.get_connection().in_atomic_block, "a lock needs a transaction"
