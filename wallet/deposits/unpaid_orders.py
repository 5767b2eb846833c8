"""Unpaid orders: cancelled by their players, or closed when they expire.

Then the order no longer counts for the player's limits, and no money moves. A payment made all the
same is credited once when the gateway reports it.
"""

from __future__ import annotations

from django.db import transaction
from django.utils.translation import gettext as _

from core.clock import database_now
from wallet.deposits.models import Deposit
from wallet.exceptions import DepositNotOpen
from wallet.gateways import gateway_named


def cancel_deposit(*, deposit_id: int) -> Deposit:
    """Cancel an unpaid order here and at the gateway; idempotent.

    Raise `DepositNotOpen` for an order that is paid or closed, `GatewayUnavailable` if the gateway
    does not answer: an order that can still be paid is not cancelled here alone. No lock is held
    during the gateway call.
    """
    deposit = Deposit.objects.get(pk=deposit_id)
    if deposit.status == Deposit.Status.CANCELLED:
        return deposit
    _refuse_over(deposit)
    try:
        gateway_named(deposit.provider).close_order(reference=deposit.order_reference)
    except DepositNotOpen:
        deposit.refresh_from_db()
        if deposit.status == Deposit.Status.CANCELLED:  # A repeated request.
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
        raise DepositNotOpen(_("This payment is complete or has expired."))


@transaction.atomic(durable=True)
def close_unpaid() -> int:
    """Close every expired order and return how many. Gateways expire them themselves."""
    return Deposit.objects.unpaid(database_now()).update(status=Deposit.Status.CLOSED)
