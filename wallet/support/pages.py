"""The page on which players and visitors write to support."""

from __future__ import annotations

from typing import Any, cast
from uuid import UUID

from django import forms
from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _
from django.views import View

from core.exceptions import Refusal
from players.accounts.models import User
from players.accounts.verified_email import has_verified_email
from players.cases.help_requests import write_to_support
from players.cases.models import HelpRequest
from wallet.support.attachments import attachments_of


class SupportForm(forms.Form):
    """A message; visitors and guests give an address, players may attach their own."""

    email = forms.EmailField(label=gettext_lazy("Your e-mail address"), max_length=254)
    subject = forms.CharField(label=gettext_lazy("Subject"), max_length=120)
    text = forms.CharField(
        label=gettext_lazy("Your message"),
        max_length=HelpRequest.LONGEST,
        widget=forms.Textarea(attrs={"rows": 6}),
        help_text=gettext_lazy("Never send your password or a code."),
    )
    about = forms.ChoiceField(
        label=gettext_lazy("About a game or payment"),
        required=False,
        help_text=gettext_lazy("Our staff see its record."),
    )

    def __init__(
        self, *args: Any, player: User | None, wanted: UUID | None = None, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self._attachments = attachments_of(player, wanted=wanted) if player else []
        own = [(str(each.id), each.name) for each in self._attachments]
        cast(forms.ChoiceField, self.fields["about"]).choices = [("", _("Nothing")), *own]
        if not own:
            del self.fields["about"]
        if player is not None and has_verified_email(player):
            del self.fields["email"]
        elif player is not None:
            self.fields["email"].required = False
            self.fields["email"].help_text = _("For the answer, besides this site. Optional.")

    def sent_by(self, player: User | None) -> HelpRequest:
        """Open the case; the form is valid."""
        about = self.cleaned_data.get("about", "")
        return write_to_support(
            player=player,
            email=self.cleaned_data.get("email", ""),
            language=get_language() or settings.LANGUAGE_CODE,
            subject=self.cleaned_data["subject"],
            text=self.cleaned_data["text"],
            attached=next((each for each in self._attachments if str(each.id) == about), None),
        )


class ContactView(View):
    """Shows the form; `?about=` preselects one of the player's own transfers."""

    http_method_names = ("get", "head")

    def get(self, request: HttpRequest) -> HttpResponse:
        wanted = _uuid(request.GET.get("about", ""))
        form = SupportForm(
            player=_player(request), wanted=wanted, initial={"about": str(wanted or "")}
        )
        return _page(request, form)


class WriteView(View):
    """Sends the message: a scope of its own limits how often."""

    http_method_names = ("post",)
    throttle_scope = "support"

    def post(self, request: HttpRequest) -> HttpResponse:
        player = _player(request)
        wanted = _uuid(request.POST.get("about", ""))
        form = SupportForm(request.POST, player=player, wanted=wanted)
        if not form.is_valid():
            return _page(request, form)
        try:
            form.sent_by(player)
        except Refusal as refusal:
            form.add_error(None, str(refusal))
            return _page(request, form)
        if player is None:
            sent = _("Your message has been sent. We answer by e-mail to %(address)s.")
            messages.success(request, sent % {"address": form.cleaned_data["email"]})
            return redirect("contact")
        messages.success(request, _("Your message has been sent. Our answer will appear here."))
        return redirect("messages")


def _page(request: HttpRequest, form: SupportForm) -> HttpResponse:
    return render(
        request,
        "site/contact.html",
        {"form": form, "contact_email": settings.CONTACT_EMAIL, "action": reverse("write-to-us")},
    )


def _player(request: HttpRequest) -> User | None:
    return request.user if isinstance(request.user, User) else None


def _uuid(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None
