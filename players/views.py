"""A player's own account: its page, and keeping it after a visit as a guest."""

from __future__ import annotations

from typing import cast

from allauth.account.models import EmailAddress
from allauth.usersessions.models import UserSession
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.contrib.auth.mixins import LoginRequiredMixin
from django.db import IntegrityError
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views import View

from players import consent, guests, look
from players.exceptions import NotAGuest
from players.forms import KeepAccountForm, LookForm, ProfileForm
from players.models import User
from players.verified_email import has_verified_email


class AccountView(LoginRequiredMixin, View):
    """A page of the caller's own account."""

    @property
    def player(self) -> User:
        return cast(User, self.request.user)


class TracesView(View):
    """What is kept of where people play: the text players agree to by signing up or playing on."""

    def get(self, request: HttpRequest) -> HttpResponse:
        agreed = getattr(request.user, "consent_version", "")
        context = {"version": consent.VERSION, "agreed": agreed}
        return render(request, "players/traces.html", context)


class ProfileView(AccountView):
    """Who one is here: some of it to change, the rest to read, and the way to all else."""

    def get(self, request: HttpRequest) -> HttpResponse:
        return self._page(ProfileForm(instance=self.player))

    def post(self, request: HttpRequest) -> HttpResponse:
        form = ProfileForm(request.POST, instance=self.player)
        if not form.is_valid():
            return self._page(form)
        form.save()
        messages.success(request, _("Saved."))
        answer = redirect("account")
        look.keep(answer, settings.LANGUAGE_COOKIE_NAME, form.cleaned_data["language"])
        return answer

    def _page(self, form: ProfileForm) -> HttpResponse:
        context = {"form": form, "is_verified": has_verified_email(self.player)}
        return render(self.request, "players/profile.html", context)


class KeepAccountView(AccountView):
    """Gives a guest's account an e-mail address and a password; points and games stay."""

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
        except NotAGuest:  # Sent twice, or from two tabs.
            return redirect("lobby")
        except IntegrityError:  # Somebody took the handle at the same moment.
            form.add_error("handle", _("Somebody already plays under this handle."))
            return self._page(form)
        update_session_auth_hash(request, player)
        UserSession.objects.create_from_request(request)  # The session has a new key.
        EmailAddress.objects.add_email(request, player, player.email, confirm=True)
        EmailAddress.objects.filter(user=player).update(primary=True)
        messages.success(request, _("This account is yours now. Your points and games are kept."))
        return redirect("lobby")

    def _page(self, form: KeepAccountForm) -> HttpResponse:
        return render(self.request, "players/keep.html", {"form": form})


class LookView(View):
    """Language, theme, suits and sound, for everybody; a player's language goes to the account."""

    def get(self, request: HttpRequest) -> HttpResponse:
        now = {"language": get_language(), **look.look(request)["look"]}
        return self._page(LookForm(initial=now))

    def post(self, request: HttpRequest) -> HttpResponse:
        form = LookForm(request.POST)
        if not form.is_valid():
            return self._page(form)
        chosen = {name: value for name, value in form.cleaned_data.items() if value}
        answer = redirect(self._next())
        language = chosen.pop("language", None)
        if language is not None:
            look.keep(answer, settings.LANGUAGE_COOKIE_NAME, language)
            User.objects.filter(pk=cast(User, request.user).pk).update(language=language)
        for name, value in chosen.items():
            look.keep(answer, name, value)
        return answer

    def _next(self) -> str:
        """Where the player came from, if that is a page of this site."""
        wanted: str = self.request.POST.get("next", "")
        host, is_secure = self.request.get_host(), self.request.is_secure()
        if url_has_allowed_host_and_scheme(wanted, allowed_hosts={host}, require_https=is_secure):
            return wanted
        return reverse("look")

    def _page(self, form: LookForm) -> HttpResponse:
        return render(self.request, "players/look.html", {"form": form})
