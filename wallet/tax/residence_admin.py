"""Admin of declarations of tax residence, which staff accept or refuse."""

from __future__ import annotations

from django import forms
from django.contrib import admin
from django.utils.translation import gettext_lazy
from unfold.forms import ActionForm
from unfold.widgets import UnfoldAdminTextInputWidget

from core.admin.edit_pages import action_with_remark, permitted
from core.admin.read_only import ReadOnlyAdmin
from wallet.ledger.admin_columns import OfPlayer
from wallet.tax.arithmetic import year_name
from wallet.tax.residence import accept_residence, refuse_residence
from wallet.tax.residence_models import TaxResidence


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
