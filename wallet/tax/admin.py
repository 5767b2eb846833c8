"""Admin of tax rates, which are appended by date, withholdings, GST charges and residences."""

from __future__ import annotations

import re
from datetime import date
from decimal import Decimal
from typing import Any, Final

from django import forms
from django.conf import settings
from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext, gettext_lazy
from unfold.forms import ActionForm
from unfold.widgets import UnfoldAdminTextareaWidget, UnfoldAdminTextInputWidget

from core.admin.edit_pages import CreateOnlyAdmin, action_with_remark, permitted
from core.admin.links import link_column
from core.admin.read_only import ReadOnlyAdmin
from players.accounts.models import User
from wallet.ledger.admin_columns import (
    OfPlayer,
    actor_column,
    amount_column,
    money_column,
    share_column,
)
from wallet.ledger.days import site_day
from wallet.ledger.forms import ShareField
from wallet.ledger.money import BASIS_POINTS, percent
from wallet.tax.arithmetic import financial_year, year_name
from wallet.tax.models import GstCharge, TaxRate, Withholding
from wallet.tax.rates import append
from wallet.tax.residence import accept_residence, refuse_residence
from wallet.tax.residence_models import TaxResidence
from wallet.tax.withholding import players_to_settle

# An amount in whole units, and a percentage.
SLAB: Final = re.compile(r"([0-9]{1,12}): *([0-9]{1,2}(?:\.[0-9]{1,2})?)")


class TaxRateForm(forms.ModelForm[TaxRate]):
    bps = ShareField(
        label=gettext_lazy("Rate"),
        help_text=gettext_lazy("In percent; 0 if nothing is charged."),
    )
    cess_bps = ShareField(
        label=gettext_lazy("Cess"),
        required=False,
        help_text=gettext_lazy("Tax on winnings only: percentage of tax plus surcharge."),
    )
    surcharges = forms.CharField(
        label=gettext_lazy("Surcharges"),
        required=False,
        help_text=gettext_lazy(
            "Tax on winnings only: the surcharge on the tax, by the year's net winnings. One line"
            " each, such as 5000000: 10 for 10 % above 5,000,000."
        ),
        widget=UnfoldAdminTextareaWidget(),
    )

    class Meta:
        model = TaxRate
        fields = ("tax", "currency", "payee", "starts_on", "bps", "cess_bps", "treatment", "law")

    def clean(self) -> dict[str, Any]:
        values = super().clean() or {}
        self.instance.surcharges = values.get("surcharges", [])
        return values

    def clean_cess_bps(self) -> int:
        return self.cleaned_data["cess_bps"] or 0

    def clean_surcharges(self) -> list[list[int]]:
        """Return the surcharge slabs, entered one per line as `5000000: 10`."""
        slabs: list[list[int]] = []
        for line in self.cleaned_data["surcharges"].split("\n"):
            if not line.strip():
                continue
            found = SLAB.fullmatch(line.strip())
            slab = [int(found[1]) * 100, int(Decimal(found[2]) * 100)] if found else [0, 0]
            if slab[0] <= (slabs[-1][0] if slabs else 0) or not 0 < slab[1] < BASIS_POINTS:
                raise forms.ValidationError(
                    gettext(
                        "Enter one surcharge per line, ascending, such as 5000000: 10 for 10 %"
                        " above 5,000,000."
                    )
                )
            slabs.append(slab)
        return slabs

    def clean_starts_on(self) -> date:
        day: date = self.cleaned_data["starts_on"]
        if day <= site_day():
            raise forms.ValidationError(gettext("A rate can begin tomorrow at the earliest."))
        return day


class AppendedAdmin(CreateOnlyAdmin):
    """Rows with a first day: superusers append them, and they cannot be changed."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return bool(request.user.is_superuser)

    def save_by_action(self, row: Any, form: Any, by: User) -> Any:
        return append(row=row, by=by)


@admin.register(TaxRate)
class TaxRateAdmin(AppendedAdmin):
    form = TaxRateForm
    list_display = (
        "tax",
        "currency",
        "payee",
        "starts_on",
        "rate",
        "cess",
        "surcharge",
        "treatment",
        "law",
        "author",
    )
    list_filter = ("tax", "currency", "payee")

    rate = share_column("bps", gettext_lazy("Rate"))
    cess = share_column("cess_bps", gettext_lazy("Cess"))
    author = actor_column("added_by", gettext_lazy("Added by"))

    @admin.display(description=gettext_lazy("Surcharge"))
    def surcharge(self, rate: TaxRate) -> str:
        text = gettext("%(rate)s %% above %(amount)s")
        slabs = (
            text % {"rate": percent(bps), "amount": f"{minor // 100:,}"}
            for minor, bps in rate.surcharges
        )
        return ", ".join(slabs) or "-"


@admin.register(Withholding)
class WithholdingAdmin(OfPlayer, ReadOnlyAdmin):
    list_display = (
        "id",
        "who",
        "year",
        "reason",
        "payee",
        "taxed_figure",
        "tax_figure",
        "deducted_on",
    )
    list_filter = ("year", "reason", "currency", "payee")
    list_select_related = ("player",)
    search_fields = ("player__handle", "player__email")
    date_hierarchy = "deducted_on"
    list_before_template = "admin/wallet/tax_year.html"
    amounts = ("withdrawn", "deposited", "opening", "closing", "in_games", "taxed_before", "net")
    rates = ("rate", "surcharge_rate", "surcharge_figure", "cess_rate", "cess_figure")
    linked = ("currency", "withdrawal_asked", "posted_by", "created_at")
    # In the order of the calculation, whose results are the amount taxed and the tax.
    taxed, due = (*amounts, "taxed_figure"), (*rates, "tax_figure", "deducted_on")
    fields = ("who", "year", "reason", "payee", *taxed, *due, *linked)

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        year, currency = financial_year(site_day()) - 1, settings.CASH_CURRENCIES[0]
        values = {
            "unsettled": len(players_to_settle(currency=currency, year=year)),
            "last_year": year_name(year),
        }
        return super().changelist_view(request, (extra_context or {}) | values)

    withdrawn = amount_column("withdrawn_minor", gettext_lazy("Withdrawn"))
    deposited = amount_column("deposited_minor", gettext_lazy("Deposited"))
    opening = amount_column("opening_minor", gettext_lazy("Opening balance"))
    closing = amount_column("closing_minor", gettext_lazy("Closing balance"))
    in_games = amount_column("in_games_minor", gettext_lazy("In games"))
    taxed_before = amount_column("taxed_before_minor", gettext_lazy("Taxed before"))
    net = amount_column("net_minor", gettext_lazy("Net winnings"))
    rate = share_column("bps", gettext_lazy("Rate"))
    surcharge_rate = share_column("surcharge_bps", gettext_lazy("Surcharge"))
    cess_rate = share_column("cess_bps", gettext_lazy("Cess"))
    surcharge_figure = money_column("surcharge", gettext_lazy("Surcharge included"))
    cess_figure = money_column("cess", gettext_lazy("Cess included"))
    withdrawal_asked = link_column("withdrawal", gettext_lazy("Withdrawal"))
    posted_by = link_column("transfer", gettext_lazy("Transfer"))
    taxed_figure = money_column("taxed", gettext_lazy("Taxed"), ordering="taxed_minor")
    tax_figure = money_column("tax", gettext_lazy("Tax"), ordering="tax_minor")


@admin.register(GstCharge)
class GstChargeAdmin(ReadOnlyAdmin):
    list_display = ("id", "for_deposit", "paid_figure", "credited_figure", "tax_figure", "on")
    list_filter = ("currency", "treatment")
    list_select_related = ("deposit__player",)
    date_hierarchy = "charged_on"
    fields = (*list_display[1:], "rate", "treatment", "posted_by", "created_at")

    rate = share_column("bps", gettext_lazy("Rate"))
    for_deposit = link_column("deposit", gettext_lazy("Deposit"))
    posted_by = link_column("transfer", gettext_lazy("Transfer"))
    paid_figure = money_column("paid", gettext_lazy("Paid"))
    credited_figure = money_column("credited", gettext_lazy("Credited"))
    tax_figure = money_column("tax", gettext_lazy("Tax"))

    @admin.display(description=gettext_lazy("Charged on"), ordering="charged_on")
    def on(self, charge: GstCharge) -> str:
        return charge.charged_on.isoformat()


class ReasonForm(ActionForm):
    """An action with the document that proves a declaration, or the reason of its refusal."""

    remark = forms.CharField(
        label=gettext_lazy("Document or reason"),
        required=False,
        max_length=200,
        widget=UnfoldAdminTextInputWidget(),
    )


@admin.register(TaxResidence)
class TaxResidenceAdmin(OfPlayer, ReadOnlyAdmin):
    """Staff cannot decide about themselves or an opponent; decisions are in the audit log."""

    list_display = ("id", "who", "kind", "country", "year", "declared_at", "state", "decided_by")
    list_filter = ("state", "kind")
    list_select_related = ("player", "decided_by")
    search_fields = ("player__handle", "=player__public_id")
    action_form = ReasonForm
    actions = ("accept", "refuse")
    fields = ("public_id", *list_display[1:], "decided_at", "reason")

    accept = action_with_remark(
        lambda row, by, remark: accept_residence(residence_id=row.pk, by=by, reason=remark),
        label=gettext_lazy("Accept, with the document that proves it"),
        message=gettext_lazy("Accepted"),
        permission="decide",
    )
    refuse = action_with_remark(
        lambda row, by, remark: refuse_residence(residence_id=row.pk, by=by, reason=remark),
        label=gettext_lazy("Refuse, with reason"),
        message=gettext_lazy("Refused"),
        permission="decide",
    )

    has_decide_permission = permitted("wallet.decide_taxresidence")

    @admin.display(description=gettext_lazy("From the financial year"), ordering="from_year")
    def year(self, row: TaxResidence) -> str:
        return year_name(row.from_year)
