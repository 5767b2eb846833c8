"""Deposits: orders at a gateway, each credited at most once.

Every event about a payment locks the payment's row first.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from uuid import UUID

import structlog
from django.db import IntegrityError, transaction
from moneyed import Money

from core.clock import database_now
from core.db.identifiers import new_public_id
from core.tasks import enqueue_on_commit
from players.accounts.conflicts_of_interest import refuse_own_interest
from players.accounts.models import User
from players.eligibility.verdicts import Act, require_may
from wallet.deposits import limits as deposit_limits
from wallet.deposits import payment_returns, suspense
from wallet.deposits.models import PAYABLE_FOR, Deposit, GatewayEvent, StaffTask
from wallet.deposits.payment_models import GatewayPayment
from wallet.deposits.payment_returns import Trouble
from wallet.exceptions import NotPlaced
from wallet.gateways import Event, Gateway, Order, gateway_for_deposits, gateway_named
from wallet.ledger import accounts, cash_offered, posting
from wallet.ledger.models import Account, Transfer
from wallet.ledger.money import as_money, as_text, minor_units
from wallet.tax import gst
from wallet.tax.arithmetic import DepositSum
from wallet.withdrawals.models import Withdrawal

Outcome = GatewayEvent.Outcome

log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class OpenedOrder:
    """An order opened at a gateway, not saved yet."""

    public_id: UUID
    price: gst.Price
    gateway: Gateway
    order: Order


def open_order(*, player: User, amount: Money) -> OpenedOrder:
    """Open an order at the gateway; no money moves before the gateway reports its payment.

    The order includes today's tax (RB 11.5), shown to the player before payment. No lock is held
    during the gateway call. Raise `DepositLimitReached` if the amount exceeds the remaining limits.
    """
    require_may(player, Act.DEPOSIT)
    cash_offered.refuse_amount(amount)
    price = gst.price_deposit(amount)
    gateway = gateway_for_deposits()
    with transaction.atomic():
        deposit_limits.hold_to_limits(player=player, amount=price.credited)
    public_id = new_public_id()
    order = gateway.open_order(
        deposit=public_id, amount=price.paid, payable_until=database_now() + PAYABLE_FOR
    )
    return OpenedOrder(public_id, price, gateway, order)


@transaction.atomic
def note_order(*, player: User, opened: OpenedOrder) -> Deposit:
    """Save an order if the player may still deposit within their limits; else discard it."""
    require_may(player, Act.DEPOSIT)
    price = opened.price
    deposit_limits.hold_to_limits(player=player, amount=price.credited)
    return Deposit.objects.create(
        public_id=opened.public_id,
        player=player,
        provider=opened.gateway.name,
        order_reference=opened.order.reference,
        pay_url=opened.order.pay_url,
        currency=price.credited.currency.code,
        amount_minor=minor_units(price.credited),
        gst_minor=minor_units(price.tax),
        gst_bps=price.bps,
        gst_treatment=price.treatment,
    )


def receive_event(*, provider: str, body: bytes, headers: Mapping[str, str]) -> Outcome:
    """Verify the signature over the raw body of a message and store its event.

    Return `RECEIVED`, or `IGNORED` for an event stored before. A settlement worker applies it
    (`apply_event`): processes that receive webhooks cannot post transfers, and the reverse.
    """
    event = gateway_named(provider).read_event(body=body, headers=headers, at=database_now())
    kept = keep_event(provider=provider, event=event)
    return Outcome.IGNORED if kept is None else Outcome.RECEIVED


@transaction.atomic
def keep_event(*, provider: str, event: Event) -> GatewayEvent | None:
    """Store an event and enqueue its application; return None if it was stored before."""
    while (name := _new_event_reference(provider, event)) is not None:
        try:
            with transaction.atomic():
                kept = _keep(provider, event, name)
        except IntegrityError:  # A concurrent delivery stored it first.
            continue
        enqueue_on_commit("wallet.apply_gateway_event", kept.pk)
        return kept
    return None


def apply_received() -> None:
    """Apply all pending events, oldest first, in case queue messages were lost."""
    waiting = GatewayEvent.objects.filter(outcome=Outcome.RECEIVED).order_by("pk")
    for pk in waiting.values_list("pk", flat=True):
        try:
            apply_event(event_id=pk)
        except Exception:  # One event that cannot be applied must not stop the others.
            log.exception("gateway_event_failed", gateway_event=pk)


@transaction.atomic(durable=True)
def apply_event(*, event_id: int) -> Outcome:
    """Credit a paid order; put a payment without a matching order into suspense as a staff task.

    Events come late and in any order: the locks of the order and the payment, and the payment's
    key, make it idempotent. An event that was applied before changes nothing.
    """
    # Locked without joins and before the order: concurrent applications of one event wait here.
    event = GatewayEvent.objects.select_for_update(no_key=True).get(pk=event_id)
    if event.outcome != Outcome.RECEIVED:
        return Outcome.IGNORED
    orders = Deposit.objects.locked().filter(provider=event.provider)
    deposit = orders.filter(order_reference=event.order_reference).first()
    payment = None
    if event.kind == GatewayEvent.Kind.PAID or event.kind in GatewayEvent.RETURNS:
        payment = lock_payment(provider=event.provider, reference=event.payment_reference)
    trouble = None
    if payment is None:
        outcome = _end_unpaid(deposit, event)
    elif event.kind == GatewayEvent.Kind.PAID:
        outcome, trouble = _take_payment(payment, deposit, event)
    else:
        outcome, trouble = payment_returns.apply_return(payment=payment, event=event)
    event.outcome = outcome
    event.save(update_fields=["outcome"])
    if trouble is not None:
        _ask_staff(event, trouble, of=payment.deposit if payment else None)
    return outcome


def _ask_staff(
    event: GatewayEvent, trouble: payment_returns.Trouble, *, of: Deposit | None
) -> None:
    """Add a task, unless one about the same refund or dispute is still open."""
    if event.case_reference:
        same = {"kind": trouble.kind, "event__provider": event.provider}
        asked = StaffTask.objects.undone().filter(**same)
        if asked.filter(event__case_reference=event.case_reference).exists():
            return
    StaffTask.objects.create(
        kind=trouble.kind, event=event, deposit=of, details=trouble.details[:300]
    )


@transaction.atomic(durable=True)
def finish_task(*, task_id: int, by: User) -> StaffTask:
    """Record who has done a task; the first one stays.

    Raise `NotPlaced` while money of a known order is still in suspense: it must be credited or sent
    back first.
    """
    late = Withdrawal.objects.filter(hold__staff_tasks=task_id).select_related("player").first()
    payer = User.objects.filter(deposits__staff_tasks=task_id).first()
    refuse_own_interest(late and late.player, payer, by=by)
    task = StaffTask.objects.locked().get(pk=task_id)
    if task.done_at is not None:
        return task
    if task.deposit_id is not None and task.transfer_id is not None:
        raise NotPlaced("Credit the player or send the money back; either completes the task.")
    return suspense.finish(task, by=by, act="done")


def _end_unpaid(deposit: Deposit | None, event: GatewayEvent) -> Outcome:
    """Apply a failed attempt or the end of an order; after the payment neither changes anything."""
    is_end = event.kind == GatewayEvent.Kind.CLOSED
    before = Deposit.OPEN if is_end else (Deposit.Status.CREATED,)
    if deposit is None or deposit.status not in before:
        return Outcome.IGNORED
    deposit.status = Deposit.Status.CLOSED if is_end else Deposit.Status.FAILED
    deposit.save(update_fields=["status"])
    return Outcome.CLOSED if is_end else Outcome.FAILED


def _take_payment(
    payment: GatewayPayment, deposit: Deposit | None, event: GatewayEvent
) -> tuple[Outcome, Trouble | None]:
    if payment.transfer is not None:
        return _apply_again(payment, event)
    if deposit is None:
        return _to_suspense(payment, None, event, StaffTask.Kind.UNKNOWN_ORDER), None
    if deposit.status in (Deposit.Status.PAID, Deposit.Status.PLACED):
        return _to_suspense(payment, deposit, event, StaffTask.Kind.PAID_TWICE), None
    trouble = None
    if (event.for_order_minor, event.currency) != (deposit.to_pay_minor, deposit.currency):
        trouble = StaffTask.Kind.OTHER_AMOUNT
    # Closing an account takes the same lock, so its money cannot arrive after closing.
    elif not User.objects.locked().get(pk=deposit.player_id).is_active:
        trouble = StaffTask.Kind.NO_ACCOUNT
    if trouble is not None:
        deposit.status = Deposit.Status.CHECKING
        deposit.save(update_fields=["status"])
        return _to_suspense(payment, deposit, event, trouble), None

    ordered = DepositSum(deposit.to_pay_minor, deposit.amount_minor, deposit.gst_minor)
    clearing = _clearing(event)
    credit = gst.credit_entries(deposit=deposit, sums=ordered, paid_from=clearing)
    deposit.transfer = _receive(payment, clearing, credit, event, order=deposit)
    deposit.status = Deposit.Status.PAID
    deposit.save(update_fields=["transfer", "status"])
    gst.note_charge(deposit=deposit, transfer=deposit.transfer, sums=ordered)
    note_booked(payment, event=event, deposit=deposit, transfer=deposit.transfer)
    payment_returns.apply_earlier_returns(payment)
    return Outcome.CREDITED, None


def _apply_again(payment: GatewayPayment, event: GatewayEvent) -> tuple[Outcome, Trouble | None]:
    """Apply another report of a booked payment; a differing one becomes a staff task."""
    booked = (payment.order_reference, payment.amount_minor, payment.currency)
    reported = (event.order_reference, event.amount_minor, event.currency)
    if booked == reported:
        return Outcome.IGNORED, None
    details = (
        f"{payment.reference} is booked as {_booking(booked)}, now reported as {_booking(reported)}"
    )
    return Outcome.CHECKING, Trouble(StaffTask.Kind.OTHER_REPORT, details)


def _booking(facts: tuple[str, int | None, str]) -> str:
    order, minor, currency = facts
    return f"{as_text(as_money(minor or 0, currency))} for {order}"


def _to_suspense(
    payment: GatewayPayment, deposit: Deposit | None, event: GatewayEvent, kind: StaffTask.Kind
) -> Outcome:
    held_on = accounts.operator_account(kind=Account.Kind.SUSPENSE, currency=event.currency)
    transfer = _receive(payment, _clearing(event), [(held_on, event.for_order_minor)], event)
    ordered = f", ordered: {as_text(deposit.to_pay)}" if deposit else ""
    details = f"{event.payment_reference} for {event.order_reference}{ordered}"
    StaffTask.objects.create(transfer=transfer, kind=kind, deposit=deposit, details=details)
    note_booked(payment, event=event, deposit=deposit, transfer=transfer)
    payment_returns.apply_earlier_returns(payment)
    return Outcome.SUSPENSE


def _clearing(event: GatewayEvent) -> Account:
    return accounts.operator_account(kind=Account.Kind.GATEWAY_CLEARING, currency=event.currency)


def _receive(
    payment: GatewayPayment,
    clearing: Account,
    entries: Sequence[tuple[Account, int]],
    event: GatewayEvent,
    *,
    order: Deposit | None = None,
) -> Transfer:
    return posting.post(
        key=transfer_key(payment.provider, payment.reference),
        kind=Transfer.Kind.DEPOSIT,
        entries=[(clearing, -event.amount_minor), *entries, *_borne_entries(event)],
        document=Transfer.Document.ORDER if order else Transfer.Document.PAYMENT,
        document_id=order.pk if order else None,
        memo=event.order_reference,
        actor="gateway",
    )


def _borne_entries(event: GatewayEvent) -> list[tuple[Account, int]]:
    """Return the credits for a fee that the payer bears; its settlement debits them again."""
    parts = (
        (Account.Kind.GATEWAY_FEES, event.fee_minor),
        (Account.Kind.INPUT_TAX, event.tax_minor),
    )
    return [
        (accounts.operator_account(kind=kind, currency=event.currency), minor)
        for kind, minor in parts
        if minor
    ]


def _new_event_reference(provider: str, event: Event) -> str | None:
    """Return the reference to store an event under, or None for a repeated event.

    References may be outside the signed part, so a different message under a known reference is a
    different event.
    """
    names = possible_references(event)
    known = GatewayEvent.objects.filter(provider=provider, event_reference__in=names)
    bodies = dict(known.values_list("event_reference", "body"))
    if event.body in map(bytes, bodies.values()):
        return None
    return next((name for name in names if name not in bodies), None)


def possible_references(event: Event) -> tuple[str, str]:
    """Return the references an event may be stored under: its own, and one with its digest."""
    digest = hashlib.sha256(event.body).hexdigest()
    return event.reference, f"{event.reference[:60]}~{digest[:19]}"


def _keep(provider: str, event: Event, name: str) -> GatewayEvent:
    facts = asdict(event)
    del facts["reference"]
    return GatewayEvent.objects.create(
        provider=provider, event_reference=name, outcome=Outcome.RECEIVED, **facts
    )


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
