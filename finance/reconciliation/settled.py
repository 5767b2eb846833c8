"""Which settlement a line of a gateway's file was part of, and what the gateway kept of it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from finance.reconciliation.models import GatewayLine

What = GatewayLine.What


@dataclass(frozen=True)
class Settled:
    """A gateway's payment to the bank as a line names it, and what was kept of the line's amount.

    Amounts are in minor units; `bank_reference` is the bank's for the whole payment (UTR).
    """

    reference: str
    bank_reference: str
    on: date
    fee_minor: int
    tax_minor: int


def kept_of(
    what: GatewayLine.What, amount_minor: int, *, credit_minor: int, debit_minor: int
) -> int:
    """Return what a gateway kept of a line: what the bank does not get of it.

    Files differ in whether their fee includes the tax; what was credited and debited does not.
    """
    if what == What.OTHER:
        return 0
    return amount_minor - (credit_minor - debit_minor)
