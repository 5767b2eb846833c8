"""Base models of requests that one member of staff makes and another decides."""

from __future__ import annotations

from typing import ClassVar

from django.db import models

from core.maker_checker import Checked
from wallet.ledger.models import Transfer


class CheckedRequest(Checked):
    """A request for an amount of money."""

    amount_minor = models.BigIntegerField()

    class Meta(Checked.Meta):
        abstract = True


class PostedRequest(CheckedRequest):
    """A request for a transfer, with its reason; approval posts the transfer."""

    reason = models.CharField(max_length=200)
    transfer = models.OneToOneField(
        Transfer, on_delete=models.PROTECT, null=True, related_name="%(class)s"
    )

    class Meta(CheckedRequest.Meta):
        abstract = True
        constraints: ClassVar[list[models.BaseConstraint]] = [
            *CheckedRequest.Meta.constraints,
            models.CheckConstraint(
                condition=~models.Q(reason=""), name="%(app_label)s_%(class)s_has_a_reason"
            ),
            models.CheckConstraint(
                condition=models.Q(status="approved", transfer__isnull=False)
                | ~models.Q(status="approved") & models.Q(transfer__isnull=True),
                name="%(app_label)s_%(class)s_approved_is_posted",
            ),
        ]
