"""Admin of webhooks and their deliveries."""

from __future__ import annotations

from typing import Any, cast

from django import forms
from django.contrib import admin, messages
from django.http import HttpRequest
from django.utils.translation import gettext, gettext_lazy
from unfold.admin import ModelAdmin
from unfold.widgets import UnfoldAdminCheckboxSelectMultipleWidget

from core.admin.edit_pages import (
    MakerCheckerAdmin,
    action_on_each,
    approval,
    refusals_as_messages,
    rejection,
)
from core.admin.links import link_column
from core.admin.read_only import ReadOnlyAdmin
from core.events import Event
from finance.webhooks import actions as webhooks
from finance.webhooks.models import WebhookDelivery, WebhookEndpoint
from finance.webhooks.signing import secret_of
from players.accounts.models import User


class EndpointForm(forms.ModelForm[WebhookEndpoint]):
    kinds = forms.MultipleChoiceField(
        choices=Event.Kind.choices,
        widget=UnfoldAdminCheckboxSelectMultipleWidget,
        help_text=gettext_lazy("Events to send to this address."),
    )

    class Meta:
        model = WebhookEndpoint
        fields = ("url", "kinds")


@admin.register(WebhookEndpoint)
class WebhookEndpointAdmin(MakerCheckerAdmin, ModelAdmin):
    """One person requests a webhook, another approves it."""

    form = EndpointForm
    fields = ("url", "kinds")
    list_display = (
        "url",
        "events",
        "status",
        "made_by",
        "checked_by",
        "former_secret_until",
        "ended_at",
    )
    checked_with = "finance.check_webhookendpoint"
    actions = ("approve", "reject", "new_secret", "end")

    @admin.display(description=gettext_lazy("Events"))
    def events(self, endpoint: WebhookEndpoint) -> str:
        return ", ".join(endpoint.kinds)

    def save_model(
        self, request: HttpRequest, obj: WebhookEndpoint, form: Any, change: bool
    ) -> None:
        made = webhooks.request_endpoint(url=obj.url, kinds=obj.kinds, by=cast(User, request.user))
        obj.pk = made.pk

    approve = approval(lambda row, by: webhooks.approve_endpoint(endpoint_id=row.pk, by=by))
    reject = rejection(lambda row, by: webhooks.reject_endpoint(endpoint_id=row.pk, by=by))
    end = action_on_each(
        lambda row, by: webhooks.end_endpoint(endpoint_id=row.pk, by=by),
        label=gettext_lazy("End"),
        message=gettext_lazy("Ended"),
        permission="check",
    )

    @admin.action(description=gettext_lazy("Make a new secret"), permissions=["check"])
    def new_secret(self, request: HttpRequest, endpoints: Any) -> None:
        """Give each webhook a new secret and show it once."""
        for chosen in endpoints:
            with refusals_as_messages(request):
                endpoint = webhooks.change_secret(
                    endpoint_id=chosen.pk, by=cast(User, request.user)
                )
                text = gettext(
                    "New secret of %(url)s. Copy it now, it is not shown again: %(secret)s"
                )
                secret = secret_of(endpoint)
                messages.warning(request, text % {"url": endpoint.url, "secret": secret})


def _again(delivery: Any, by: Any) -> object:
    return webhooks.send_again(delivery_id=delivery.pk, by=by)


@admin.register(WebhookDelivery)
class WebhookDeliveryAdmin(ReadOnlyAdmin, ModelAdmin):
    """Deliveries of events: pending, delivered or given up."""

    list_display = ("event", "to", "attempts", "answer", "due_at", "delivered_at")
    list_filter = (
        "endpoint",
        "event__kind",
        ("delivered_at", admin.EmptyFieldListFilter),
        ("due_at", admin.EmptyFieldListFilter),
    )
    list_select_related = ("event", "endpoint")
    search_fields = ("=event__public_id", "event__key")
    fields = ("event", "endpoint", "content", "attempts", "answer", "due_at", "delivered_at")
    readonly_fields = ("content",)
    actions = ("send_again",)
    to = link_column("endpoint", gettext_lazy("To"))

    @admin.display(description=gettext_lazy("Content"))
    def content(self, delivery: WebhookDelivery) -> str:
        return delivery.event.body

    def has_resend_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("finance.change_webhookdelivery")

    send_again = action_on_each(
        _again,
        label=gettext_lazy("Send again"),
        message=gettext_lazy("Sent again"),
        permission="resend",
    )
