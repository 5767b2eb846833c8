"""The page on which players give, change and remove their mobile number."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse_lazy
from django.utils.decorators import method_decorator
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_post_parameters

from players.accounts.pages import PlayerFormView
from players.phones.forms import PhoneForm
from players.phones.numbers import give_number, number_of, remove_number


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

    def carry_out(self, form: PhoneForm) -> str:
        number = form.cleaned_data["number"]
        if number:
            give_number(player_id=self.player.pk, number=number)
        else:
            remove_number(player_id=self.player.pk)
        return _("Saved.") if number else _("Your mobile number is removed.")
