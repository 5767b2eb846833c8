"""Tax rates by date, and what was withheld and charged: looked at, and rates appended."""

from __future__ import annotations

from datetime import date
from typing import Any, cast

from django import forms
from django.conf import settings
from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy
from unfold.admin import ModelAdmin

from core.admin.edit_pages import CreateOnlyAdmin
from core.admin.links import link_column
from core.admin.read_only import ReadOnlyAdmin
from players.accounts.models import User
from wallet.ledger.admin_columns import OfPlayer, amount_column, money_column, share_column
from wallet.ledger.days import house_day
from wallet.ledger.forms import ShareField
from wallet.tax import assessment
from wallet.tax.arithmetic import financial_year, year_name
from wallet.tax.models import GstCharge, TaxRate, Withholding
from wallet.tax.withholding import players_to_settle


class TaxRateForm(forms.ModelForm[TaxRate]):
    bps = ShareField(
        label=gettext_lazy("Rate"),
        help_text=gettext_lazy("In percent; 0 where nothing is charged."),
    )

    class Meta:
        model = TaxRate
        fields = ("tax", "currency", "starts_on", "bps", "treatment", "law")

    def clean_starts_on(self) -> date:
        day: date = self.cleaned_data["starts_on"]
        if day <= house_day():
            raise forms.ValidationError("A rate begins tomorrow at the earliest.")
        return day


@admin.register(TaxRate)
class TaxRateAdmin(CreateOnlyAdmin, ModelAdmin):
    """A rate that holds, or has held, never changes; only superusers append another."""

    form = TaxRateForm
    list_display = ("tax", "currency", "starts_on", "rate", "treatment", "law", "added_by")
    list_filter = ("tax", "currency")

    rate = share_column("bps", gettext_lazy("Rate"))

    def has_add_permission(self, request: HttpRequest) -> bool:
        return bool(request.user.is_superuser)

    def save_model(self, request: HttpRequest, obj: TaxRate, form: Any, change: bool) -> None:
        assessment.append_rate(rate=obj, by=cast(User, request.user))


@admin.register(Withholding)
class WithholdingAdmin(OfPlayer, ReadOnlyAdmin, ModelAdmin):
    list_display = ("id", "who", "year", "reason", "taxed_figure", "tax_figure", "deducted_on")
    list_filter = ("year", "reason", "currency")
    list_select_related = ("player",)
    search_fields = ("player__handle", "player__email")
    date_hierarchy = "deducted_on"
    show_full_result_count = False
    list_before_template = "admin/wallet/tax_year.html"
    fields = (
        "who",
        "currency",
        "year",
        "reason",
        "withdrawal_asked",
        "posted_by",
        "withdrawn",
        "deposited",
        "opening",
        "closing",
        "in_games",
        "taxed_before",
        "net",
        "taxed_figure",
        "rate",
        "tax_figure",
        "deducted_on",
        "created_at",
    )

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        year, currency = financial_year(house_day()) - 1, settings.CASH_CURRENCIES[0]
        values = {
            "unsettled": len(players_to_settle(currency=currency, year=year)),
            "last_year": year_name(year),
        }
        return super().changelist_view(request, (extra_context or {}) | values)

    withdrawn = amount_column("withdrawn_minor", gettext_lazy("Withdrawn"))
    deposited = amount_column("deposited_minor", gettext_lazy("Paid in"))
    opening = amount_column("opening_minor", gettext_lazy("Opening balance"))
    closing = amount_column("closing_minor", gettext_lazy("Closing balance"))
    in_games = amount_column("in_games_minor", gettext_lazy("In games"))
    taxed_before = amount_column("taxed_before_minor", gettext_lazy("Taxed before"))
    net = amount_column("net_minor", gettext_lazy("Net winnings"))
    rate = share_column("bps", gettext_lazy("Rate"))
    withdrawal_asked = link_column("withdrawal", gettext_lazy("Withdrawal"))
    posted_by = link_column("transfer", gettext_lazy("Transfer"))
    taxed_figure = money_column("taxed", gettext_lazy("Taxed"), ordering="taxed_minor")
    tax_figure = money_column("tax", gettext_lazy("Tax"), ordering="tax_minor")


@admin.register(GstCharge)
class GstChargeAdmin(ReadOnlyAdmin, ModelAdmin):
    list_display = ("id", "for_deposit", "paid_figure", "credited_figure", "tax_figure", "on")
    list_filter = ("currency", "treatment")
    list_select_related = ("deposit__player",)
    date_hierarchy = "charged_on"
    show_full_result_count = False
    fields = (
        "for_deposit",
        "posted_by",
        "paid_figure",
        "credited_figure",
        "tax_figure",
        "rate",
        "treatment",
        "on",
        "created_at",
    )

    rate = share_column("bps", gettext_lazy("Rate"))
    for_deposit = link_column("deposit", gettext_lazy("Deposit"))
    posted_by = link_column("transfer", gettext_lazy("Transfer"))
    paid_figure = money_column("paid", gettext_lazy("Paid"))
    credited_figure = money_column("credited", gettext_lazy("Credited"))
    tax_figure = money_column("tax", gettext_lazy("Tax"))

    @admin.display(description=gettext_lazy("Charged on"), ordering="charged_on")
    def on(self, charge: GstCharge) -> str:
        return charge.charged_on.isoformat()
