"""What a player may take along, and closing the account."""

from __future__ import annotations

from django import forms
from django.contrib import messages
from django.contrib.auth import logout
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tables.exceptions import TableError
from tables.selectors.own_data import own_data
from tables.services import account_closure
from tables.views import PlayerView


class ClosingForm(forms.Form):
    password = forms.CharField(
        label=gettext_lazy("Password"),
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )


class ExportView(PlayerView):
    """The caller's own data as a JSON file."""

    throttle_scope = "costly"

    def get(self, request: HttpRequest) -> HttpResponse:
        answer = JsonResponse(own_data(self.player), json_dumps_params={"indent": 1})
        answer["Content-Disposition"] = 'attachment; filename="my-data.json"'
        answer["Cache-Control"] = "private, no-store"
        return answer


class CloseAccountView(PlayerView):
    """Closes the caller's account once the password was given again."""

    def dispatch(self, request: HttpRequest, *args: object, **kwargs: object) -> HttpResponseBase:
        if request.user.is_authenticated and self.player.is_guest:
            return redirect("account-keep")
        return super().dispatch(request, *args, **kwargs)

    def get(self, request: HttpRequest) -> HttpResponse:
        return render(request, "players/close.html", {"form": ClosingForm()})

    def post(self, request: HttpRequest) -> HttpResponse:
        form = ClosingForm(request.POST)
        if form.is_valid() and not self.player.check_password(form.cleaned_data["password"]):
            form.add_error("password", _("This is not your password."))
        if form.is_valid():
            try:
                account_closure.close_account(player_id=self.player.pk)
            except TableError as refusal:
                form.add_error(None, str(refusal))
            else:
                logout(request)
                messages.success(request, _("The account is closed. Thank you for playing."))
                return redirect("landing")
        return render(request, "players/close.html", {"form": form})
