"""The page and form that turn a guest into a full account."""

from __future__ import annotations

from typing import Any

from allauth.account.models import EmailAddress
from allauth.usersessions.models import UserSession
from django import forms
from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.contrib.auth.password_validation import (
    password_validators_help_text_html,
    validate_password,
)
from django.db import IntegrityError
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from players.accounts.forms import handle_field, refuse_taken_handle
from players.accounts.models import User
from players.accounts.pages import PlayerView, page_before
from players.exceptions import NotAGuest
from players.identity.phones.forms import mobile_field
from players.sign_in.guests import actions as guests
from players.sign_in.signup import return_after_confirming


class KeepAccountForm(forms.Form):
    """E-mail, password, handle and optional mobile number of a guest.

    An address of another account is accepted too, so that the form does not reveal it; only its
    owner can verify it.
    """

    email = forms.EmailField(
        label=gettext_lazy("Email"), widget=forms.EmailInput(attrs={"autocomplete": "email"})
    )
    handle = handle_field()
    password = forms.CharField(
        label=gettext_lazy("Password"),
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
        help_text=password_validators_help_text_html,
    )

    mobile = mobile_field()

    def __init__(self, *args: Any, player: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.player = player

    def clean_handle(self) -> str:
        handle: str = self.cleaned_data["handle"]
        refuse_taken_handle(handle, player=self.player)
        return handle

    def clean_password(self) -> str:
        password: str = self.cleaned_data["password"]
        validate_password(password, self.player)
        return password


class KeepAccountView(PlayerView):
    """Adds an e-mail address and a password to a guest's account; points and games stay."""

    def get(self, request: HttpRequest) -> HttpResponseBase:
        if not self.player.is_guest:
            return redirect("lobby")
        return self._page(KeepAccountForm(player=self.player))

    def post(self, request: HttpRequest) -> HttpResponseBase:
        form = KeepAccountForm(request.POST, player=self.player)
        if not form.is_valid():
            return self._page(form)
        try:
            player = guests.keep_account(player_id=self.player.pk, **form.cleaned_data)
        except NotAGuest:  # Submitted twice.
            return redirect("lobby")
        except IntegrityError:  # The handle was taken concurrently.
            form.add_error("handle", _("This player name is taken."))
            return self._page(form)
        update_session_auth_hash(request, player)
        return_after_confirming(request)
        UserSession.objects.create_from_request(
            request
        )  # update_session_auth_hash has changed the session key.
        EmailAddress.objects.add_email(request, player, player.email, confirm=True)
        EmailAddress.objects.filter(user=player).update(primary=True)
        messages.success(request, _("Your account is registered. Your points and games are kept."))
        return redirect(page_before(request, reverse("lobby")))

    def _page(self, form: KeepAccountForm) -> HttpResponse:
        context = {"form": form, "next": page_before(self.request, "")}
        return render(self.request, "players/keep.html", context)
