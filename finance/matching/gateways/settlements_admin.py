"""Admin of gateway settlements: their amounts, and approval by a second person."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldAdminTextInputWidget

from core.admin.edit_pages import CheckedAdmin, approval, permitted, refusals_as_messages, rejection
from core.admin.links import link_column
from core.admin.read_only import ReadOnlyAdmin
from finance.matching.gateways import returns
from finance.matching.gateways.settlements import bank_references
from finance.matching.models import GatewayLine
from finance.reports.frame.report import account_label
from players.accounts.models import User
from wallet.exceptions import WalletError
from wallet.gateways import settlements
from wallet.gateways.interface import REFERENCE_LENGTH_MAX
from wallet.gateways.models import GatewaySettlement
from wallet.ledger.admin_columns import money_column
from wallet.ledger.money import as_money, as_text


class PaymentForm(forms.Form):
    """Records the payment of a dispute whose line has none."""

    reference = forms.ChoiceField(label=gettext_lazy("Dispute"), widget=UnfoldAdminSelectWidget())
    payment = forms.CharField(
        label=gettext_lazy("Payment"),
        max_length=REFERENCE_LENGTH_MAX,
        widget=UnfoldAdminTextInputWidget(),
        help_text=gettext_lazy("The payment's reference, from the gateway's dashboard."),
    )

    def __init__(self, lines: Sequence[GatewayLine], *args: Any) -> None:
        super().__init__(*args)
        self.fields["reference"].choices = [  # type: ignore[attr-defined]
            (one.reference, f"{one.reference} {as_text(as_money(-one.amount_minor, one.currency))}")
            for one in lines
        ]


@admin.register(GatewaySettlement)
class GatewaySettlementAdmin(CheckedAdmin, ReadOnlyAdmin):
    """One person requests settlements from the gateway file, another approves them here."""

    # The other amounts and the people are on its page.
    list_display = ("reference", "settled_on", "paid_text", "fee_text", "net_text", "status")
    list_filter = ("status", "provider", "currency")
    search_fields = ("=reference", "=bank_reference")
    date_hierarchy = "settled_on"
    has_ask_permission = permitted("wallet.add_gatewaysettlement")

    def get_fields(
        self, request: HttpRequest, obj: GatewaySettlement | None = None
    ) -> tuple[str, ...]:
        figures = ("paid_text", "returned_text", "other_text", "fee_text", "tax_text", "net_text")
        facts = ("provider", "reference", "banks", "settled_on", *figures)
        asked = (*facts, "made_by", "made_at", "status")
        if obj is not None and obj.status == GatewaySettlement.Status.REQUESTED:
            return (*asked, "leaves", "unreported", "nameless")
        return (*asked, "checked_by", "checked_at", "posted", "unreported", "nameless")

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(self.disputes_view)
        name = "wallet_gatewaysettlement_disputes"
        return [path("<int:pk>/disputes/", view, name=name), *super().get_urls()]

    def disputes_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Record the payments of disputes whose lines have none."""
        if not self.has_ask_permission(request):
            raise PermissionDenied
        settlement = get_object_or_404(GatewaySettlement, pk=pk)
        form = PaymentForm(returns.nameless(settlement), request.POST or None)
        if form.is_valid():
            with refusals_as_messages(request):
                returns.name_payment(
                    settlement_id=pk, by=cast(User, request.user), **form.cleaned_data
                )
                messages.success(
                    request, _("Saved. It is booked when another person approves the settlement.")
                )
            return redirect("admin:wallet_gatewaysettlement_change", pk)
        context = {
            **self.admin_site.each_context(request),
            "title": _("Disputes without a payment"),
            "settlement": settlement,
            "form": form,
        }
        return TemplateResponse(request, "admin/finance/disputes.html", context)

    approve = approval(
        lambda asked, by: returns.approve_settlement(settlement_id=asked.pk, by=by),
        label=gettext_lazy("Approve and post"),
        message=gettext_lazy("Approved and posted"),
        previewed=True,
    )

    reject = rejection(
        lambda asked, by: settlements.reject_settlement(settlement_id=asked.pk, by=by)
    )

    paid_text = money_column("paid", gettext_lazy("Payments"))
    returned_text = money_column("returned", gettext_lazy("Refunds and disputes"))
    other_text = money_column("other", gettext_lazy("Corrections"))
    fee_text = money_column("fee", gettext_lazy("Fee"))
    tax_text = money_column("tax", gettext_lazy("Tax on the fee"))

    @admin.display(description=gettext_lazy("Bank references"))
    def banks(self, settlement: GatewaySettlement) -> str:
        """Return all of them: a settlement that the bank returned is sent under another."""
        known = bank_references(settlement.provider, settlement.reference)
        return ", ".join(known) or settlement.bank_reference or "-"

    @admin.display(description=gettext_lazy("Paid to the bank"))
    def net_text(self, settlement: GatewaySettlement) -> str:
        return as_text(as_money(settlement.net_minor, settlement.currency))

    @admin.display(description=gettext_lazy("Balances after approval"))
    def leaves(self, settlement: GatewaySettlement) -> str:
        """Return the balances if it were approved now, or the error."""
        try:
            left = settlements.rehearse_settlement(settlement=settlement)
        except WalletError as refusal:
            return f"{refusal} ({refusal.code})"
        currency = settlement.currency
        return "; ".join(
            f"{account_label(kind)} {as_text(as_money(minor, currency))}"
            for kind, minor in left.items()
        )

    @admin.display(description=gettext_lazy("Refunds and disputes without a gateway event"))
    def unreported(self, settlement: GatewaySettlement) -> str:
        """Return the refunds and disputes that approval would book."""
        found = (
            f"{event.case_reference} {as_text(as_money(event.amount_minor, event.currency))}"
            for event in returns.unreported(settlement)
        )
        return "; ".join(found) or _("None")

    @admin.display(description=gettext_lazy("Disputes without a payment"))
    def nameless(self, settlement: GatewaySettlement) -> str:
        found = returns.nameless(settlement)
        if not found:
            return _("None")
        url = reverse("admin:wallet_gatewaysettlement_disputes", args=[settlement.pk])
        names = ", ".join(line.reference for line in found)
        return format_html(
            '{} <a class="underline" href="{}">{}</a>', names, url, _("add payments")
        )

    posted = link_column("transfer", gettext_lazy("Transfer"))
