"""Admin of webhooks and their deliveries."""

from __future__ import annotations

from typing import Any, cast

from django import forms
from django.contrib import admin, messages
from django.http import HttpRequest
from django.utils.translation import gettext, gettext_lazy
from unfold.widgets import UnfoldAdminCheckboxSelectMultipleWidget

from core.admin.edit_pages import (
    MakerCheckerAdmin,
    action_on_each,
    approval,
    permitted,
    refusals_as_messages,
    rejection,
)
from core.admin.links import link_column, text_column
from core.admin.read_only import ReadOnlyAdmin
from core.events import Event
from finance.webhooks import actions as webhooks
from finance.webhooks.delivering import secret_of
from finance.webhooks.models import WebhookDelivery, WebhookEndpoint
from players.accounts.models import User


class EndpointForm(forms.ModelForm[WebhookEndpoint]):
    kinds = forms.MultipleChoiceField(
        label=gettext_lazy("Events"),
        choices=Event.Kind.choices,
        widget=UnfoldAdminCheckboxSelectMultipleWidget,
        help_text=gettext_lazy("Events to send to this address."),
    )

    class Meta:
        model = WebhookEndpoint
        fields = ("url", "kinds")


@admin.register(WebhookEndpoint)
class WebhookEndpointAdmin(MakerCheckerAdmin):
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
    actions = ("approve", "reject", "new_secret", "end")

    @admin.display(description=gettext_lazy("Events"))
    def events(self, endpoint: WebhookEndpoint) -> str:
        return ", ".join(endpoint.kinds)

    def save_by_action(self, row: WebhookEndpoint, form: Any, by: User) -> WebhookEndpoint:
        return webhooks.request_endpoint(url=row.url, kinds=row.kinds, by=by)

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


@admin.register(WebhookDelivery)
class WebhookDeliveryAdmin(ReadOnlyAdmin):
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
    actions = ("send_again",)

    to = link_column("endpoint", gettext_lazy("To"))
    content = text_column("event.body", gettext_lazy("Content"))
    has_resend_permission = permitted("finance.change_webhookdelivery")
    send_again = action_on_each(
        lambda delivery, by: webhooks.send_again(delivery_id=delivery.pk, by=by),
        label=gettext_lazy("Send again"),
        message=gettext_lazy("Sent again"),
        permission="resend",
    )
