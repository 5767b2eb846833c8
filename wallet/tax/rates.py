"""Rates by date, and the appending of dated rows: rates, forms and registrations."""

from __future__ import annotations

from datetime import date
from typing import TypeVar

from django.db import transaction

from core import audit_log
from players.accounts.conflicts_of_interest import refuse_own_interest
from players.accounts.models import User
from wallet.tax.invoices.models import Registration, TaxForm
from wallet.tax.models import PayeeKind, TaxRate

Dated = TypeVar("Dated", TaxRate, TaxForm, Registration)


@transaction.atomic(durable=True)
def append(*, row: Dated, by: User) -> Dated:
    """Save a new row.

    Raise `SharedInterest` if it concerns money of the person who adds it, and `ValidationError` for
    values that are not allowed, such as a GSTIN that the operator cannot have.
    """
    refuse_own_interest(row, by=by)
    row.added_by = by.actor
    row.full_clean()
    row.save(force_insert=True)
    audit_log.record(by=by, act="add", row=row)
    return row


def rate_on(
    tax: str, currency: str, day: date, *, payee: PayeeKind = PayeeKind.RESIDENT
) -> TaxRate | None:
    """Return the rate in force on a day, or None; kinds without a rate use the residents'."""
    rate = TaxRate.objects.in_force(tax, currency, day, payee=payee).first()
    if rate is None and payee != PayeeKind.RESIDENT:
        return rate_on(tax, currency, day)
    return None if rate is None or rate.treatment == TaxRate.Treatment.NONE else rate
