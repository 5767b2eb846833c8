"""The pages of a player's notifications and of the choices about them."""

from __future__ import annotations

from typing import Any, Final

from django import forms
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.functional import SimpleLazyObject
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views import View

from players.accounts.pages import AccountView
from players.accounts.zones import zone_of
from players.notifications import actions
from players.notifications.models import Notification, NotificationChoice
from players.notifications.texts import path_of, text_of

PAGE_SIZE: Final = 30


def bell(request: HttpRequest) -> dict[str, Any]:
    """Return the number of unread notifications, counted only if a template uses it."""

    def count() -> int:
        if not request.user.is_authenticated:
            return 0
        return Notification.objects.of_player(request.user).unread().count()

    return {"unread_notifications": SimpleLazyObject(count)}


class NotificationsView(AccountView):
    """List the caller's notifications, the newest first, and mark them as read."""

    def get(self, request: HttpRequest) -> HttpResponse:
        notifications = Notification.objects.of_player(self.player)
        page = Paginator(notifications, PAGE_SIZE).get_page(request.GET.get("page"))
        shown = list(page)
        with timezone.override(zone_of(self.player)):
            rows = [
                {"notification": each, "text": text_of(each), "path": path_of(each)}
                for each in shown
            ]
        answer = render(request, "players/notifications.html", {"rows": rows, "page": page})
        if shown and page.number == 1:
            actions.mark_read(player=self.player, up_to=shown[0].pk, now=timezone.now())
        return answer


class BellView(View):
    """Render the bell alone, which open pages poll; signed-out pages get none."""

    def get(self, request: HttpRequest) -> HttpResponse:
        return render(request, "_bell.html")


class ChoiceForm(forms.Form):
    """The choices for one topic."""

    on_site = forms.BooleanField(label=gettext_lazy("On the site"), required=False)
    by_mail = forms.BooleanField(label=gettext_lazy("By e-mail"), required=False)


class ChoicesView(AccountView):
    """Edit how the caller is notified of each topic."""

    def get(self, request: HttpRequest) -> HttpResponse:
        rows = [(topic, self._form(topic)) for topic in Notification.Topic]
        return render(request, "players/notification_choices.html", {"rows": rows})

    def post(self, request: HttpRequest) -> HttpResponse:
        for topic in Notification.Topic:
            form = self._form(topic, request.POST)
            form.is_valid()  # Two boxes, ticked or not: nothing else can be sent.
            actions.choose(player=self.player, topic=topic, **form.cleaned_data)
        messages.success(request, _("Saved."))
        return redirect("notification-choices")

    def _form(self, topic: Notification.Topic, data: Any = None) -> ChoiceForm:
        if data is not None:
            return ChoiceForm(data, prefix=topic)
        kept = NotificationChoice.objects.filter(player=self.player, topic=topic).first()
        initial = {"on_site": not kept or kept.on_site, "by_mail": not kept or kept.by_mail}
        return ChoiceForm(initial=initial, prefix=topic)
