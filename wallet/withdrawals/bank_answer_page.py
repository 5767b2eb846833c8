"""The page on which staff enter the bank's answer to a payout file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Final, cast

from django import forms
from django.contrib import messages
from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from unfold.widgets import UnfoldAdminFileFieldWidget

from core.exceptions import Refusal
from players.accounts.models import User
from wallet.withdrawals import withdrawals
from wallet.withdrawals.models import Withdrawal
from wallet.withdrawals.payout_file import Result

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
