"""Pages of a player's notifications and notification settings."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any, Final

from django import forms
from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.functional import SimpleLazyObject
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views import View

from core.clock import database_now
from core.db.statements import compiled_by_key
from core.http.problems import refusal_response
from core.tasks import enqueue
from players.accounts.pages import PlayerView
from players.accounts.zones import zone_of
from players.exceptions import PlayerError
from players.notifications import actions
from players.notifications.models import (
    ALWAYS_SENT,
    OF_DECISIONS,
    PUSHED_ALONE,
    PUSHED_TOPICS,
    Notification,
    NotificationChoice,
)
from players.notifications.texts import path_of, text_of
from players.sign_in.devices import actions as devices
from players.sign_in.devices import push
from players.sign_in.devices.models import PushSubscription

PAGE_SIZE: Final = 30
CHOSEN: Final = [topic for topic in Notification.Topic if topic not in ALWAYS_SENT]

_UNREAD: Final = compiled_by_key(
    lambda player: (
        Notification.objects.filter(player=player, on_site=True)
        .unread()
        .order_by()
        .values_list("kind")
        .annotate(Count("pk"))
    )
)


def bell(request: HttpRequest) -> dict[str, Any]:
    """Return the number of unread notifications, counted only if a template uses it.

    All decisions in the player's name count as one.
    """

    def count() -> int:
        if not request.user.is_authenticated:
            return 0
        numbers: dict[str, int] = dict(_UNREAD.rows(request.user.pk))
        decisions = [numbers.pop(kind, 0) for kind in OF_DECISIONS]
        return sum(numbers.values()) + any(decisions)

    return {"unread_notifications": SimpleLazyObject(count)}


class NotificationsView(PlayerView):
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
            actions.mark_read(player=self.player, up_to=shown[0].pk, now=database_now())
        return answer


class BellView(View):
    """Render only the bell, which open pages poll; empty when signed out."""

    def get(self, request: HttpRequest) -> HttpResponse:
        return render(request, "_bell.html")


class ChoiceForm(forms.Form):
    """The channels for notifications of one topic."""

    on_site = forms.BooleanField(label=gettext_lazy("On the site"), required=False)
    by_mail = forms.BooleanField(label=gettext_lazy("By e-mail"), required=False)
    by_push = forms.BooleanField(label=gettext_lazy("On my devices"), required=False)

    def __init__(self, topic: Notification.Topic, data: Any, *, ways: dict[str, bool]) -> None:
        super().__init__(data, prefix=topic, initial=ways)
        if topic in PUSHED_ALONE:
            del self.fields["on_site"], self.fields["by_mail"]
        if topic not in PUSHED_TOPICS or not push.is_available():
            del self.fields["by_push"]


class ChoicesView(PlayerView):
    """Edit the caller's channels for each topic, and push notifications on this device."""

    def get(self, request: HttpRequest) -> HttpResponse:
        rows = [(topic, form) for topic in CHOSEN if (form := self._form(topic)).fields]
        mine = PushSubscription.objects.of_player(self.player)
        here = mine.filter(session_key=request.session.session_key).first()
        context = {
            "rows": rows,
            "push_key": push.public_key(),
            "endpoint": here.endpoint if here else "",
            "devices": mine.count(),
        }
        return render(request, "players/notification_choices.html", context)

    def post(self, request: HttpRequest) -> HttpResponse:
        for topic in CHOSEN:
            form = self._form(topic, request.POST)
            form.is_valid()  # Fills cleaned_data; optional checkboxes are always valid.
            if form.fields:
                actions.choose(player=self.player, topic=topic, ways=form.cleaned_data)
        messages.success(request, _("Saved."))
        return redirect("notification-choices")

    def _form(self, topic: Notification.Topic, data: Any = None) -> ChoiceForm:
        kept = NotificationChoice.objects.filter(player=self.player, topic=topic).first()
        ways = {name: getattr(kept, name, True) for name in ChoiceForm.base_fields}
        return ChoiceForm(topic, data, ways=ways)


class DeviceView(PlayerView):
    """Turns push notifications on or off for the caller's device; used by `static/js/push.js`."""

    def post(self, request: HttpRequest) -> HttpResponse:
        try:
            devices.subscribe(
                player=self.player,
                endpoint=request.POST.get("endpoint", ""),
                p256dh=request.POST.get("p256dh", ""),
                auth=request.POST.get("auth", ""),
                session_key=str(request.session.session_key),
                now=database_now(),
            )
        except PlayerError as refusal:
            return refusal_response(refusal)
        return HttpResponse(status=HTTPStatus.NO_CONTENT)

    def delete(self, request: HttpRequest) -> HttpResponse:
        devices.unsubscribe(session_key=str(request.session.session_key))
        return HttpResponse(status=HTTPStatus.NO_CONTENT)


class DeviceTestView(PlayerView):
    """Send a test notification to the caller's device."""

    throttle_scope = "costly"

    def post(self, request: HttpRequest) -> HttpResponse:
        mine = PushSubscription.objects.of_player(self.player)
        device = get_object_or_404(mine, session_key=str(request.session.session_key))
        enqueue("players.push_test", device.pk)
        return HttpResponse(status=HTTPStatus.NO_CONTENT)
