"""Admin of deposits, gateway events, staff tasks, refunds, disputes, and terms of deposits."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django import forms
from django.contrib import admin
from django.http import HttpRequest
from django.utils.translation import gettext, gettext_lazy

from core.admin.edit_pages import (
    MakerCheckerAdmin,
    action_on_each,
    action_with_remark,
    approval,
    permitted,
    rejection,
)
from core.admin.links import link_column, link_to_list, preformatted
from core.admin.read_only import ReadOnlyAdmin
from core.clock import database_now
from players.accounts.models import User
from wallet.deposits import deposits, payment_returns, suspense
from wallet.deposits import terms as deposit_terms
from wallet.deposits.models import Deposit, GatewayEvent, StaffTask
from wallet.deposits.payment_models import DepositTerm, PaymentReturn
from wallet.ledger.admin_columns import OfAmount, OfPlayer, money_column
from wallet.ledger.money import as_text
from wallet.withdrawals.admin import RemarkForm


@admin.register(Deposit)
class DepositAdmin(OfPlayer, OfAmount, ReadOnlyAdmin):
    list_display = ("id", "who", "figure", "status", "provider", "order_reference", "created_at")
    list_filter = ("status", "provider", "currency")
    list_select_related = ("player",)
    search_fields = ("=public_id", "order_reference", *OfPlayer.BY_PLAYER)
    date_hierarchy = "created_at"
    fields = ("public_id", *list_display[1:], "gst_charged", "to_be_paid", "credited_by", "events")

    @admin.display(description=gettext_lazy("GST"))
    def gst_charged(self, deposit: Deposit) -> str:
        return f"{as_text(deposit.gst)} ({deposit.gst_percent} %, {deposit.gst_treatment})"

    to_be_paid = money_column("to_pay", gettext_lazy("To be paid"))
    credited_by = link_column("transfer", gettext_lazy("Credited by"))

    @admin.display(description=gettext_lazy("Events"))
    def events(self, deposit: Deposit) -> str:
        return link_to_list(GatewayEvent, gettext("events"), q=deposit.order_reference)


@admin.register(GatewayEvent)
class GatewayEventAdmin(OfAmount, ReadOnlyAdmin):
    list_display = ("received_at", "provider", "kind", "figure", "order_reference", "outcome")
    list_filter = ("provider", "kind", "outcome", "source")
    references = ("event_reference", "payment_reference", "case_reference")
    search_fields = ("order_reference", *references)
    date_hierarchy = "received_at"
    apart = ("fee_minor", "tax_minor", "moved_minor")
    fields = (*list_display, *apart, *references, "source", "headers", "sent")

    @admin.display(description=gettext_lazy("Sent by the gateway"))
    def sent(self, event: GatewayEvent) -> str:
        return preformatted(bytes(event.body).decode(errors="replace"))


@admin.register(StaffTask)
class StaffTaskAdmin(ReadOnlyAdmin):
    """Tasks; money in suspense is credited to the payer, sent back, or assigned by an
    adjustment."""

    list_display = ("kind", "details", "order", "created_at", "done_at", "done_by")
    list_filter = ("kind", ("done_at", admin.EmptyFieldListFilter))
    list_select_related = ("transfer", "event", "deposit", "done_by")
    fields = (*list_display, "moved_by", "told_by")
    action_form = RemarkForm
    actions = ("place", "send_back", "done")

    has_done_permission = permitted("wallet.change_stafftask")

    place = action_on_each(
        lambda task, by: suspense.place_payment(task_id=task.pk, by=by),
        label=gettext_lazy("Credit the player, less GST"),
        message=gettext_lazy("Credited"),
        permission="done",
        previewed=True,
    )

    send_back = action_with_remark(
        lambda task, by, remark: suspense.return_payment(task_id=task.pk, by=by, remark=remark),
        label=gettext_lazy("Record as sent back, with the gateway's reference"),
        message=gettext_lazy("Recorded as sent back"),
        permission="done",
        previewed=True,
    )

    done = action_on_each(
        lambda task, by: deposits.finish_task(task_id=task.pk, by=by),
        label=gettext_lazy("Finish the task"),
        message=gettext_lazy("Done"),
        permission="done",
    )

    moved_by = link_column("transfer", gettext_lazy("Transfer"))
    told_by = link_column("event", gettext_lazy("Event"))
    order = link_column("deposit", gettext_lazy("Deposit"))


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
