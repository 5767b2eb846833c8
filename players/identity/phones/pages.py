"""The pages on which players set, confirm and remove their mobile number."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse_lazy
from django.utils.decorators import method_decorator
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_post_parameters

from players.accounts.pages import PlayerFormView
from players.exceptions import TooManyNumbers
from players.identity.phones import codes
from players.identity.phones.forms import PhoneCodeForm, PhoneForm
from players.identity.phones.models import PhoneNumber
from players.identity.phones.numbers import give_number, number_of, remove_number


class PhoneView(PlayerFormView):
    """Shows the player's own number in full; an empty field removes it."""

    template_name = "players/phone.html"
    form_class = PhoneForm
    refused_field = "number"
    success_url = reverse_lazy("phone")

    @method_decorator(sensitive_post_parameters("number"))
    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if request.user.is_authenticated and self.player.is_guest:
            return redirect("account-keep")
        return super().dispatch(request, *args, **kwargs)

    def get_form_kwargs(self) -> dict[str, Any]:
        return {**super().get_form_kwargs(), "country": self.player.country}

    def get_initial(self) -> dict[str, Any]:
        return {"number": number_of(self.player)}

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        number = PhoneNumber.objects.of_player(self.player).present().first()
        return super().get_context_data(kept=number, are_codes_sent=codes.are_sent(), **kwargs)

    def carry_out(self, form: PhoneForm) -> str:
        number = form.cleaned_data["number"]
        if not number:
            remove_number(player_id=self.player.pk)
            return _("Your mobile number has been removed.")
        kept = give_number(player_id=self.player.pk, number=number)
        if kept.proved_at is None and kept.codes_made == 0:
            codes.ask_for_code(player_id=self.player.pk)
        return _("Saved.")


class PhoneCodeView(PlayerFormView):
    """Checks the code that was sent to the player's number, or sends a new one."""

    template_name = "players/phone_code.html"
    form_class = PhoneCodeForm
    refused_field = "code"
    success_url = reverse_lazy("phone")

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if "again" not in request.POST:
            return super().post(request, *args, **kwargs)
        try:
            codes.ask_for_code(player_id=self.player.pk)
        except TooManyNumbers as refusal:
            messages.error(request, str(refusal))
        else:
            messages.success(request, _("A new code is on its way."))
        return redirect("phone-code")

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        number = PhoneNumber.objects.of_player(self.player).present().first()
        return super().get_context_data(kept=number, **kwargs)

    def carry_out(self, form: PhoneCodeForm) -> str:
        codes.prove_number(player_id=self.player.pk, code=form.cleaned_data["code"])
        return _("Your mobile number is confirmed.")
