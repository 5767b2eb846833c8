"""Settlements of gateways: payments to the operator's bank, less fees and their tax."""

from __future__ import annotations

from typing import ClassVar

from django.db import models

from core.db.identifiers import ProtectedOneToOneField
from core.maker_checker import Checked
from wallet.ledger.models import Transfer
from wallet.ledger.money import MoneyProperty


class GatewaySettlement(Checked):
    """A gateway's payment to the operator's bank, imported from its settlement file.

    The gateway's events book the payments, refunds and disputes in it. Approval by a second person
    posts the rest: the fee, its tax, and unexplained corrections, which go to suspense.
    """

    provider = models.CharField(max_length=20)
    # The gateway's reference of the settlement, and the bank's of the payment.
    reference = models.CharField(max_length=80)
    bank_reference = models.CharField(max_length=80, blank=True, default="")
    settled_on = models.DateField()
    currency = models.CharField(max_length=3)
    # Payments; refunds and disputes deducted; and corrections of either sign.
    paid_minor = models.BigIntegerField()
    returned_minor = models.BigIntegerField()
    other_minor = models.BigIntegerField()
    fee_minor = models.BigIntegerField()
    tax_minor = models.BigIntegerField()
    # Null if there was nothing to post.
    transfer = ProtectedOneToOneField(Transfer, null=True, related_name="gateway_settlement")

    class Meta(Checked.Meta):
        permissions = (("check_gatewaysettlement", "Can approve and reject settlements"),)
        constraints: ClassVar[list[models.BaseConstraint]] = [
            *Checked.Meta.constraints,
            models.UniqueConstraint(
                fields=["provider", "reference"],
                condition=~models.Q(status="rejected"),
                name="wallet_gatewaysettlement_one_stands",
            ),
            models.CheckConstraint(
                condition=models.Q(
                    paid_minor__gte=0, returned_minor__gte=0, fee_minor__gte=0, tax_minor__gte=0
                ),
                name="wallet_gatewaysettlement_sums_are_no_debts",
            ),
            models.CheckConstraint(
                condition=models.Q(transfer=None) | models.Q(status="approved"),
                name="wallet_gatewaysettlement_posted_when_approved",
            ),
            models.CheckConstraint(
                condition=~models.Q(status="approved")
                | models.Q(transfer__isnull=False)
                | models.Q(fee_minor=0, tax_minor=0, other_minor=0),
                name="wallet_gatewaysettlement_approved_is_posted",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.provider} {self.reference}"

    paid = MoneyProperty("paid_minor")
    returned = MoneyProperty("returned_minor")
    other = MoneyProperty("other_minor")
    fee = MoneyProperty("fee_minor")
    tax = MoneyProperty("tax_minor")

    @property
    def net_minor(self) -> int:
        """Return the amount paid to the bank."""
        kept = self.returned_minor + self.fee_minor + self.tax_minor
        return self.paid_minor + self.other_minor - kept
