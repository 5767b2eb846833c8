"""Settlements of gateways: what each came to, and a second person's approval."""

from __future__ import annotations

from django.contrib import admin
from django.http import HttpRequest
from unfold.admin import ModelAdmin

from core.admin.edit_pages import CheckedAdmin, approval, rejection
from core.admin.links import link_column
from core.admin.read_only import ReadOnlyAdmin
from finance.reconciliation import returns
from finance.reporting.words import account_word
from wallet.exceptions import WalletError
from wallet.gateways import settlements
from wallet.ledger.admin_columns import money_column
from wallet.ledger.money import as_money, as_text
from wallet.payments.settlement_models import GatewaySettlement


@admin.register(GatewaySettlement)
class GatewaySettlementAdmin(CheckedAdmin, ReadOnlyAdmin, ModelAdmin):
    """One person asks on the gateway's file, another approves here."""

    list_display = (
        "reference",
        "provider",
        "settled_on",
        "paid_text",
        "returned_text",
        "other_text",
        "fee_text",
        "tax_text",
        "net_text",
        "status",
        "made_by",
        "checked_by",
    )
    list_filter = ("status", "provider", "currency")
    search_fields = ("=reference", "=bank_reference")
    date_hierarchy = "settled_on"
    checked_with = "wallet.check_gatewaysettlement"

    def get_fields(
        self, request: HttpRequest, obj: GatewaySettlement | None = None
    ) -> tuple[str, ...]:
        figures = ("paid_text", "returned_text", "other_text", "fee_text", "tax_text", "net_text")
        facts = ("provider", "reference", "bank_reference", "settled_on", *figures)
        asked = (*facts, "made_by", "made_at", "status")
        if obj is not None and obj.status == GatewaySettlement.Status.REQUESTED:
            return (*asked, "leaves", "unreported")
        return (*asked, "checked_by", "checked_at", "posted")

    approve = approval(
        lambda asked, by: returns.approve_settlement(settlement_id=asked.pk, by=by),
        label="Approve and post",
        message="Approved and posted",
        previewed=True,
    )

    reject = rejection(
        lambda asked, by: settlements.reject_settlement(settlement_id=asked.pk, by=by)
    )

    paid_text = money_column("paid", "Payments")
    returned_text = money_column("returned", "Refunds and disputes")
    other_text = money_column("other", "Corrections")
    fee_text = money_column("fee", "Fee")
    tax_text = money_column("tax", "Tax on the fee")

    @admin.display(description="Paid to the bank")
    def net_text(self, settlement: GatewaySettlement) -> str:
        return as_text(as_money(settlement.net_minor, settlement.currency))

    @admin.display(description="Approved now, it leaves")
    def leaves(self, settlement: GatewaySettlement) -> str:
        """Say what would be on the accounts, or why the ledger would refuse."""
        try:
            left = settlements.rehearse_settlement(settlement=settlement)
        except WalletError as refusal:
            return f"{refusal} ({refusal.code})"
        currency = settlement.currency
        return "; ".join(
            f"{account_word(kind)} {as_text(as_money(minor, currency))}"
            for kind, minor in left.items()
        )

    @admin.display(description="Refunds and disputes that no event has reported")
    def unreported(self, settlement: GatewaySettlement) -> str:
        """Name what approving would book besides the fees."""
        found = (
            f"{event.case_reference} {as_text(as_money(event.amount_minor, event.currency))}"
            for event in returns.unreported(settlement)
        )
        return "; ".join(found) or "None"

    posted = link_column("transfer", "Transfer")
