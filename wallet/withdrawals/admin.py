"""Admin of withdrawals, payout files and the bank's answers."""

from __future__ import annotations

from typing import Any, Final, cast

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import BadRequest, PermissionDenied
from django.db.models import Count, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.template.loader import render_to_string
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html, format_html_join
from django.utils.translation import gettext, gettext_lazy, ngettext
from unfold.forms import ActionForm
from unfold.sections import TemplateSection
from unfold.widgets import UnfoldAdminTextInputWidget

from core.admin.edit_pages import action_with_remark, apply_to_each, permitted, refusals_as_messages
from core.admin.links import link, link_column, link_to, link_to_list, tag
from core.admin.read_only import ReadOnlyAdmin
from core.clock import DatabaseNow
from core.exceptions import CheckerIsMaker
from core.http.csv_stream import csv_response
from players.accounts.models import User
from wallet.exceptions import ChecksFailed
from wallet.ledger.admin_columns import OfPlayer, money_column
from wallet.ledger.money import as_text
from wallet.withdrawals import withdrawals
from wallet.withdrawals.admin_pages import AnswerForm, apply_results, summary_page
from wallet.withdrawals.models import PayoutBatch, Withdrawal, WithdrawalQuerySet
from wallet.withdrawals.payees.admin import OfPayee
from wallet.withdrawals.payout_file import LAYOUTS, PLAIN, left_out_of, payout_rows, read_answer
from wallet.withdrawals.refusals import findings

# The states in a list; the model's labels are sentences for players.
SHORT_STATES: Final = {
    Withdrawal.Status.REQUESTED: gettext_lazy("To decide"),
    Withdrawal.Status.APPROVED: gettext_lazy("To pay"),
    Withdrawal.Status.PAID: gettext_lazy("Paid"),
    Withdrawal.Status.REJECTED: gettext_lazy("Rejected"),
    Withdrawal.Status.FAILED: gettext_lazy("Refused by the bank"),
}


class WithdrawalDetails(TemplateSection):
    """The panel below a row of the list."""

    template_name = "admin/wallet/_withdrawal_details.html"

    def get_context_data(self, request: HttpRequest, instance: Withdrawal) -> dict[str, Any]:
        return {"holder": OfPayee().payee_name(instance)}


class RemarkForm(ActionForm):
    """An action with a reason for the player, or the bank's reference."""

    remark = forms.CharField(
        label=gettext_lazy("Reason or bank reference"),
        required=False,
        max_length=200,
        widget=UnfoldAdminTextInputWidget(),
    )


@admin.register(Withdrawal)
class WithdrawalAdmin(OfPayee, OfPlayer, ReadOnlyAdmin):
    """Soonest due first; the requester and the player of a withdrawal cannot decide it."""

    sums = ("figure", "withheld", "net", "from_deposit", "from_winnings", "held_by")
    bank_account = ("payee_name", "account", "also_of", "account_new_until")
    state = ("status", "due_at")
    people = ("requested_by", "decided_by")
    end = ("batch", "remark")
    list_display = ("whose", "figure", "net", "checks", "standing", "due_at", "decide")
    # Columns with buttons, which are left out of CSV files.
    controls = ("decide",)
    list_filter = ("status", "currency", "batch")
    list_select_related = ("player", "requested_by", "decided_by", "batch", "payee", "hold")
    list_per_page = 50
    list_sections = (WithdrawalDetails,)
    list_after_template = "admin/wallet/withdrawal_forms.html"
    references = ("=public_id", "=bank_reference", "=reference", "=payee__payee_hash")
    search_fields = (*references, *OfPlayer.BY_PLAYER)
    ordering = ("due_at", "-pk")
    action_form = RemarkForm
    actions = ("approve", "reject", "send_to_bank", "mark_paid", "mark_failed")
    change_form_outer_before_template = "admin/wallet/withdrawal_steps.html"
    times = ("requested_at", "decided_at", "closed_at")
    described = (*sums, *bank_account, "checks", *state)
    fields = ("public_id", "who", *described, *people, *times, "bank_reference", *end)

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        may_decide = self.has_decide_permission(request)
        context = {**(extra_context or {}), "may_decide": may_decide}
        answer: HttpResponse = super().changelist_view(request, context)
        return answer

    def get_list_display(self, request: HttpRequest) -> Any:
        shown = super().get_list_display(request)
        if self.has_decide_permission(request):
            return shown
        return [name for name in shown if name not in self.controls]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Withdrawal]:
        found = cast(WithdrawalQuerySet, super().get_queryset(request))
        return found.with_short_reference().annotate(read_at=DatabaseNow())

    has_decide_permission = permitted("wallet.decide_withdrawal")

    has_pay_permission = permitted("wallet.pay_withdrawal")

    @admin.action(
        description=gettext_lazy("Approve (of several, those without findings)"),
        permissions=["decide"],
    )
    def approve(self, request: HttpRequest, chosen: QuerySet[Withdrawal]) -> HttpResponse | None:
        """Approve one despite findings of the checks; of several only those without findings.

        Several are approved after a summary of their amounts and findings was confirmed.
        """
        rows = list(chosen.order_by("pk"))
        if len(rows) > 1 and (page := summary_page(request, rows)):
            return page

        def act(asked: Withdrawal, by: User) -> None:
            if len(rows) > 1 and (found := list(findings(asked))):
                raise ChecksFailed(" ".join(found))
            withdrawals.approve(withdrawal_id=asked.pk, by=by)

        return apply_to_each(request, chosen, act, message=gettext("Approved"))

    reject = action_with_remark(
        lambda asked, by, remark: withdrawals.reject(withdrawal_id=asked.pk, by=by, remark=remark),
        label=gettext_lazy("Reject, with reason"),
        message=gettext_lazy("Rejected"),
        permission="decide",
    )

    @admin.action(
        description=gettext_lazy("Send all approved withdrawals to the bank"), permissions=["pay"]
    )
    def send_to_bank(self, request: HttpRequest, chosen: QuerySet[Withdrawal]) -> None:
        with refusals_as_messages(request):
            batch = withdrawals.send_to_bank(by=cast(User, request.user))
            messages.success(request, format_html("{}: {}", batch, file_link(batch)))

    @admin.action(
        description=gettext_lazy("Record as paid, with the bank's reference"), permissions=["pay"]
    )
    def mark_paid(self, request: HttpRequest, chosen: QuerySet[Withdrawal]) -> None:
        remark = request.POST.get("remark", "")

        def act(asked: Withdrawal, by: User) -> None:
            withdrawals.mark_paid(withdrawal_id=asked.pk, by=by, remark=remark)

        if chosen.count() == 1:
            apply_to_each(request, chosen, act, message=gettext("Recorded as paid"))
            return
        # The first would take the reference, and the others would be refused.
        said = gettext(
            "A reference belongs to one payment. Select one withdrawal, or upload the "
            "bank's answer to the whole file."
        )
        messages.error(request, said)

    mark_failed = action_with_remark(
        lambda asked, by, remark: withdrawals.mark_failed(
            withdrawal_id=asked.pk, by=by, remark=remark
        ),
        label=gettext_lazy("Record as refused by the bank, with its reason"),
        message=gettext_lazy("Recorded as refused"),
        permission="pay",
    )

    figure = money_column("amount", gettext_lazy("Amount"))

    @admin.display(description=gettext_lazy("Tax"))
    def withheld(self, withdrawal: Withdrawal) -> str:
        return link_to(getattr(withdrawal, "withholding", None), as_text(withdrawal.tax))

    net = money_column("payout", gettext_lazy("Paid to the bank"))

    from_deposit = money_column("deposit", gettext_lazy("Deposit"))
    from_winnings = money_column("winnings", gettext_lazy("Winnings"))

    @admin.display(description=gettext_lazy("Status"), ordering="status")
    def standing(self, withdrawal: Any) -> str:
        is_late = withdrawal.due_at is not None and withdrawal.due_at < withdrawal.read_at
        late = tag(gettext("late"), "bad") if is_late else ""
        return format_html("{} {}", SHORT_STATES[withdrawal.status], late)

    @admin.display(description=gettext_lazy("Player"), ordering="player__handle")
    def whose(self, withdrawal: Withdrawal) -> str:
        """Return the player without a link: the list links the column to the withdrawal."""
        return str(withdrawal.player)

    @admin.display(description=gettext_lazy("Decision"))
    def decide(self, withdrawal: Withdrawal) -> str:
        """Return buttons of the row's form, which stands below the list."""
        if withdrawal.status != Withdrawal.Status.REQUESTED:
            return "-"
        return render_to_string("admin/wallet/_decide.html", {"withdrawal": withdrawal})

    account = link_column("payee", gettext_lazy("Bank account"))

    @admin.display(description=gettext_lazy("Findings of the checks"))
    def checks(self, withdrawal: Withdrawal) -> str:
        """Return findings before the approval; afterwards only the reason it cannot be paid."""
        if withdrawal.status != Withdrawal.Status.REQUESTED:
            is_approved = withdrawal.status == Withdrawal.Status.APPROVED
            return str(withdrawal.payee.merger or "-") if is_approved else "-"
        found = ((sentence,) for sentence in findings(withdrawal))
        return format_html_join(" ", "{}", found) or tag(gettext("No findings."), "good")

    held_by = link_column("hold", gettext_lazy("Set aside by"))


@admin.register(PayoutBatch)
class PayoutBatchAdmin(ReadOnlyAdmin):
    list_display = ("id", "made_at", "made_by", "content", "file", "answer")
    list_select_related = ("made_by",)
    date_hierarchy = "made_at"
    fields = ("public_id", "made_at", "made_by", "content", "file", "opening", "answer")

    def get_queryset(self, request: HttpRequest) -> QuerySet[PayoutBatch]:
        batches: QuerySet[PayoutBatch] = super().get_queryset(request)
        return batches.annotate(number=Count("withdrawals"))

    def get_urls(self) -> list[URLPattern]:
        file = self.admin_site.admin_view(self.file_view)
        answer = self.admin_site.admin_view(self.answer_view)
        return [
            path("<int:pk>/withdrawals.csv", file, name="payout-file"),
            path("<int:pk>/answer/", answer, name="payout-answer"),
            *super().get_urls(),
        ]

    def file_view(self, request: HttpRequest, pk: int) -> HttpResponseBase:
        batch = _batch_to_pay(request, pk)
        try:
            withdrawals.note_file_given(batch=batch, by=cast(User, request.user))
        except CheckerIsMaker as refusal:
            messages.error(request, f"{refusal} ({refusal.code})")
            return redirect("admin:wallet_payoutbatch_changelist")
        if number := left_out_of(batch):
            left_out = ngettext(
                "%(number)d withdrawal is left out of the file because its bank was merged: "
                "record it as refused.",
                "%(number)d withdrawals are left out of the file because their banks were "
                "merged: record them as refused.",
                number,
            )
            messages.warning(request, left_out % {"number": number})
        layout = request.GET.get("layout", PLAIN)
        if layout not in LAYOUTS:
            raise BadRequest("unknown layout")
        return csv_response(
            request,
            filename=f"payouts-{layout}-{batch.public_id}.csv",
            columns=tuple(LAYOUTS[layout].columns),
            chunks=payout_rows(batch, layout=layout),
        )

    def answer_view(self, request: HttpRequest, pk: int) -> HttpResponseBase:
        """Apply the bank's answer to a payout file; each payment is recorded separately."""
        batch = _batch_to_pay(request, pk)
        form = AnswerForm(request.POST or None, request.FILES or None)
        if form.is_valid():
            with refusals_as_messages(request):
                apply_results(request, read_answer(batch, form.cleaned_data["file"]))
            return redirect("admin:payout-answer", pk)
        context = {
            **self.admin_site.each_context(request),
            "title": gettext("Bank's answer"),
            "batch": batch,
            "form": form,
            "number": batch.withdrawals.count(),
            "waiting": batch.withdrawals.pending().count(),
        }
        return TemplateResponse(request, "admin/wallet/bank_answer.html", context)

    @admin.display(description=gettext_lazy("Bank's answer"))
    def answer(self, batch: PayoutBatch) -> str:
        url = reverse("admin:payout-answer", args=[batch.pk])
        return link(url, gettext("upload"))

    @admin.display(description=gettext_lazy("Withdrawals"))
    def content(self, batch: Any) -> str:
        return link_to_list(Withdrawal, str(batch.number), batch__id__exact=batch.pk)

    @admin.display(description=gettext_lazy("File for the bank"))
    def file(self, batch: PayoutBatch) -> str:
        return file_link(batch)

    @admin.display(description=gettext_lazy("Opening the file"))
    def opening(self, batch: PayoutBatch) -> str:
        return gettext(
            "Send the file to the bank as it is. To read it in a spreadsheet, import it with all "
            "columns as text: a double click removes leading zeros from bank accounts and rounds "
            "long ones, and saving it then changes who is paid."
        )


def _batch_to_pay(request: HttpRequest, pk: int) -> PayoutBatch:
    if not request.user.has_perm("wallet.pay_withdrawal"):
        raise PermissionDenied
    return get_object_or_404(PayoutBatch, pk=pk)


def file_link(batch: PayoutBatch) -> str:
    """Return links to the file of a batch, one per layout."""
    url = reverse("admin:payout-file", args=[batch.pk])
    links = ((url, name, layout.title) for name, layout in LAYOUTS.items())
    return format_html_join(", ", '<a class="underline" href="{}?layout={}">{}</a>', links)
