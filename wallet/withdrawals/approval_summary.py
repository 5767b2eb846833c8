"""The summary that is confirmed before several withdrawals are approved together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.translation import gettext

from core.admin.previews import agreed_form, is_agreed_to
from wallet.ledger.money import as_money, as_text
from wallet.withdrawals.models import Withdrawal
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
