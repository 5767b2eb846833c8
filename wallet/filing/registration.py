"""Adds dated rows to the registrations and forms that taxes are filed with."""

from __future__ import annotations

from django.db import transaction

from core import audit_log
from players.accounts.conflicts_of_interest import refuse_own_interest
from players.accounts.models import User
from wallet.filing.models import Registration, TaxForm


@transaction.atomic(durable=True)
def append(*, row: Registration | TaxForm, by: User) -> Registration | TaxForm:
    """Save a new row; raise `SharedInterest` if it concerns money of the person who adds it."""
    refuse_own_interest(row, by=by)
    row.added_by = by.actor
    row.save(force_insert=True)
    audit_log.record(by=by, act="add", row=row)
    return row
