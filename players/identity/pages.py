"""Pages on which players say and show who they are."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from core.exceptions import Refusal
from players.accounts.pages import AccountView
from players.identity import checks
from players.identity.birth_dates import give_birth_date
from players.identity.documents import LARGEST_BYTES
from players.identity.models import IdentityCheck
from players.identity.states import latest_check, state_of


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


def _file_field(label: Any, help_text: Any = "", *, required: bool) -> forms.FileField:
    accepted = {"accept": "image/jpeg,image/png,application/pdf"}
    widget = forms.FileInput(attrs=accepted)
    return forms.FileField(label=label, help_text=help_text, required=required, widget=widget)


class DocumentForm(forms.Form):
    name = forms.CharField(
        label=gettext_lazy("Full name"),
        max_length=IdentityCheck.LONGEST_NAME,
        help_text=gettext_lazy("As the document has it. Money is paid out in this name alone."),
        widget=forms.TextInput(attrs={"autocomplete": "name"}),
    )
    document = forms.ChoiceField(
        label=gettext_lazy("Document"), choices=IdentityCheck.DocumentKind.choices
    )
    front = _file_field(
        gettext_lazy("Front"), gettext_lazy("JPEG, PNG or PDF, up to 4 MB."), required=True
    )
    back = _file_field(gettext_lazy("Back, if it has one"), required=False)

    def contents(self) -> list[bytes]:
        """Return what the files hold, each read to one byte more than is accepted."""
        chosen = [self.cleaned_data[name] for name in ("front", "back")]
        return [file.read(LARGEST_BYTES + 1) for file in chosen if file]


class IdentityView(AccountView):
    """Shows the state of the player's identity, and takes documents."""

    def get(self, request: HttpRequest) -> HttpResponse:
        return self._page(DocumentForm())

    def post(self, request: HttpRequest) -> HttpResponse:
        form = DocumentForm(request.POST, request.FILES)
        if not form.is_valid():
            return self._page(form)
        try:
            checks.submit(
                player_id=self.player.pk,
                name=form.cleaned_data["name"],
                kind=IdentityCheck.DocumentKind(form.cleaned_data["document"]),
                files=form.contents(),
            )
        except Refusal as refusal:
            form.add_error(None, str(refusal))
            return self._page(form)
        messages.success(request, _("We have received your documents."))
        return redirect("identity")

    def _page(self, form: DocumentForm) -> HttpResponse:
        state = state_of(self.player)
        closed = (IdentityCheck.State.SUBMITTED, IdentityCheck.State.VERIFIED)
        context = {
            "form": form,
            "check": latest_check(self.player),
            "state": state,
            "state_name": state.label if state else "",
            "takes_documents": self.player.birth_date is not None and state not in closed,
        }
        return render(self.request, "players/identity.html", context)
