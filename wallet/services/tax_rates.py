"""Rates of tax, appended by superusers from the day they hold."""

from __future__ import annotations

from django.db import transaction

from players import deeds, interests
from players.models import User
from wallet.models import TaxRate


@transaction.atomic(durable=True)
def append_rate(*, rate: TaxRate, by: User) -> TaxRate:
    """Save a new rate; not for who has money of their own that it would tax."""
    interests.refuse(rate, by=by)
    rate.added_by = f"player:{by.pk}"
    rate.save(force_insert=True)
    deeds.record(by=by, act="add", row=rate)
    return rate
