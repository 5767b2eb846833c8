"""What the site has told a player, and how he wants to be told."""

from __future__ import annotations

from typing import Any, Final

from django import forms
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views import View

from players.accounts.pages import AccountView
from players.accounts.zones import zone_of
from players.notifications import actions as notices
from players.notifications.models import Notice, NoticeChoice
from players.notifications.texts import address_of, words_of

SHOWN_AT_ONCE: Final = 30


class NoticesView(AccountView):
    """The caller's notices, the newest first; to have looked is to have read them."""

    def get(self, request: HttpRequest) -> HttpResponse:
        told = Notice.objects.of_player(self.player)
        page = Paginator(told, SHOWN_AT_ONCE).get_page(request.GET.get("page"))
        shown = list(page)
        with timezone.override(zone_of(self.player)):
            rows = [
                {"notice": each, "words": words_of(each), "address": address_of(each)}
                for each in shown
            ]
        answer = render(request, "players/notices.html", {"rows": rows, "page": page})
        if shown and page.number == 1:
            notices.read_all(player=self.player, up_to=shown[0].pk, now=timezone.now())
        return answer


class BellView(View):
    """The bell alone, for pages that are open; once the session has ended there is none."""

    def get(self, request: HttpRequest) -> HttpResponse:
        return render(request, "_bell.html")


class ChoiceForm(forms.Form):
    """One topic: on the site, by e-mail, both, or not at all."""

    on_site = forms.BooleanField(label=gettext_lazy("On the site"), required=False)
    by_mail = forms.BooleanField(label=gettext_lazy("By e-mail"), required=False)


class ChoicesView(AccountView):
    """How the caller is told of each topic."""

    def get(self, request: HttpRequest) -> HttpResponse:
        rows = [(topic, self._form(topic)) for topic in Notice.Topic]
        return render(request, "players/notice_choices.html", {"rows": rows})

    def post(self, request: HttpRequest) -> HttpResponse:
        for topic in Notice.Topic:
            form = self._form(topic, request.POST)
            form.is_valid()  # Two boxes, ticked or not: nothing else can be sent.
            notices.choose(player=self.player, topic=topic, **form.cleaned_data)
        messages.success(request, _("Saved."))
        return redirect("notice-choices")

    def _form(self, topic: Notice.Topic, data: Any = None) -> ChoiceForm:
        if data is not None:
            return ChoiceForm(data, prefix=topic)
        kept = NoticeChoice.objects.filter(player=self.player, topic=topic).first()
        initial = {"on_site": not kept or kept.on_site, "by_mail": not kept or kept.by_mail}
        return ChoiceForm(initial=initial, prefix=topic)
