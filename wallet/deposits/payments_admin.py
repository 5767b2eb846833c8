"""Admin of refunds and disputes, and of the holding period of new deposits."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django import forms
from django.contrib import admin
from django.http import HttpRequest
from django.utils.translation import gettext, gettext_lazy

from core.admin.edit_pages import (
    MakerCheckerAdmin,
    action_with_remark,
    approval,
    permitted,
    rejection,
)
from core.admin.links import link_column, link_to_list
from core.admin.read_only import ReadOnlyAdmin
from core.clock import database_now
from players.accounts.models import User
from wallet.deposits import payment_returns
from wallet.deposits import terms as deposit_terms
from wallet.deposits.models import GatewayEvent
from wallet.deposits.payment_models import DepositTerm, PaymentReturn
from wallet.ledger.admin_columns import OfAmount, OfPlayer
from wallet.withdrawals.admin import RemarkForm


@admin.register(PaymentReturn)
class PaymentReturnAdmin(OfPlayer, OfAmount, ReadOnlyAdmin):
    """Refunds and disputes; staff close those that do not match their payment."""

    list_display = (
        "id",
        "who",
        "what",
        "figure",
        "status",
        "provider",
        "reference",
        "opened_at",
        "closed_at",
    )
    list_filter = ("status", "what", "provider", "currency")
    list_select_related = ("player",)
    search_fields = ("=reference", "=payment__reference", *OfPlayer.BY_PLAYER)
    its_payment = ("reported", "moved_minor", "payment", "order", "taken_by", "events")
    fields = (*list_display[1:], "closed_by", "remark", *its_payment)
    action_form = RemarkForm
    actions = ("close",)

    has_close_permission = permitted("wallet.change_stafftask")

    close = action_with_remark(
        lambda case, by, remark: payment_returns.close_return(
            return_id=case.pk, by=by, remark=remark
        ),
        label=gettext_lazy("Close: the money is where it belongs"),
        message=gettext_lazy("Closed"),
        permission="close",
    )

    order = link_column("payment.deposit", gettext_lazy("Deposit"))
    taken_by = link_column("transfer", gettext_lazy("Taken back by"))

    @admin.display(description=gettext_lazy("Events"))
    def events(self, case: PaymentReturn) -> str:
        return link_to_list(GatewayEvent, gettext("events"), q=case.payment.reference)


class TermForm(forms.ModelForm[DepositTerm]):
    class Meta:
        model = DepositTerm
        fields = ("hours", "begins_at", "reason")

    def clean_begins_at(self) -> Any:
        begins = self.cleaned_data["begins_at"]
        # A term already shown to players cannot be changed.
        if begins < database_now():
            raise forms.ValidationError(gettext("The term cannot begin in the past."))
        return begins


@admin.register(DepositTerm)
class DepositTermAdmin(MakerCheckerAdmin):
    """Holding periods of new deposits; one person requests, another decides."""

    form = TermForm
    fields = ("hours", "begins_at", "reason")
    list_display = ("hours", "begins_at", "reason", *MakerCheckerAdmin.DECISION)
    checked_with = "wallet.add_depositterm"

    def get_changeform_initial_data(self, request: HttpRequest) -> dict[str, Any]:
        return {"begins_at": database_now() + timedelta(minutes=10)}

    def save_by_action(self, row: DepositTerm, form: Any, by: User) -> DepositTerm:
        return deposit_terms.request_term(
            hours=row.hours, begins_at=row.begins_at, reason=row.reason, by=by
        )

    approve = approval(lambda term, by: deposit_terms.approve_term(term_id=term.pk, by=by))
    reject = rejection(lambda term, by: deposit_terms.reject_term(term_id=term.pk, by=by))
