"""Orders nobody pays: cancelled by their players, or closed when their time is over.

Either way the order no longer counts to the player's limits, and no money moves. What was paid all
the same is credited once when the gateway reports it.
"""

from __future__ import annotations

from django.db import transaction
from django.utils.translation import gettext as _

from core.clock import database_now
from wallet.deposits.models import Deposit
from wallet.exceptions import DepositNotOpen
from wallet.gateways import gateway_named


def cancel_deposit(*, deposit_id: int) -> Deposit:
    """Give an unpaid order up, at the gateway too; repeating it changes nothing.

    Raises `DepositNotOpen` for an order that was paid or is over, `GatewayUnavailable` while the
    gateway does not answer: an order that can still be paid is not given up here alone. No lock is
    held while the gateway is asked.
    """
    deposit = Deposit.objects.get(pk=deposit_id)
    if deposit.status == Deposit.Status.CANCELLED:
        return deposit
    _refuse_over(deposit)
    try:
        gateway_named(deposit.provider).close_order(reference=deposit.order_reference)
    except DepositNotOpen:
        deposit.refresh_from_db()
        if deposit.status == Deposit.Status.CANCELLED:  # By a second press of the button.
            return deposit
        raise
    return _note_cancelled(deposit_id)


@transaction.atomic(durable=True)
def _note_cancelled(deposit_id: int) -> Deposit:
    deposit = Deposit.objects.locked().get(pk=deposit_id)
    if deposit.status != Deposit.Status.CANCELLED:
        if deposit.status not in Deposit.OPEN:
            _refuse_over(deposit)
        deposit.status = Deposit.Status.CANCELLED
        deposit.save(update_fields=["status"])
    return deposit


def _refuse_over(deposit: Deposit) -> None:
    if not deposit.is_payable:
        raise DepositNotOpen(_("This payment was made, or can no longer be made."))


@transaction.atomic(durable=True)
def close_unpaid() -> int:
    """Close every order that can no longer be paid; return how many. Gateways know their end."""
    return Deposit.objects.unpaid(database_now()).update(status=Deposit.Status.CLOSED)
