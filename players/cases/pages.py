"""The pages on which players read and write messages to and from staff."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from django import forms
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from core.exceptions import Refusal
from players.accounts.pages import PlayerView
from players.cases.actions import answer_staff
from players.cases.models import Case, DataRequest, Remark
from players.cases.threads import threads_of


class MessageForm(forms.Form):
    text = forms.CharField(
        label=gettext_lazy("Your message"),
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
    """Lists the caller's conversations with staff, the newest first."""

    def get(self, request: HttpRequest) -> HttpResponse:
        cases = Case.objects.shown_to(self.player).order_by("-pk")
        page = Paginator(cases, PAGE_SIZE).get_page(request.GET.get("page"))
        return render(
            request, "players/messages.html", {"threads": threads_of(list(page)), "page": page}
        )


class ThreadView(PlayerView):
    """One conversation of the caller with staff; a POST adds a message. 404 for others."""

    def get(self, request: HttpRequest, public_id: UUID) -> HttpResponse:
        return self._page(public_id, MessageForm())

    def post(self, request: HttpRequest, public_id: UUID) -> HttpResponse:
        form = MessageForm(request.POST)
        if not form.is_valid():
            return self._page(public_id, form)
        try:
            answer_staff(player=self.player, case_id=public_id, text=form.cleaned_data["text"])
        except Case.DoesNotExist as error:
            raise Http404 from error
        except Refusal as refusal:
            form.add_error("text", str(refusal))
            return self._page(public_id, form)
        messages.success(request, _("Your message has been sent."))
        return redirect("thread", public_id)

    def _page(self, public_id: UUID, form: MessageForm) -> HttpResponse:
        case = get_object_or_404(Case.objects.shown_to(self.player), public_id=public_id)
        [thread] = threads_of([case])
        return render(self.request, "players/thread.html", {"thread": thread, "form": form})
