"""Booking of gateway settlements: one person requests, another approves."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import date
from typing import Any

from django.db import IntegrityError, connection, transaction

from core import audit_log, maker_checker
from players.accounts.models import User
from wallet.exceptions import SettlementDiffers
from wallet.gateways.models import GatewaySettlement
from wallet.ledger import accounts, posting
from wallet.ledger.models import Account, Transfer

Status = GatewaySettlement.Status
# These change when a gateway sends a settlement again after the bank has returned it; the lines of
# its files keep all of them.
OF_THE_PAYMENT = ("bank_reference", "settled_on")


@dataclass(frozen=True)
class Figures:
    """The figures of one settlement in the gateway's file, in minor units."""

    provider: str
    reference: str
    bank_reference: str
    settled_on: date
    currency: str
    paid_minor: int
    returned_minor: int
    other_minor: int
    fee_minor: int
    tax_minor: int


def ask_settlement(*, figures: Figures, by: User) -> tuple[GatewaySettlement, bool]:
    """Request the booking of a settlement; return it, and whether it is new.

    Raise `SettlementDiffers` if it was requested before with other amounts.
    """
    assert connection.in_atomic_block, "all settlements of a file are requested together"
    standing = GatewaySettlement.objects.exclude(status=Status.REJECTED)
    same = {"provider": figures.provider, "reference": figures.reference}
    found = standing.filter(**same).first()
    if found is None:
        try:
            with transaction.atomic():
                asked = GatewaySettlement.objects.create(**asdict(figures), made_by=by)
        except IntegrityError:  # A concurrent request created it.
            found = standing.get(**same)
        else:
            audit_log.record(by=by, act="ask", row=asked)
            return asked, True
    _refuse_other(found, figures)
    return found, False


def rehearse_settlement(*, settlement: GatewaySettlement) -> dict[str, int]:
    """Return the balances by account kind, in minor units, that approval would leave."""
    entries = _entries(settlement)
    if not entries:
        return {}
    left = posting.rehearse(
        kind=Transfer.Kind.FEE, entries=entries, document=Transfer.Document.SETTLEMENT
    )
    return {account.kind: left[account.pk] for account, _ in entries}


@transaction.atomic(durable=True)
def approve_settlement(*, settlement_id: int, by: User) -> GatewaySettlement:
    """Post the fees of a settlement another person requested; idempotent."""
    locked = _undecided(settlement_id, Status.APPROVED, by)
    if locked.status == Status.APPROVED:
        return locked
    entries = _entries(locked)
    if entries:
        locked.transfer = posting.post(
            key=f"settlement:{locked.provider}:{locked.reference}",
            kind=Transfer.Kind.FEE,
            entries=entries,
            document=Transfer.Document.SETTLEMENT,
            document_id=locked.pk,
            memo=str(locked),
            actor=by.actor,
        )
    return maker_checker.decide(locked, Status.APPROVED, by=by, outcome="transfer")


@transaction.atomic(durable=True)
def reject_settlement(*, settlement_id: int, by: User) -> GatewaySettlement:
    """Reject a settlement; it can be requested again from a corrected file."""
    locked = _undecided(settlement_id, Status.REJECTED, by)
    if locked.status == Status.REJECTED:
        return locked
    return maker_checker.decide(locked, Status.REJECTED, by=by)


def _undecided(pk: int, wanted: GatewaySettlement.Status, by: User) -> GatewaySettlement:
    rows = GatewaySettlement.objects.locked()
    asked: GatewaySettlement = maker_checker.undecided(rows, pk=pk, wanted=wanted, by=by)
    return asked


def _refuse_other(found: GatewaySettlement, figures: Figures) -> None:
    said: dict[str, Any] = asdict(figures)
    differing = [
        f"{name} ({getattr(found, name)}, now {value})"
        for name, value in sorted(said.items())
        if getattr(found, name) != value and name not in OF_THE_PAYMENT
    ]
    if not differing:
        return
    remedy = "Reject it and request it again."
    if found.status == Status.APPROVED:
        remedy = (
            "It is approved and stays: request adjustments of the differences between clearing, "
            "fees, input tax and suspense, and explain the bank's line."
        )
    raise SettlementDiffers(
        f"{found} was requested before with another {', '.join(differing)}. {remedy}"
    )


def _entries(settlement: GatewaySettlement) -> list[tuple[Account, int]]:
    """Return the entries: fees deducted from clearing, and unexplained differences."""
    fee, tax, other = settlement.fee_minor, settlement.tax_minor, settlement.other_minor
    moved = {
        Account.Kind.GATEWAY_CLEARING: fee + tax - other,
        Account.Kind.GATEWAY_FEES: -fee,
        Account.Kind.INPUT_TAX: -tax,
        Account.Kind.SUSPENSE: other,
    }
    return [
        (accounts.operator_account(kind=kind, currency=settlement.currency), minor)
        for kind, minor in moved.items()
        if minor
    ]
