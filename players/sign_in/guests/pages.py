"""The page that turns a guest into a full account."""

from __future__ import annotations

from allauth.account.models import EmailAddress
from allauth.usersessions.models import UserSession
from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.db import IntegrityError
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from players.accounts.pages import PlayerView
from players.exceptions import NotAGuest
from players.sign_in.guests import actions as guests
from players.sign_in.guests.forms import KeepAccountForm


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
        UserSession.objects.create_from_request(
            request
        )  # update_session_auth_hash has changed the session key.
        EmailAddress.objects.add_email(request, player, player.email, confirm=True)
        EmailAddress.objects.filter(user=player).update(primary=True)
        messages.success(request, _("Your account is registered. Your points and games are kept."))
        return redirect("lobby")

    def _page(self, form: KeepAccountForm) -> HttpResponse:
        return render(self.request, "players/keep.html", {"form": form})
