"""The page on which players read and answer messages from staff."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from django import forms
from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Exists, OuterRef, Prefetch
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from core.exceptions import Refusal
from players.accounts.pages import PlayerView
from players.cases.actions import answer_staff
from players.cases.data_request_models import DataRequest
from players.cases.models import Case, Remark


class AnswerForm(forms.Form):
    text = forms.CharField(
        label=gettext_lazy("Your answer"),
        max_length=Remark.LONGEST,
        widget=forms.Textarea(attrs={"rows": 4}),
    )


class DataRequestForm(forms.Form):
    about = forms.ChoiceField(label=gettext_lazy("Request"), choices=DataRequest.About.choices)
    text = forms.CharField(
        label=gettext_lazy("What to correct or delete, and why"),
        max_length=DataRequest.LONGEST,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text=gettext_lazy("Do not send pictures here. Our staff may ask for a document."),
    )


PAGE_SIZE: Final = 10


class MessagesView(PlayerView):
    """Shows the caller's cases in which staff have written, the newest first."""

    def get(self, request: HttpRequest, public_id: UUID | None = None) -> HttpResponse:
        return self._page(None, None)

    def post(self, request: HttpRequest, public_id: UUID) -> HttpResponse:
        form = AnswerForm(request.POST, auto_id=f"id_{public_id}_%s")
        if not form.is_valid():
            return self._page(public_id, form)
        try:
            answer_staff(player=self.player, case_id=public_id, text=form.cleaned_data["text"])
        except Case.DoesNotExist as error:
            raise Http404 from error
        except Refusal as refusal:
            form.add_error("text", str(refusal))
            return self._page(public_id, form)
        messages.success(request, _("Your answer has been sent."))
        return redirect("messages")

    def _page(self, answered: UUID | None, form: AnswerForm | None) -> HttpResponse:
        """Render the page; `form` belongs to the case `answered`, other cases get empty forms."""
        theirs = Remark.objects.exclude(kind=Remark.Kind.NOTE)
        written = Remark.objects.filter(case=OuterRef("pk"), kind=Remark.Kind.MESSAGE)
        cases = (
            Case.objects.filter(Exists(written), player=self.player)
            .prefetch_related(Prefetch("remarks", theirs, to_attr="visible_remarks"))
            .order_by("-pk")
        )
        page = Paginator(cases, PAGE_SIZE).get_page(self.request.GET.get("page"))
        rows = [
            (case, form if case.public_id == answered else _empty(case.public_id)) for case in page
        ]
        return render(self.request, "players/messages.html", {"rows": rows, "page": page})


def _empty(case_id: UUID) -> AnswerForm:
    return AnswerForm(auto_id=f"id_{case_id}_%s")
