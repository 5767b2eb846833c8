"""Pages and forms for birth date, PAN and identity documents, and the webhook of providers."""

from __future__ import annotations

from typing import Any

from django import forms
from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.urls import reverse_lazy
from django.utils.decorators import method_decorator
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views import View
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.debug import sensitive_post_parameters

from core.http.problems import refusal_response
from core.pages.dates import DayInput
from players.accounts.pages import PlayerFormView
from players.exceptions import PlayerError
from players.identity import checks
from players.identity.asking import receive_notice
from players.identity.birth_dates import give_birth_date
from players.identity.documents import LARGEST_BYTES
from players.identity.models import IdentityCheck
from players.identity.providers import provider_in_use, sent_to
from players.identity.states import latest_check, looks_at, state_of
from players.identity.tax_numbers import give_tax_number, masked_tax_number


class BirthDateForm(forms.Form):
    born = forms.DateField(
        label=gettext_lazy("Birth date"),
        widget=DayInput(attrs={"autocomplete": "bday"}),
        help_text=gettext_lazy(
            "As on your documents. You can set this once. To correct it later, contact us."
        ),
    )


class TaxNumberForm(forms.Form):
    number = forms.CharField(
        label=gettext_lazy("PAN"),
        max_length=20,
        help_text=gettext_lazy("You can set this once. To correct it later, contact us."),
        widget=forms.TextInput(attrs={"autocomplete": "off", "autocapitalize": "characters"}),
    )


def _file_field(label: Any, help_text: Any = "", *, required: bool) -> forms.FileField:
    accepted = {"accept": "image/jpeg,image/png,application/pdf"}
    widget = forms.FileInput(attrs=accepted)
    return forms.FileField(label=label, help_text=help_text, required=required, widget=widget)


class DocumentForm(forms.Form):
    name = forms.CharField(
        label=gettext_lazy("Full name"),
        max_length=IdentityCheck.LONGEST_NAME,
        help_text=gettext_lazy("As on the document. Money is paid out only to this name."),
        widget=forms.TextInput(attrs={"autocomplete": "name"}),
    )
    document = forms.ChoiceField(
        label=gettext_lazy("Document"), choices=IdentityCheck.DocumentKind.choices
    )
    front = _file_field(
        gettext_lazy("Front"), gettext_lazy("JPEG, PNG or PDF, up to 4 MB."), required=True
    )
    back = _file_field(gettext_lazy("Back, if it has one"), required=False)
    may_be_sent = forms.BooleanField(required=False)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Ask for consent to send the documents, if a provider is in use."""
        super().__init__(*args, **kwargs)
        provider = provider_in_use()
        if provider is None:
            del self.fields["may_be_sent"]
        else:
            sent = self.fields["may_be_sent"]
            sent.label = _("%(provider)s may check my document") % {"provider": provider.title}
            sent.help_text = _(
                "We send %(provider)s the pictures, your name, birth date and country, and keep "
                "their answer. If you do not agree, our staff check the document, which may take "
                "longer."
            ) % {"provider": provider.title}

    def contents(self) -> list[bytes]:
        """Return the files' contents, each read to one byte more than the maximum."""
        chosen = [self.cleaned_data[name] for name in ("front", "back")]
        return [file.read(LARGEST_BYTES + 1) for file in chosen if file]


@method_decorator(csrf_exempt, name="dispatch")
class NoticeView(View):
    """Receive provider notices; a plain Django view, because the signature covers the raw body."""

    throttle_scope = "webhooks"

    def post(self, request: HttpRequest, provider: str) -> HttpResponse:
        try:
            is_ours = receive_notice(provider=provider, body=request.body, headers=request.headers)
        except PlayerError as refusal:
            return refusal_response(refusal)
        return JsonResponse({"outcome": "received" if is_ours else "ignored"})


class BirthDateView(PlayerFormView):
    """Asks for the birth date, or shows it if the account has one."""

    template_name = "players/birth_date.html"
    form_class = BirthDateForm
    refused_field = "born"
    success_url = reverse_lazy("account")

    def carry_out(self, form: BirthDateForm) -> str:
        give_birth_date(player_id=self.player.pk, born=form.cleaned_data["born"])
        return _("Saved.")


class TaxNumberView(PlayerFormView):
    """Asks for the PAN, or shows its last characters if the account has one."""

    template_name = "players/tax_number.html"
    form_class = TaxNumberForm
    refused_field = "number"
    success_url = reverse_lazy("tax-number")

    @method_decorator(sensitive_post_parameters("number"))
    def dispatch(self, *args: Any, **kwargs: Any) -> HttpResponseBase:
        return super().dispatch(*args, **kwargs)

    def carry_out(self, form: TaxNumberForm) -> str:
        give_tax_number(player_id=self.player.pk, number=form.cleaned_data["number"])
        return _("Saved.")

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        return super().get_context_data(number=masked_tax_number(self.player), **kwargs)


class IdentityView(PlayerFormView):
    """Shows the state of the player's identity check, and accepts documents."""

    template_name = "players/identity.html"
    form_class = DocumentForm
    success_url = reverse_lazy("identity")

    def carry_out(self, form: DocumentForm) -> str:
        checks.submit(
            player_id=self.player.pk,
            name=form.cleaned_data["name"],
            kind=IdentityCheck.DocumentKind(form.cleaned_data["document"]),
            files=form.contents(),
            provider=settings.IDENTITY_PROVIDER if form.cleaned_data.get("may_be_sent") else "",
        )
        return _("We have received your documents.")

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        state, check = state_of(self.player), latest_check(self.player)
        closed = (IdentityCheck.State.SUBMITTED, IdentityCheck.State.VERIFIED)
        return super().get_context_data(
            check=check,
            sent=sent_to(check),
            looks=looks_at(self.player),
            state=state,
            state_name=state.label if state else "",
            takes_documents=self.player.birth_date is not None and state not in closed,
            **kwargs,
        )
