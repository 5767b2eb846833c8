"""Expiry of bonuses: the remainder of a lot returns to promotions (RB 11.1)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import structlog
from django.db import transaction

from core.clock import database_now
from wallet.bonuses import bonuses
from wallet.bonuses.bonuses import LockedLot
from wallet.bonuses.models import BonusGrant
from wallet.ledger import accounts, posting
from wallet.ledger.models import Account, Transfer

log = structlog.get_logger(__name__)


def expire_due_bonuses() -> int:
    """Expire every lot past its end and return how many.

    Idempotent and safe to run concurrently: each lot has its own transaction, and lots that are
    locked
    or whose account is frozen are left to the next run.
    """
    due = BonusGrant.objects.due(database_now()).exclude(account__status=Account.Status.FROZEN)
    due = bonuses.without_frozen(due)
    expired = 0
    for pk in list(due.soonest_ending().values_list("pk", flat=True)):
        try:
            expired += expire_bonus(grant_id=pk)
        except Exception:  # One failing lot must not stop the others.
            log.exception("bonus_not_expired", bonus=pk)
    return expired


@transaction.atomic
def expire_bonus(*, grant_id: int) -> bool:
    """Expire one lot if it is past its end, not frozen and not locked."""
    now = database_now()
    lots = BonusGrant.objects.due(now).select_related("account__player")
    lot = lots.locked(skip_locked=True).filter(pk=grant_id).first()
    if lot is None or not bonuses.has_ended(lot, now):
        return False
    _take_back(lot)
    return True


def lock_ended(
    lots: Iterable[LockedLot], accounts_moved: Iterable[Account | int], *, currency: str
) -> list[BonusGrant]:
    """Return the lots past their end, to which refunds cannot return; the caller has locked them.

    Moving refunds on to promotions takes a second posting in the same transaction, so the accounts
    of both are locked here, in order.
    """
    lots = list(lots)
    live = bonuses.not_ended(lots)
    ended = [lot for lot in lots if lot not in live]
    if not ended:
        return []
    promotions = accounts.operator_account(kind=Account.Kind.PROMOTIONS, currency=currency)
    locked = posting.lock([*accounts_moved, *(lot.account_id for lot in ended), promotions])
    # A frozen account cannot be debited: its lots wait for the sweep.
    return [lot for lot in ended if locked[lot.account_id].status == Account.Status.OPEN]


def return_to_lots(
    transfer: Transfer, returned: Mapping[int, int], ended: Iterable[BonusGrant]
) -> None:
    """Return refunded parts to their lots, or to promotions if the lot has ended."""
    bonuses.move(transfer, returned)
    for lot in ended:
        lot.refresh_from_db(fields=["remaining_minor"])
        if lot.remaining_minor:
            _take_back(lot)


def _take_back(lot: BonusGrant) -> None:
    """Move the remainder of a locked lot to promotions, once for each state of the lot."""
    left = lot.remaining
    promotions = accounts.operator_account(kind=Account.Kind.PROMOTIONS, currency=lot.currency)
    transfer = posting.post(
        # A lot refunded after its end expires again: the number of its movements makes the key
        # unique.
        key=f"expiry:{lot.pk}:{lot.movements.count()}",
        kind=Transfer.Kind.EXPIRY,
        entries=[(lot.account_id, -left), (promotions, left)],
        document=Transfer.Document.LOT,
        memo=lot.reason,
        actor="system",
    )
    bonuses.move(transfer, {lot.pk: -lot.remaining_minor})
