"""Admin of corrections, and of freezes of accounts."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin
from django.http import HttpRequest
from django.utils.translation import gettext, gettext_lazy
from moneyed import Money
from unfold.widgets import UnfoldAdminDecimalFieldWidget

from core.admin.autocomplete import AutocompleteAdmin
from core.admin.edit_pages import CreateOnlyAdmin, MakerCheckerAdmin, approval, rejection
from core.admin.links import link_column
from players.accounts.models import User
from wallet.audit import freezes
from wallet.audit.models import AccountFreeze
from wallet.corrections import adjustments
from wallet.corrections.models import Adjustment
from wallet.exceptions import WalletError
from wallet.ledger.admin_columns import OfAmount
from wallet.ledger.forms import FiguresField
from wallet.ledger.money import as_text


class AdjustmentForm(forms.ModelForm[Adjustment]):
    amount = FiguresField(
        label=gettext_lazy("Amount"),
        max_digits=18,
        help_text=gettext_lazy("In the accounts' currency, above zero."),
        widget=UnfoldAdminDecimalFieldWidget(),
    )

    class Meta:
        model = Adjustment
        fields = ("source", "target", "reason")


@admin.register(Adjustment)
class AdjustmentAdmin(AutocompleteAdmin, OfAmount, MakerCheckerAdmin):
    form = AdjustmentForm
    autocomplete_fields = ("source", "target")
    list_display = (
        "id",
        "figure",
        "where_from",
        "where_to",
        "reason",
        "status",
        "made_by",
        "checked_by",
    )
    list_select_related = ("source__player", "target__player", "made_by", "checked_by")
    date_hierarchy = "made_at"

    def get_fields(self, request: HttpRequest, obj: Adjustment | None = None) -> list[str]:
        if obj is None:
            return ["source", "target", "amount", "reason"]
        asked = ["figure", "where_from", "where_to", "reason", "made_by", "made_at"]
        if obj.status == Adjustment.Status.REQUESTED:
            return [*asked, "status", "leaves"]
        return [*asked, "status", "checked_by", "checked_at", "posted"]

    def save_by_action(self, row: Adjustment, form: Any, by: User) -> Adjustment:
        asked = form.cleaned_data
        return adjustments.request_adjustment(
            source=asked["source"],
            target=asked["target"],
            amount=Money(asked["amount"], asked["source"].currency),
            reason=asked["reason"],
            by=by,
        )

    approve = approval(
        lambda asked, by: adjustments.approve_adjustment(adjustment=asked, by=by),
        label=gettext_lazy("Approve and post"),
        message=gettext_lazy("Approved and posted"),
        previewed=True,
    )

    reject = rejection(lambda asked, by: adjustments.reject_adjustment(adjustment=asked, by=by))

    where_from = link_column("source", gettext_lazy("From"))
    where_to = link_column("target", gettext_lazy("To"))

    @admin.display(description=gettext_lazy("Balances after approval"))
    def leaves(self, adjustment: Adjustment) -> str:
        """Return both balances after approval, or the ledger's refusal."""
        try:
            source, target = adjustments.rehearse_adjustment(adjustment=adjustment)
        except WalletError as refusal:
            return f"{refusal} ({refusal.code})"
        balances = {"source": as_text(source), "target": as_text(target)}
        return gettext("%(source)s and %(target)s") % balances

    posted = link_column("transfer", gettext_lazy("Transfer"))


@admin.register(AccountFreeze)
class AccountFreezeAdmin(AutocompleteAdmin, CreateOnlyAdmin):
    autocomplete_fields = ("account",)
    list_display = ("act", "which", "reason", "by", "at")
    list_filter = ("act",)
    list_select_related = ("account__player", "by")
    date_hierarchy = "at"
    fields = ("account", "act", "reason")

    def save_by_action(self, row: AccountFreeze, form: Any, by: User) -> AccountFreeze:
        is_freeze = row.act == AccountFreeze.Act.FREEZE
        act = freezes.freeze_account if is_freeze else freezes.thaw_account
        return act(account=row.account, reason=row.reason, by=by)

    which = link_column("account", gettext_lazy("Account"))
