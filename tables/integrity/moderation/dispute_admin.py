"""The admin of disputes: staff take, answer and close them; the deal itself is read-only."""

from __future__ import annotations

from typing import Any, ClassVar

from django import forms
from django.contrib import admin
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html_join
from django.utils.safestring import mark_safe
from django.utils.translation import gettext, gettext_lazy
from unfold.widgets import UnfoldAdminTextareaWidget

from core.admin.edit_pages import ServiceAdmin, action_on_each, permitted
from core.admin.links import link, preformatted
from players.accounts.models import User
from tables.integrity.moderation import disputes
from tables.integrity.moderation.dispute_models import Dispute


class AnswerForm(forms.ModelForm[Dispute]):
    answer = forms.CharField(
        max_length=Dispute.LONGEST,
        help_text=gettext_lazy("Shown to the player."),
        widget=UnfoldAdminTextareaWidget(),
    )

    class Meta:
        model = Dispute
        fields = ("answer",)


@admin.register(Dispute)
class DisputeAdmin(ServiceAdmin):
    """Oldest first; staff cannot decide on a game of their own."""

    form = AnswerForm
    list_display = (
        "__str__",
        "who",
        "category",
        "which",
        "replayed",
        "status",
        "assignee",
        "opened_at",
    )
    list_filter = ("status", "category", "assignee")
    list_select_related = ("seat__player", "deal__table", "assignee")
    search_fields = (
        "=public_id",
        "seat__player__handle",
        "=deal__table__public_id",
    )
    ordering: ClassVar[tuple[str, ...]] = ("answered_at", "opened_at")
    actions = ("take", "close")
    readonly_fields = (
        "public_id",
        "who",
        "which",
        "replayed",
        "case",
        "category",
        "words",
        "status",
        "assignee",
        "opened_at",
        "answered_at",
        "closed_at",
        "evidence_sha256",
        "file",
    )
    fields = (*readonly_fields[:9], "answer", *readonly_fields[9:])

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Dispute | None = None) -> bool:
        """Return whether the dispute still needs an answer."""
        may = self.has_answer_permission(request)
        return may and (obj is None or obj.status in Dispute.PENDING)

    has_answer_permission = permitted("tables.answer_dispute")

    def save_by_action(self, row: Dispute, form: Any, by: User) -> Dispute:
        return disputes.answer_dispute(dispute_id=row.pk, by=by, answer=form.cleaned_data["answer"])

    take = action_on_each(
        lambda dispute, by: disputes.take_dispute(dispute_id=dispute.pk, by=by),
        label=gettext_lazy("Take"),
        message=gettext_lazy("Taken"),
        permission="answer",
    )

    close = action_on_each(
        lambda dispute, by: disputes.close_dispute(dispute_id=dispute.pk, by=by),
        label=gettext_lazy("Close"),
        message=gettext_lazy("Closed"),
        permission="answer",
    )

    @admin.display(description=gettext_lazy("Player"), ordering="seat__player__handle")
    def who(self, dispute: Dispute) -> str:
        url = reverse("player-desk", args=[dispute.seat.player_id])
        return link(url, dispute.seat.player)

    @admin.display(description=gettext_lazy("Deal"))
    def which(self, dispute: Dispute) -> str:
        names = {"table": dispute.deal.table, "no": dispute.deal.no}
        return gettext("%(table)s, deal %(no)s") % names

    @admin.display(description=gettext_lazy("Replay"))
    def replayed(self, dispute: Dispute) -> str:
        """Link to the replay at the step of the complaint."""
        deal = dispute.deal
        url = reverse("replay", args=[deal.table.public_id, deal.no, dispute.ply])
        words = gettext("Replay at step %(step)s") % {"step": dispute.ply}
        return link(url, words)

    @admin.display(description=gettext_lazy("Case"))
    def case(self, dispute: Dispute) -> str:
        """Link to the case, which shows the table at that step."""
        url = reverse("case", args=[dispute._meta.label_lower, dispute.pk])
        return link(url, gettext("Cards of all at step %(step)s") % {"step": dispute.ply})

    @admin.display(description=gettext_lazy("History file when it was opened"))
    def file(self, dispute: Dispute) -> str:
        return preformatted(dispute.evidence)

    @admin.display(description=gettext_lazy("Text"))
    def words(self, dispute: Dispute) -> str:
        return _lines(dispute.text)


def _lines(text: str) -> str:
    return format_html_join(mark_safe("<br>"), "{}", ((line,) for line in text.splitlines()))
