"""Refunds and disputes that stand in a settlement and that no event of the gateway has reported.

A message that never came would leave clearing above what the bank says. So approving a settlement
also books these, as the events that the file stands for: what the ledger knows is passed over, and
a message that comes later changes nothing.
"""

from __future__ import annotations

import json

from django.db import transaction

from finance.reconciliation.models import GatewayFile, GatewayLine
from finance.reconciliation.report import MISSING_OURS, walk
from finance.reporting.periods import HOUSE_ZONE, Period
from finance.reporting.report import Question
from players.accounts.conflicts_of_interest import refuse_own_interest
from players.accounts.models import User
from wallet.deposits.deposits import apply_event
from wallet.deposits.gateway_payments import lock_payment
from wallet.gateways import Event, settlements
from wallet.payments.gateway_models import GatewayPayment, PaymentReturn
from wallet.payments.models import GatewayEvent
from wallet.payments.settlement_models import GatewaySettlement

Kind = GatewayEvent.Kind
REFUND = GatewayLine.What.REFUND


def approve_settlement(*, settlement_id: int, by: User) -> GatewaySettlement:
    """Approve a settlement that somebody else asked for, then book what nobody has reported.

    Each refund or dispute is booked on its own; approving again books what an interruption left.
    Raise `SharedInterest` before anything is booked if one is about money of the person who
    approves.
    """
    settlement = GatewaySettlement.objects.get(pk=settlement_id)
    events = unreported(settlement)
    with transaction.atomic():
        # In a preview one transaction holds all of this: payments are locked before accounts.
        for name in sorted({event.payment_reference for event in events}):
            lock_payment(provider=settlement.provider, reference=name)
        refuse_own_interest(*_players(settlement, events), by=by)
    approved = settlements.approve_settlement(settlement_id=settlement_id, by=by)
    for event in events:
        apply_event(provider=settlement.provider, event=event)
    return approved


def unreported(settlement: GatewaySettlement) -> list[Event]:
    """Return the events that a settlement's lines stand for and that the ledger lacks.

    A dispute's line may name no payment; without an event that did, it is left to be looked into.
    """
    if not settlement.returned_minor:
        return []
    of = {"file__provider": settlement.provider, "settlement": settlement.reference}
    lines = GatewayLine.objects.filter(**of, what=REFUND).select_related("file").order_by("pk")
    missing: dict[str, GatewayLine] = {}
    for file in {line.file for line in lines}:
        numbers = _missing(file)
        for line in lines:
            if line.file_id == file.pk and line.number in numbers:
                missing.setdefault(line.reference, line)
    cases = PaymentReturn.objects.filter(provider=settlement.provider, reference__in=missing)
    known = {case.reference: case for case in cases.select_related("payment")}
    events = (_event(line, known.get(line.reference)) for line in missing.values())
    return [event for event in events if event is not None]


def _missing(file: GatewayFile) -> set[int]:
    """Return the numbers of the lines of a file that the ledger has nothing of."""
    question = Question.asked(Period.asked(None, None, HOUSE_ZONE), file=file.sha256)
    return {row["line"] for row in walk(question) if row["outcome"] == MISSING_OURS}


def _event(line: GatewayLine, case: PaymentReturn | None) -> Event | None:
    payment = line.payment_reference or (case.payment.reference if case else "")
    if not payment:
        return None
    is_dispute = case is not None and case.what == PaymentReturn.What.DISPUTE
    said = {"settlement": line.settlement, "file": line.file.sha256, "line": line.number}
    return Event(
        reference=f"settled:{line.reference}"[:80],
        kind=Kind.DISPUTE_LOST if is_dispute else Kind.REFUND_DONE,
        order_reference="",
        payment_reference=payment,
        amount_minor=-line.amount_minor,
        currency=line.currency,
        body=json.dumps(said),
        case_reference=line.reference,
    )


def _players(settlement: GatewaySettlement, events: list[Event]) -> list[User]:
    names = [event.payment_reference for event in events]
    paid = GatewayPayment.objects.filter(provider=settlement.provider, reference__in=names)
    return list(User.objects.filter(deposits__payments__in=paid).distinct())
