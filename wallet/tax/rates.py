"""Rates of tax, appended by superusers from the day they hold."""

from __future__ import annotations

from django.db import transaction

from core import audit_log
from players.accounts import interests
from players.accounts.models import User
from wallet.tax.models import TaxRate


@transaction.atomic(durable=True)
def append_rate(*, rate: TaxRate, by: User) -> TaxRate:
    """Save a new rate; not for who has money of their own that it would tax."""
    interests.refuse(rate, by=by)
    rate.added_by = f"player:{by.pk}"
    rate.save(force_insert=True)
    audit_log.record(by=by, act="add", row=rate)
    return rate
