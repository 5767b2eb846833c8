"""Refunds and disputes that stand in a settlement and that no event of the gateway has reported.

A message that never came would leave clearing above what the bank says. So approving a settlement
also books these, as the events that the file stands for: what the ledger knows is passed over, and
a message that comes later changes nothing.
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
from finance.reconciliation.models import GatewayFile, GatewayLine
from finance.reconciliation.report import MISSING_OURS, walk
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
# Before the references of events by which staff say of which payment a dispute is.
NAMED = "named:"


def approve_settlement(*, settlement_id: int, by: User) -> GatewaySettlement:
    """Approve a settlement that somebody else asked for, then book what nobody has reported.

    A settlement worker books each refund or dispute on its own; approving again asks for what an
    interruption left. Raise `SharedInterest` before anything is booked if one is
    about money of the person who approves, `CheckerIsMaker` if they named its payment.
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
    """Note of which payment a dispute in a settlement is, where its line does not say.

    From then on it is an open dispute of that payment: the player withdraws nothing, and approving
    the settlement, which somebody else does, books it as lost. Raise `BadSettlement` for a line
    that names its payment, or a payment that does not fit.
    """
    settlement = GatewaySettlement.objects.get(pk=settlement_id)
    if settlement.status == Status.REJECTED:
        raise BadSettlement(f"{settlement} was rejected: ask for it again.")
    line = next((one for one in nameless(settlement) if one.reference == reference), None)
    if line is None:
        raise BadSettlement(f"{settlement} has no dispute {reference} without a payment.")
    booked = GatewayPayment.objects.filter(provider=settlement.provider, reference=payment)
    paid = booked.exclude(transfer=None).select_related("deposit__player").first()
    if paid is None:
        raise BadSettlement(f"No payment {payment} is booked.")
    if paid.currency != line.currency or (paid.amount_minor or 0) < -line.amount_minor:
        raise BadSettlement(f"{payment} brought less than {reference} takes.")
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
        # Of two people at once the second waits here.
        GatewaySettlement.objects.locked().get(pk=settlement_id)
        if _named(settlement, [line.reference]).exists():
            raise BadSettlement(f"Somebody has named the payment of {reference} before.")
        keep_event(provider=settlement.provider, event=event)
        after = {"dispute": reference, "payment": payment}
        audit_log.record(by=by, act="name_payment", row=settlement, after=after, about=player)
    return settlement


def nameless(settlement: GatewaySettlement) -> list[GatewayLine]:
    """Return the lines of money taken back of which neither file nor ledger says the payment."""
    missing = _unbooked(settlement)
    known = _cases(settlement, missing)
    return [
        line
        for line in missing.values()
        if not line.payment_reference and line.reference not in known
    ]


def unreported(settlement: GatewaySettlement) -> list[Event]:
    """Return the events that a settlement's lines stand for and that the ledger lacks.

    A dispute's line may name no payment; it is left out until an event or `name_payment` does.
    """
    missing = _unbooked(settlement)
    known = _cases(settlement, missing)
    events = []
    for line in missing.values():
        case = known.get(line.reference)
        payment = line.payment_reference or (case.payment.reference if case else "")
        if payment:
            is_dispute = case is not None and case.what == PaymentReturn.What.DISPUTE
            events.append(_event(line, payment, is_dispute=is_dispute))
    return events


def _unbooked(settlement: GatewaySettlement) -> dict[str, GatewayLine]:
    """Return the lines of money taken back that the ledger has nothing of, by reference."""
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
    """Return the numbers of the lines of a file that the ledger has nothing of."""
    question = Question.asked(Period.asked(None, None, SITE_ZONE), file=file.sha256)
    return {row["line"] for row in walk(question) if row["outcome"] == MISSING_OURS}


def _event(line: GatewayLine, payment: str, *, is_dispute: bool) -> Event:
    said = {"settlement": line.settlement, "file": line.file.sha256, "line": line.number}
    return Event(
        reference=f"settled:{line.reference}"[:80],
        kind=Kind.DISPUTE_LOST if is_dispute else Kind.REFUND_DONE,
        order_reference="",
        payment_reference=payment,
        amount_minor=-line.amount_minor,
        currency=line.currency,
        body=json.dumps(said).encode(),
        source=GatewayEvent.Source.FILE,
        received_at=database_now(),
        case_reference=line.reference,
    )


def _refuse_namers(settlement: GatewaySettlement, events: list[Event], by: User) -> None:
    """Refuse those who said whose money it is, and who asked, for what is booked afterwards."""
    named = _named(settlement, [event.case_reference for event in events])
    said = {json.loads(bytes(body))["named_by"] for body in named.values_list("body", flat=True)}
    if str(by.public_id) in said or (events and by.pk == settlement.made_by_id):
        raise CheckerIsMaker("Somebody else must say whether this is booked.")


def _named(settlement: GatewaySettlement, references: list[str]) -> QuerySet[GatewayEvent]:
    """Return the events by which staff said of which payment these disputes are."""
    return GatewayEvent.objects.filter(
        provider=settlement.provider,
        event_reference__startswith=NAMED,
        case_reference__in=references,
    )


def _players(settlement: GatewaySettlement, events: list[Event]) -> list[User]:
    names = [event.payment_reference for event in events]
    paid = GatewayPayment.objects.filter(provider=settlement.provider, reference__in=names)
    return list(User.objects.filter(deposits__payments__in=paid).distinct())
