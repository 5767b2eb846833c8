"""The end of bonuses: what is left of a lot goes back to the house's promotions (RB 11.1)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import structlog
from django.db import transaction

from wallet.bonuses import bonuses
from wallet.holdings.bonus_models import BonusGrant
from wallet.ledger import accounts, posting
from wallet.ledger.days import house_now
from wallet.ledger.models import Account, Transfer

log = structlog.get_logger(__name__)


def expire_due_bonuses() -> int:
    """Take back what is left of every lot past its end; return how many.

    Safe to repeat and to run twice at once: each lot is a transaction of its own, and one that
    somebody holds is left to the next run. So is one whose account is frozen.
    """
    due = BonusGrant.objects.due(house_now()).exclude(account__status=Account.Status.FROZEN)
    expired = 0
    for pk in list(due.soonest_ending().values_list("pk", flat=True)):
        try:
            expired += expire_bonus(grant_id=pk)
        # Whatever is wrong with one lot (a refusal, a guard, a row nobody foresaw), the others
        # are owed their end: the sweep outlives it, and the log names the lot.
        except Exception:
            log.exception("bonus_not_expired", bonus=pk)
    return expired


@transaction.atomic
def expire_bonus(*, grant_id: int) -> bool:
    """Take back what is left of one lot if its end has come and nobody is using it."""
    lots = BonusGrant.objects.due(house_now()).select_related("account")
    lot = lots.locked(skip_locked=True).filter(pk=grant_id).first()
    if lot is None:
        return False
    _take_back(lot)
    return True


def lock_for_return(
    lots: Iterable[BonusGrant], accounts_moved: Iterable[Account | int], *, currency: str
) -> list[BonusGrant]:
    """Return the lots whose end has come, which take nothing back; the caller has locked lots.

    Their way on to promotions is a second posting in the same transaction: so all accounts of both
    are locked here, in order.
    """
    lots = list(lots)
    live = bonuses.not_ended(lots)
    ended = [lot for lot in lots if lot not in live]
    if not ended:
        return []
    promotions = accounts.house_account(kind=Account.Kind.PROMOTIONS, currency=currency)
    locked = posting.lock([*accounts_moved, *(lot.account_id for lot in ended), promotions])
    # A frozen account takes what is owed and gives nothing: its lots wait for the sweep.
    return [lot for lot in ended if locked[lot.account_id].status == Account.Status.OPEN]


def return_to_lots(
    transfer: Transfer, returned: Mapping[int, int], ended: Iterable[BonusGrant]
) -> None:
    """Give refunded parts back to their lots, and on to promotions where the end has come."""
    bonuses.move(transfer, returned)
    for lot in ended:
        lot.refresh_from_db(fields=["remaining_minor"])
        if lot.remaining_minor:
            _take_back(lot)


def _take_back(lot: BonusGrant) -> None:
    """Move all that is left of a locked lot to promotions, once for each state of the lot."""
    left = lot.remaining
    promotions = accounts.house_account(kind=Account.Kind.PROMOTIONS, currency=lot.currency)
    transfer = posting.post(
        # A lot that money came back to after its end ends again: its movements number the ends.
        key=f"expiry:{lot.pk}:{lot.movements.count()}",
        kind=Transfer.Kind.EXPIRY,
        entries=[(lot.account_id, -left), (promotions, left)],
        document=Transfer.Document.LOT,
        memo=lot.reason,
        actor="house",
    )
    bonuses.move(transfer, {lot.pk: -lot.remaining_minor})
