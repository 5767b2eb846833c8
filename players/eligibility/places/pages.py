"""Pages on which players set where they live, and settle a mismatch with their IP address."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse, reverse_lazy
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from core.addresses import client_address
from core.exceptions import Refusal
from players.accounts.forms import RegionField
from players.accounts.pages import PlayerFormView, PlayerView, page_before
from players.accounts.places import INDIA, countries
from players.eligibility.places.doubts import declare_place, open_doubt, settle_by_address
from players.eligibility.places.regions import regions


class PlaceForm(forms.Form):
    country = forms.ChoiceField(label=gettext_lazy("Country"))
    region = RegionField(
        label=gettext_lazy("State or region"),
        required=False,
        help_text=gettext_lazy("You can set this once. To correct it later, contact us."),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["country"].choices = countries()  # type: ignore[attr-defined]
        self.fields["country"].initial = INDIA
        self.fields["region"].choices = [("", "-"), *regions()]  # type: ignore[attr-defined]


class PlaceView(PlayerFormView):
    """Asks where the player lives, or shows it with the open doubt."""

    template_name = "players/place.html"
    form_class = PlaceForm
    refused_field = "region"
    success_url = reverse_lazy("place")

    def carry_out(self, form: PlaceForm) -> str:
        declare_place(player_id=self.player.pk, **form.cleaned_data)
        self.player.refresh_from_db(fields=["country", "region"])
        return _("Saved.")

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        return super().get_context_data(doubt=open_doubt(self.player), **kwargs)


class SettlePlaceView(PlayerView):
    """Settles the open doubt by the IP address of this request."""

    def post(self, request: HttpRequest) -> HttpResponse:
        try:
            settle_by_address(player_id=self.player.pk, address=client_address(request))
        except Refusal as refusal:
            messages.error(request, str(refusal))
            return redirect("place")
        messages.success(request, _("Thank you. You can play for money again."))
        return redirect(page_before(request, reverse("place")))
