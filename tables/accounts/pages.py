"""The pages for exporting a player's data and closing the account."""

from __future__ import annotations

from typing import Any, Final

from django.contrib import messages
from django.contrib.auth import logout
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse_lazy
from django.utils.translation import gettext as _

from players.accounts.pages import PlayerFormView, PlayerView
from players.cases.data_requests import ask_about_data
from players.cases.models import DataRequest
from players.cases.pages import DataRequestForm
from players.sign_in.security.proof import ask_for_proof, is_proved
from tables.accounts import closure as account_closure
from tables.accounts.kept import kept
from tables.accounts.own_data import own_data
from tables.exceptions import TableError

REQUESTS_SHOWN: Final = 20


class ExportView(PlayerView):
    """The caller's own data as a JSON file."""

    throttle_scope = "costly"

    def get(self, request: HttpRequest) -> HttpResponse:
        answer = JsonResponse(own_data(self.player), json_dumps_params={"indent": 1})
        answer["Content-Disposition"] = 'attachment; filename="my-data.json"'
        return answer


class YourDataView(PlayerFormView):
    """What a player may see, correct and delete, and the data that is kept.

    The form requests from staff what players cannot correct or delete themselves.
    """

    template_name = "players/your_data.html"
    form_class = DataRequestForm
    success_url = reverse_lazy("your-data")

    def carry_out(self, form: DataRequestForm) -> str:
        asked = DataRequest.About(form.cleaned_data["about"])
        ask_about_data(player=self.player, about=asked, text=form.cleaned_data["text"])
        return _("Request sent. The answer will appear under “Messages from our staff”.")

    def get_context_data(self, **context: Any) -> dict[str, Any]:
        mine = DataRequest.objects.of_player(self.player)[:REQUESTS_SHOWN]
        return super().get_context_data(kept=kept(), requests=mine, **context)


class CloseAccountView(PlayerView):
    """Closes the caller's account, soon after the caller has confirmed their identity."""

    def dispatch(self, request: HttpRequest, *args: object, **kwargs: object) -> HttpResponseBase:
        if request.user.is_authenticated and self.player.is_guest:
            return redirect("account-keep")
        if request.user.is_authenticated and not is_proved(request):
            return ask_for_proof(request, back_to=request.path)
        return super().dispatch(request, *args, **kwargs)

    def get(self, request: HttpRequest) -> HttpResponse:
        return render(request, "players/close.html")

    def post(self, request: HttpRequest) -> HttpResponse:
        try:
            account_closure.close_account(player_id=self.player.pk)
        except TableError as refusal:
            return render(request, "players/close.html", {"refusal": str(refusal)})
        logout(request)
        messages.success(request, _("Your account is closed. Thank you for playing."))
        return redirect("landing")
