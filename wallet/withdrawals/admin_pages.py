"""Pages of the admin of withdrawals: the summary before an approval, and the bank's answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

from django import forms
from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.translation import gettext, gettext_lazy
from django.utils.translation import gettext as _
from unfold.widgets import UnfoldAdminFileFieldWidget

from core.admin.previews import agreed_form, is_agreed_to
from core.exceptions import Refusal
from players.accounts.models import User
from wallet.ledger.money import as_money, as_text
from wallet.withdrawals import withdrawals
from wallet.withdrawals.models import Withdrawal
from wallet.withdrawals.payout_file import Result
from wallet.withdrawals.refusals import findings


@dataclass(frozen=True, slots=True)
class Summed:
    """One chosen withdrawal with the findings of its checks."""

    withdrawal: Withdrawal
    findings: tuple[str, ...]

    @property
    def facts(self) -> list[Any]:
        """Return what must not change between the summary and its confirmation."""
        return [self.withdrawal.pk, self.withdrawal.status, *self.findings]

    @property
    def is_approved(self) -> bool:
        """Return whether the confirmation approves it."""
        return not self.findings and self.withdrawal.status == Withdrawal.Status.REQUESTED


def summary_page(request: HttpRequest, rows: Sequence[Withdrawal]) -> HttpResponse | None:
    """Return the summary page; None if the request confirms one that said the same."""
    summed = [Summed(row, tuple(findings(row))) for row in rows]
    facts = [one.facts for one in summed]
    if is_agreed_to(request, facts):
        return None
    approved = [one.withdrawal for one in summed if one.is_approved]
    totals: dict[str, int] = {}
    for each in approved:
        totals[each.currency] = totals.get(each.currency, 0) + each.payout_minor
    context = {
        **admin.site.each_context(request),
        "title": gettext("Nothing is approved yet"),
        "approved": approved,
        "left_out": [one for one in summed if not one.is_approved],
        "totals": [as_text(as_money(minor, currency)) for currency, minor in totals.items()],
        **agreed_form(request, facts),
    }
    return TemplateResponse(request, "admin/wallet/approval_summary.html", context)


BYTES_MAX: Final = 2_000_000
# The most refusals shown one by one; the rest are counted.
REFUSALS_SHOWN: Final = 20
STEPS: Final = {
    Withdrawal.Status.PAID: withdrawals.mark_paid,
    Withdrawal.Status.FAILED: withdrawals.mark_failed,
}


class AnswerForm(forms.Form):
    file = forms.FileField(
        label=gettext_lazy("File"),
        max_length=200,
        widget=UnfoldAdminFileFieldWidget(attrs={"accept": ".csv,text/csv"}),
        help_text=gettext_lazy(
            "CSV with the columns reference, outcome (paid or failed) and remark: the bank's "
            "reference of the payment, or its reason."
        ),
    )

    def clean_file(self) -> bytes:
        body: bytes = self.cleaned_data["file"].read(BYTES_MAX + 1)
        if len(body) > BYTES_MAX:
            raise forms.ValidationError(_("The file is too large."))
        return body


def apply_results(request: HttpRequest, results: Iterable[Result]) -> None:
    """Apply each result in its own commit; a refusal is shown and does not stop the others."""
    done: Counter[str] = Counter()
    refused = []
    for result in results:
        step = STEPS[result.outcome]
        try:
            step(
                withdrawal_id=result.withdrawal_id,
                by=cast(User, request.user),
                remark=result.remark,
            )
            done[result.outcome] += 1
        except Refusal as refusal:
            refused.append(f"{result.line}: {refusal} ({refusal.code})")
    figures = {"paid": done[Withdrawal.Status.PAID], "failed": done[Withdrawal.Status.FAILED]}
    if done:
        messages.success(request, _("Recorded: %(paid)d paid, %(failed)d refused.") % figures)
    for line in refused[:REFUSALS_SHOWN]:
        messages.error(request, _("Line %(line)s") % {"line": line})
    if more := len(refused[REFUSALS_SHOWN:]):
        messages.error(request, _("%(number)d more lines were refused.") % {"number": more})
