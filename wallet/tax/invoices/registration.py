"""Append dated rows to registrations and tax forms."""

from __future__ import annotations

from django.db import transaction

from core import audit_log
from players.accounts.conflicts_of_interest import refuse_own_interest
from players.accounts.models import User
from wallet.tax.invoices.models import Registration, TaxForm


@transaction.atomic(durable=True)
def append(*, row: Registration | TaxForm, by: User) -> Registration | TaxForm:
    """Save a new row.

    Raise `SharedInterest` if it concerns money of the person who adds it, and `ValidationError` for
    a GSTIN that the operator cannot have.
    """
    refuse_own_interest(row, by=by)
    row.added_by = by.actor
    row.full_clean()
    row.save(force_insert=True)
    audit_log.record(by=by, act="add", row=row)
    return row
