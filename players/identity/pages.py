"""Pages on which players say who they are."""

from __future__ import annotations

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from core.exceptions import Refusal
from players.accounts.pages import AccountView
from players.identity.birth_dates import give_birth_date


class BirthDateForm(forms.Form):
    born = forms.DateField(
        label=gettext_lazy("Birth date"),
        widget=forms.DateInput(attrs={"type": "date", "autocomplete": "bday"}),
        help_text=gettext_lazy(
            "As your documents have it. You give it once; to correct it later, contact us."
        ),
    )


class BirthDateView(AccountView):
    """Asks for the birth date of an account that has none, or shows the one it has."""

    def get(self, request: HttpRequest) -> HttpResponse:
        return self._page(BirthDateForm())

    def post(self, request: HttpRequest) -> HttpResponse:
        form = BirthDateForm(request.POST)
        if not form.is_valid():
            return self._page(form)
        try:
            give_birth_date(player_id=self.player.pk, born=form.cleaned_data["born"])
        except Refusal as refusal:
            form.add_error("born", str(refusal))
            return self._page(form)
        messages.success(request, _("Saved."))
        return redirect("account")

    def _page(self, form: BirthDateForm) -> HttpResponse:
        return render(self.request, "players/birth_date.html", {"form": form})
