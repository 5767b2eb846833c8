"""The admin of reports about players: staff read and decide them; what was sent is read-only."""

from __future__ import annotations

from typing import Any, ClassVar

from django import forms
from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext, gettext_lazy
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldAdminTextareaWidget

from core.admin.edit_pages import ServiceAdmin, permitted
from core.admin.links import link
from players.accounts.models import User
from tables.manners import actions
from tables.manners.models import PlayerReport, PlayerReportQuerySet


class DecisionForm(forms.ModelForm[PlayerReport]):
    outcome = forms.ChoiceField(
        choices=[("", "---------"), *PlayerReport.Outcome.choices],
        help_text=gettext_lazy(
            "Sent to both players. Restrict the account on the player's page before you choose "
            "“Account restricted”."
        ),
        widget=UnfoldAdminSelectWidget(),
    )
    note = forms.CharField(
        max_length=PlayerReport.LONGEST,
        help_text=gettext_lazy("The reason, for staff only."),
        widget=UnfoldAdminTextareaWidget(),
    )

    class Meta:
        model = PlayerReport
        fields = ("outcome", "note")


@admin.register(PlayerReport)
class PlayerReportAdmin(ServiceAdmin):
    """Open reports first, the oldest on top; reports about the reader are not listed."""

    form = DecisionForm
    list_display = ("__str__", "about", "kind", "sent_by", "replayed", "outcome", "sent_at")
    list_filter = ("outcome", "kind")
    list_select_related = ("reporter", "reported", "table", "deal")
    search_fields = ("reported__handle", "reporter__handle", "=table__public_id")
    ordering: ClassVar[tuple[str, ...]] = ("-decided_at", "sent_at")
    readonly_fields = (
        "about",
        "earlier",
        "kind",
        "text",
        "replayed",
        "case",
        "sent_by",
        "sent_at",
        "decided_by",
        "decided_at",
    )
    fields = (*readonly_fields[:8], "outcome", "note", *readonly_fields[8:])

    def get_queryset(self, request: HttpRequest) -> QuerySet[PlayerReport]:
        assert isinstance(request.user, User), "staff are users"
        reports: PlayerReportQuerySet = super().get_queryset(request)
        return reports.shown_to(request.user)

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: PlayerReport | None = None) -> bool:
        """Return whether the report still needs a decision."""
        return self.has_decide_permission(request) and (obj is None or not obj.outcome)

    has_decide_permission = permitted("tables.decide_playerreport")

    def save_by_action(self, row: PlayerReport, form: Any, by: User) -> PlayerReport:
        return actions.decide_report(report_id=row.pk, by=by, **form.cleaned_data)

    @admin.display(description=gettext_lazy("Reported player"), ordering="reported__handle")
    def about(self, report: PlayerReport) -> str:
        return link(reverse("player-desk", args=[report.reported_id]), report.reported)

    @admin.display(description=gettext_lazy("Sent by"), ordering="reporter__handle")
    def sent_by(self, report: PlayerReport) -> str:
        return link(reverse("player-desk", args=[report.reporter_id]), report.reporter)

    @admin.display(description=gettext_lazy("Other reports about this player"))
    def earlier(self, report: PlayerReport) -> str:
        others = PlayerReport.objects.filter(reported=report.reported_id).exclude(pk=report.pk)
        upheld = others.exclude(outcome__in=("", PlayerReport.Outcome.NO_BREACH)).count()
        counted = {"all": others.count(), "upheld": upheld}
        return gettext("%(all)s, of which %(upheld)s led to a warning or restriction") % counted

    @admin.display(description=gettext_lazy("Step"))
    def replayed(self, report: PlayerReport) -> str:
        """Link to the replay at the step; it opens once the deal is over."""
        if report.deal is None:
            return str(report.table)
        address = (report.table.public_id, report.deal.no, report.ply)
        names = {"table": report.table, "no": report.deal.no, "step": report.ply}
        text = gettext("%(table)s, deal %(no)s, step %(step)s") % names
        return link(reverse("replay", args=address), text)

    @admin.display(description=gettext_lazy("Case"))
    def case(self, report: PlayerReport) -> str:
        url = reverse("case", args=[report._meta.label_lower, report.pk])
        return link(url, gettext("Cards of all at step %(step)s") % {"step": report.ply})
