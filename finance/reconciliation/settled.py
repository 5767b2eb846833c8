"""The settlement of a gateway line, and the fee that the gateway kept."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from finance.reconciliation.models import GatewayLine

What = GatewayLine.What


@dataclass(frozen=True)
class Settled:
    """The settlement of a line: a gateway's payment to the bank, with the line's fee and tax.

    Amounts are in minor units; `bank_reference` is the UTR of the whole payment.
    """

    reference: str
    bank_reference: str
    on: date
    fee_minor: int
    tax_minor: int


def kept_of(
    what: GatewayLine.What, amount_minor: int, *, credit_minor: int, debit_minor: int
) -> int:
    """Return the amount of a line that the gateway kept, in minor units; it includes the tax.

    It is computed from credit and debit, because fee columns differ in whether they include tax.
    """
    if what == What.OTHER:
        return 0
    return amount_minor - (credit_minor - debit_minor)
