"""Payments by their gateway references; every event about a payment locks its row."""

from __future__ import annotations

from wallet.deposits.models import Deposit, GatewayEvent, StaffTask
from wallet.deposits.payment_models import GatewayPayment
from wallet.ledger.models import Account, Transfer


def lock_payment(*, provider: str, reference: str) -> GatewayPayment:
    """Return a payment, locked until the transaction ends, creating it if it is unknown.

    Lock order: after its order, before withdrawals and accounts.
    """
    GatewayPayment.objects.bulk_create(
        [GatewayPayment(provider=provider, reference=reference)], ignore_conflicts=True
    )
    # Without a join: PostgreSQL would join the row's values from before the wait.
    rows = GatewayPayment.objects.select_for_update(no_key=True)
    payment = rows.get(provider=provider, reference=reference)
    if payment.transfer is None:
        _find_booked(payment)
    return payment


def note_booked(
    payment: GatewayPayment, *, event: GatewayEvent, deposit: Deposit | None, transfer: Transfer
) -> None:
    """Record the order of a payment and the transfer that booked it."""
    payment.order_reference = event.order_reference
    payment.currency, payment.amount_minor = event.currency, event.amount_minor
    payment.deposit, payment.transfer = deposit, transfer
    _save(payment)


def transfer_key(provider: str, reference: str) -> str:
    """Return the idempotency key of a payment's transfer."""
    return f"gateway:{provider}:{reference}"


def _find_booked(payment: GatewayPayment) -> None:
    """Fill in a payment that was booked before it had a row."""
    key = transfer_key(payment.provider, payment.reference)
    transfer = Transfer.objects.filter(key=key).first()
    if transfer is None:
        return
    clearing = transfer.entries.get(account__kind=Account.Kind.GATEWAY_CLEARING)
    task = StaffTask.objects.filter(transfer=transfer).first()
    payment.order_reference = transfer.memo
    payment.currency, payment.amount_minor = clearing.currency, -clearing.amount_minor
    payment.transfer = transfer
    credited = Deposit.objects.filter(transfer=transfer).first()
    payment.deposit = credited if task is None else task.deposit
    _save(payment)


def _save(payment: GatewayPayment) -> None:
    payment.save(
        update_fields=["order_reference", "currency", "amount_minor", "deposit", "transfer"]
    )
