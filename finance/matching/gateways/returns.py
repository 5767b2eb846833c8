"""Refunds and disputes in a settlement that no gateway event has reported.

A lost event would leave the clearing account above the bank's balance. Approving a settlement
therefore creates the missing events from the lines of its file. Refunds and disputes that are
already booked are skipped, and a gateway event that arrives later has no effect.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import replace

from django.db import transaction
from django.db.models import QuerySet

from core import audit_log
from core.clock import database_now
from core.exceptions import CheckerIsMaker
from finance.exceptions import BadSettlement
from finance.matching.gateways.report import MISSING_OURS, walk
from finance.matching.models import GatewayFile, GatewayLine
from finance.reports.frame.periods import SITE_ZONE, Period
from finance.reports.frame.report import Question
from players.accounts.conflicts_of_interest import refuse_own_interest
from players.accounts.models import User
from wallet.deposits.deposits import keep_event
from wallet.deposits.models import GatewayEvent
from wallet.deposits.payment_models import GatewayPayment, PaymentReturn
from wallet.gateways import Event, settlements
from wallet.gateways.models import GatewaySettlement

Kind = GatewayEvent.Kind
Status = GatewaySettlement.Status
REFUND = GatewayLine.What.REFUND
# Prefix of the references of events in which staff name the payment of a dispute.
NAMED = "named:"


def approve_settlement(*, settlement_id: int, by: User) -> GatewaySettlement:
    """Approve a settlement that another person requested, and book its unreported returns.

    A worker books each refund or dispute separately; approving again queues those left by an
    interruption. Raise, before anything is booked, `SharedInterest` if one is about money of the
    approver, and `CheckerIsMaker` if the approver named its payment.
    """
    settlement = GatewaySettlement.objects.get(pk=settlement_id)
    events = unreported(settlement)
    _refuse_namers(settlement, events, by)
    with transaction.atomic():
        refuse_own_interest(*_players(settlement, events), by=by)
    if settlement.status != Status.APPROVED or not events:
        settlement = settlements.approve_settlement(settlement_id=settlement_id, by=by)
    for event in events:
        keep_event(provider=settlement.provider, event=event)
    return settlement


def name_payment(
    *, settlement_id: int, reference: str, payment: str, by: User
) -> GatewaySettlement:
    """Record the payment of a dispute whose line in the settlement has none.

    This opens a dispute of the payment, which blocks the player's withdrawals. Another person books
    it as lost by approving the settlement. Raise `BadSettlement` if the line has a payment, or the
    payment does not fit the dispute.
    """
    settlement = GatewaySettlement.objects.get(pk=settlement_id)
    if settlement.status == Status.REJECTED:
        raise BadSettlement(f"{settlement} was rejected: request it again.")
    line = next((one for one in nameless(settlement) if one.reference == reference), None)
    if line is None:
        raise BadSettlement(f"{settlement} has no dispute {reference} without a payment.")
    booked = GatewayPayment.objects.filter(provider=settlement.provider, reference=payment)
    paid = booked.exclude(transfer=None).select_related("deposit__player").first()
    if paid is None:
        raise BadSettlement(f"No payment {payment} is booked.")
    if paid.currency != line.currency or (paid.amount_minor or 0) < -line.amount_minor:
        raise BadSettlement(f"Payment {payment} is smaller than dispute {reference}.")
    player = paid.deposit.player if paid.deposit else None
    event = replace(
        _event(line, payment, is_dispute=True),
        reference=f"{NAMED}{line.reference}"[:80],
        kind=Kind.DISPUTE_OPEN,
        body=json.dumps(
            {"settlement": settlement.reference, "named_by": str(by.public_id)}
        ).encode(),
        source=GatewayEvent.Source.STAFF,
    )
    with transaction.atomic():
        refuse_own_interest(player, by=by)
        # Serialize concurrent calls.
        GatewaySettlement.objects.locked().get(pk=settlement_id)
        if _named(settlement, [line.reference]).exists():
            raise BadSettlement(f"The payment of {reference} is already recorded.")
        keep_event(provider=settlement.provider, event=event)
        after = {"dispute": reference, "payment": payment}
        audit_log.record(by=by, act="name_payment", row=settlement, after=after, about=player)
    return settlement


def nameless(settlement: GatewaySettlement) -> list[GatewayLine]:
    """Return unbooked refund and dispute lines whose payment is unknown."""
    missing = _unbooked(settlement)
    known = _cases(settlement, missing)
    return [
        line
        for line in missing.values()
        if not line.payment_reference and line.reference not in known
    ]


def unreported(settlement: GatewaySettlement) -> list[Event]:
    """Return events for the unbooked refund and dispute lines of a settlement.

    A line without a payment is left out until an event or `name_payment` adds it.
    """
    missing = _unbooked(settlement)
    known = _cases(settlement, missing)
    events = []
    for line in missing.values():
        case = known.get(line.reference)
        payment = line.payment_reference or (case.payment.reference if case else "")
        if payment:
            is_dispute = case is not None and case.what == PaymentReturn.What.DISPUTE
            event = _event(line, payment, is_dispute=is_dispute)
            if is_dispute and case is not None and event.amount_minor < case.amount_minor:
                # Less was moved than the payer asked for.
                moved = event.amount_minor
                event = replace(event, amount_minor=case.amount_minor, moved_minor=moved)
            events.append(event)
    return events


def _unbooked(settlement: GatewaySettlement) -> dict[str, GatewayLine]:
    """Return the refund and dispute lines without a ledger entry, by reference."""
    if not settlement.returned_minor:
        return {}
    of = {"file__provider": settlement.provider, "settlement": settlement.reference}
    lines = GatewayLine.objects.filter(**of, what=REFUND).select_related("file").order_by("pk")
    missing: dict[str, GatewayLine] = {}
    for file in {line.file for line in lines}:
        numbers = _missing(file)
        for line in lines:
            if line.file_id == file.pk and line.number in numbers:
                missing.setdefault(line.reference, line)
    return missing


def _cases(settlement: GatewaySettlement, missing: Collection[str]) -> dict[str, PaymentReturn]:
    cases = PaymentReturn.objects.filter(provider=settlement.provider, reference__in=missing)
    return {case.reference: case for case in cases.select_related("payment")}


def _missing(file: GatewayFile) -> set[int]:
    """Return the numbers of a file's lines without a ledger entry."""
    question = Question.asked(Period.asked(None, None, SITE_ZONE), file=file.sha256)
    return {row["line"] for row in walk(question) if row["outcome"] == MISSING_OURS}


def _event(line: GatewayLine, payment: str, *, is_dispute: bool) -> Event:
    source = {"settlement": line.settlement, "file": line.file.sha256, "line": line.number}
    return Event(
        reference=f"settled:{line.reference}"[:80],
        kind=Kind.DISPUTE_LOST if is_dispute else Kind.REFUND_DONE,
        order_reference="",
        payment_reference=payment,
        amount_minor=-line.amount_minor,
        currency=line.currency,
        body=json.dumps(source).encode(),
        source=GatewayEvent.Source.FILE,
        received_at=database_now(),
        case_reference=line.reference,
    )


def _refuse_namers(settlement: GatewaySettlement, events: list[Event], by: User) -> None:
    """Raise `CheckerIsMaker` if `by` named a payment of these events or requested them."""
    named = _named(settlement, [event.case_reference for event in events])
    namers = {json.loads(bytes(body))["named_by"] for body in named.values_list("body", flat=True)}
    if str(by.public_id) in namers or (events and by.pk == settlement.made_by_id):
        raise CheckerIsMaker("Another person must approve this settlement.")


def _named(settlement: GatewaySettlement, references: list[str]) -> QuerySet[GatewayEvent]:
    """Return the events in which staff named the payments of these disputes."""
    return GatewayEvent.objects.filter(
        provider=settlement.provider,
        event_reference__startswith=NAMED,
        case_reference__in=references,
    )


def _players(settlement: GatewaySettlement, events: list[Event]) -> list[User]:
    names = [event.payment_reference for event in events]
    paid = GatewayPayment.objects.filter(provider=settlement.provider, reference__in=names)
    return list(User.objects.filter(deposits__payments__in=paid).distinct())
